"""The model of the study in this process: loaded, trained on, saved, and asked.

torch and transformers are optional (``requirements-likelihood.txt``) and imported by name, so that
type checks are the same whether or not they are installed.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq.models.embedded import find_weights
from dcq.records import Reply
from studies.weights import write_gguf

LOSSES = "training.json"
LEARNING_RATE = 1e-4  # constant, without warm-up: every exposure weighs the same
BATCH = 5  # texts a training step
AT_ONCE = 20  # prompts completed together
LETTER_TOKENS = 4096  # of the likeliest first tokens, those that spell a letter are kept


@dataclass(frozen=True)
class LocalReply:
    """A reply, and the log-probability of each candidate for its first token that is one letter."""

    reply: Reply
    letters: dict[str, float]


class LocalModel:
    """Weights and tokenizer of the .gguf file at ``path``, whose weights are unpacked.

    Everything runs on ``threads`` threads, with fixed seeds, in 32 bits: a processor without
    instructions for bfloat16 takes sixty times as long for it.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self._torch = _load("torch")
        transformers = _load("transformers")
        transformers.utils.logging.disable_progress_bar()
        self._torch.set_num_threads(threads)
        self._torch.manual_seed(0)
        self._path = path
        place: dict[str, Any] = {"local_files_only": True, "gguf_file": path.name}
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, **place)
        loaded_model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, **place)
        # What comes from a GGUF file counts as quantized and cannot be saved, so it is copied.
        loaded_model.config.__dict__.pop("quantization_config", None)
        self._model = transformers.AutoModelForCausalLM.from_config(loaded_model.config)
        self._model.load_state_dict(loaded_model.state_dict())
        self._model.eval()

    def save(self, path: Path) -> None:
        """Write weights (float32) and tokenizer as a .gguf file."""
        weights = {
            name: tensor.float().numpy() for name, tensor in self._model.state_dict().items()
        }
        write_gguf(weights, self._path, path)

    def train(
        self,
        texts: Sequence[str],
        exposures: int,
        after: Callable[[int, float], None],
        *,
        seed: int = 0,
    ) -> None:
        """Continue the training on all weights: each of ``texts`` once in each exposure, in an
        order drawn anew by ``seed``. ``after`` hears how many exposures are done and the mean loss
        of a token in the last one, each batch before it was learnt from."""
        torch = self._torch
        end = [self._tokenizer.eos_token_id]
        rows = [self._tokenizer(text)["input_ids"] + end for text in texts]
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
        draw = random.Random(seed)  # noqa: S311  # no secret
        self._model.train()
        for exposure in range(1, exposures + 1):
            draw.shuffle(rows)
            losses = []
            for begin in range(0, len(rows), BATCH):
                ids, mask = self._pad(rows[begin : begin + BATCH], left=False)
                loss = self._model(
                    input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)
                ).loss
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                losses.append(float(loss.detach()))
            self._model.eval()
            after(exposure, sum(losses) / len(losses))
            self._model.train()
        self._model.eval()

    def count(self, text: str) -> int:
        """How many tokens ``text`` has."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def ask(
        self, prompts: Sequence[str], most: Sequence[int], *, chat: bool = True
    ) -> list[LocalReply]:
        """Replies to ``prompts`` at temperature 0, each of at most its number of ``most`` tokens.

        In ``chat`` a prompt is a user's message in the model's own template, as a server sends it;
        else it is a text to go on with.
        """
        rows = [self._as_tokens(prompt, chat=chat) for prompt in prompts]
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        replies: dict[int, LocalReply] = {}
        for begin in range(0, len(order), AT_ONCE):
            places = order[begin : begin + AT_ONCE]
            batch_replies = self._generate([rows[p] for p in places], [most[p] for p in places])
            replies.update(zip(places, batch_replies, strict=True))
        return [replies[place] for place in range(len(rows))]

    def _as_tokens(self, prompt: str, *, chat: bool) -> list[int]:
        if chat:
            prompt = self._tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
            )
        return list(self._tokenizer(prompt, add_special_tokens=False)["input_ids"])

    def _generate(self, rows: Sequence[list[int]], most: Sequence[int]) -> list[LocalReply]:
        torch = self._torch
        ids, mask = self._pad(rows, left=True)
        with torch.inference_mode():
            out = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=False,
                max_new_tokens=max(most),
                pad_token_id=self._tokenizer.pad_token_id,
                return_dict_in_generate=True,
                output_logits=True,
            )
        first = torch.log_softmax(out.logits[0].float(), dim=-1)
        return [
            LocalReply(self._reply(new.tolist(), limit), self._letters(scores))
            for new, limit, scores in zip(
                out.sequences[:, ids.shape[1] :], most, first, strict=True
            )
        ]

    def _reply(self, tokens: list[int], limit: int) -> Reply:
        """Of tokens that may have gone on for a longer neighbour in the batch."""
        end = self._tokenizer.eos_token_id
        stop = tokens.index(end) if end in tokens else len(tokens)
        reply_tokens = tokens[: min(stop, limit)]
        reason = "stop" if stop <= limit and stop < len(tokens) else "length"
        return Reply(
            self._tokenizer.decode(reply_tokens, skip_special_tokens=True), finish_reason=reason
        )

    def _letters(self, scores: Any) -> dict[str, float]:
        top = scores.topk(LETTER_TOKENS)
        top_tokens = zip(top.indices.tolist(), top.values.tolist(), strict=True)
        spelled = ((self._tokenizer.decode([token]), score) for token, score in top_tokens)
        return {text: score for text, score in spelled if text.strip() in set("ABCD")}

    def _pad(self, rows: Sequence[list[int]], *, left: bool) -> tuple[Any, Any]:
        width = max(map(len, rows))
        blank = self._tokenizer.pad_token_id
        ids, mask = [], []
        for row in rows:
            gap, ones = [blank] * (width - len(row)), [1] * len(row)
            zeros = [0] * len(gap)
            ids.append(gap + row if left else row + gap)
            mask.append(zeros + ones if left else ones + zeros)
        return self._torch.tensor(ids), self._torch.tensor(mask)


def weights_by_dose(work: Path, doses: Sequence[int]) -> dict[int, Path]:
    """Where the weights of each dose are, or will be."""
    return {dose: work / f"dose-{dose}.gguf" if dose else find_weights() for dose in doses}


def expose(
    work: Path,
    texts: Sequence[str],
    doses: Sequence[int],
    *,
    seed: int = 0,
    threads: int = 1,
    begin: Path | None = None,
) -> dict[int, Path]:
    """The embedded model, or the one at ``begin``, after each of ``doses`` exposures to ``texts``,
    as .gguf files by dose: trained once, and kept in the folder ``work`` with the loss of each
    exposure (``LOSSES``)."""
    paths = weights_by_dose(work, doses)
    done = work / LOSSES
    if done.is_file():
        return paths
    work.mkdir(parents=True, exist_ok=True)
    losses = {}

    def after(exposure: int, loss: float) -> None:
        losses[exposure] = round(loss, 4)
        print(f"{work.name}, exposure {exposure}: loss {loss:.2f}", flush=True)
        if exposure in paths:
            model.save(paths[exposure])

    model = LocalModel(begin or find_weights(), threads=threads)
    model.train(texts, max(doses), after, seed=seed)
    done.write_text(json.dumps({"loss_by_exposure": losses}), "utf-8")
    return paths


def _load(package: str) -> Any:
    return importlib.import_module(package)
