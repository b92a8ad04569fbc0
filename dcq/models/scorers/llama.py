"""A Llama read from a GGUF file and computed by numpy alone: the embedded model's likelihoods.

Weights are held as 32-bit floats (540 MB for 135 million of them). Of a batch, keys and values of
all its tokens are held, and the rest of a piece at a time: ``TOKENS_AT_ONCE`` bounds the batch,
``_PIECE`` and ``_SCORES`` bound a piece. With the embedded model that is at most some 250 MB beside
the weights, and another 380 MB for a text that fills its window of 8,192 tokens. What stands before
several texts is read once and kept for the next ones: ReCaLL puts the same before all of a sample,
CoDeC before all wordings of an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, pre_tokenizers

from dcq.models.scorers.distribution import Distribution, summarise
from dcq.models.scorers.engine import Coded
from dcq.models.scorers.gguf_file import Floats, GgufFile

TOKENS_AT_ONCE = 1024  # of a batch with its padding; a single text may be longer
_PIECE = 512  # tokens whose layers are computed together
_SCORES = 2**24  # attention scores (heads × tokens × tokens read) that are held at once
_SLICE = 4096  # tokens of the vocabulary whose logits are computed together
_CONTEXTS = 2  # that are kept: one for a sample, one for an instance


@dataclass(frozen=True, eq=False)
class _Layer:
    attention_norm: Floats
    queries_keys_values: Floats
    output: Floats
    feed_forward_norm: Floats
    gate_up: Floats
    down: Floats


class Llama:
    """The model of the file at ``path``; see ``Engine``.

    Raises ``EndpointRefusedError`` where the file is not one that is understood here.
    """

    def __init__(self, path: Path) -> None:
        file = GgufFile(path)
        if file.text("general.architecture") != "llama":
            raise file.refusal("it is not a Llama")
        self.window = file.count("llama.context_length")
        self._heads = file.count("llama.attention.head_count")
        self._kv_heads = file.count("llama.attention.head_count_kv", self._heads)
        self._epsilon = np.float32(file.number("llama.attention.layer_norm_rms_epsilon"))
        self._base = file.number("llama.rope.freq_base", 10_000.0)
        width = file.count("llama.embedding_length")
        if not self._heads or not self._kv_heads or self._heads % self._kv_heads:
            raise file.refusal("its numbers of heads do not fit each other")
        self._size = width // self._heads
        if self._size * self._heads != width or self._size % 2:
            raise file.refusal("its width does not fit its heads")
        if file.count("llama.rope.dimension_count", self._size) != self._size:
            raise file.refusal("it turns a part of each head only")
        if file.has("llama.rope.scaling.type") or "rope_freqs.weight" in file.tensors:
            raise file.refusal("it stretches its positions")
        self._vocabulary = _Vocabulary(file)
        self._embeddings = file.weights("token_embd.weight", (len(self._vocabulary.tokens), width))
        self._output = (
            file.weights("output.weight", self._embeddings.shape)
            if "output.weight" in file.tensors
            else self._embeddings
        )
        self._norm = file.weights("output_norm.weight", (width,))
        inner = file.count("llama.feed_forward_length")
        count = file.count("llama.block_count")
        if count > len(file.tensors):
            raise file.refusal("it has fewer layers than it says")
        self._layers = [self._read_layer(file, f"blk.{n}", width, inner) for n in range(count)]
        start = file.count(_START) if file.has(_START) else None
        if start is not None and start >= len(self._vocabulary.tokens):
            raise file.refusal("its first token is not in its vocabulary")
        self.start: tuple[int, ...] = () if start is None else (start,)
        self.settings: Mapping[str, object] = {
            "dtype": "float32",
            "beginning_token": None if start is None else self._vocabulary.tokens[start],
            "computed_by": "numpy",
        }
        self._read = lru_cache(_CONTEXTS)(self._read_anew)

    def encode(self, text: str) -> list[tuple[int, bytes]]:
        """See ``Engine``."""
        return self._vocabulary.encode(text)

    def distributions(self, coded: Sequence[Coded]) -> list[Distribution]:
        """See ``Engine``. Texts behind the same context go together, and of these such of like
        lengths, so that little padding is computed."""
        before = [coded_text.ids[: coded_text.first - 1] for coded_text in coded]
        order = sorted(range(len(coded)), key=lambda place: (before[place], len(coded[place].ids)))
        computed: dict[int, Distribution] = {}
        batch: list[int] = []
        for place in order:
            full = (len(batch) + 1) * len(coded[place].ids) > TOKENS_AT_ONCE
            if batch and (full or before[place] != before[batch[0]]):
                computed.update(zip(batch, self._compute([coded[n] for n in batch]), strict=True))
                batch = []
            batch.append(place)
        if batch:
            computed.update(zip(batch, self._compute([coded[n] for n in batch]), strict=True))
        return [computed[place] for place in range(len(coded))]

    def _compute(self, coded: Sequence[Coded]) -> list[Distribution]:
        """One batch behind one context, padded at the end: a later token never affects an earlier
        one."""
        longest = max(len(coded_text.ids) for coded_text in coded) - 1
        ids = np.zeros((len(coded), longest), np.int64)
        for row, coded_text in zip(ids, coded, strict=True):
            row[: len(coded_text.ids) - 1] = coded_text.ids[:-1]
        first = coded[0].first - 1
        cache = self._room(len(coded), longest)
        if first:
            cache[..., :first, :] = self._read(coded[0].ids[:first])
        parts: list[list[Distribution]] = [[] for _ in coded]
        for begin, states in self._states(ids, cache, first):
            end = begin + states.shape[1]
            spans = [
                (
                    max(coded_text.first - 1, begin),
                    max(coded_text.first - 1, begin, min(len(coded_text.ids) - 1, end)),
                )
                for coded_text in coded
            ]
            scored = np.concatenate(
                [row[a - begin : b - begin] for row, (a, b) in zip(states, spans, strict=True)]
            )
            if not len(scored):
                continue
            targets = np.concatenate(
                [
                    coded_text.ids[a + 1 : b + 1]
                    for coded_text, (a, b) in zip(coded, spans, strict=True)
                ]
            ).astype(np.int64)
            slices = (
                scored @ self._output[at : at + _SLICE].T
                for at in range(0, len(self._output), _SLICE)
            )
            ends = np.cumsum([b - a for a, b in spans])[:-1]
            for part, got in zip(parts, summarise(slices, targets).split(ends), strict=True):
                part.append(got)
        return [Distribution.join(part) for part in parts]

    def _room(self, count: int, longest: int) -> Floats:
        """Where keys and values are kept."""
        shape = (len(self._layers), 2, count, self._kv_heads, longest, self._size)
        return np.empty(shape, np.float32)

    def _read_anew(self, ids: tuple[int, ...]) -> Floats:
        """Keys and values of what stands before texts."""
        cache = self._room(1, len(ids))
        for _ in self._states(np.array([ids], np.int64), cache, 0):
            pass
        return cache

    def _states(
        self, ids: npt.NDArray[np.int64], cache: Floats, first: int
    ) -> Iterator[tuple[int, Floats]]:
        """The last layer's states from the ``first`` position on, normed, a piece after the other:
        where it begins, and texts × positions × width. Keys and values are ``cache``; those before
        the ``first`` are there."""
        count, longest = ids.shape
        piece = max(1, min(_PIECE, _SCORES // (self._heads * max(1, longest))) // count)
        for begin in range(first, longest, piece):
            x = self._embeddings[ids[:, begin : begin + piece]]
            for layer, keys_values in zip(self._layers, cache, strict=True):
                x = x + self._attend(
                    layer, self._normed(x, layer.attention_norm), keys_values, begin
                )
                x = x + _feed_forward(layer, self._normed(x, layer.feed_forward_norm))
            yield begin, self._normed(x, self._norm)

    def _attend(self, layer: _Layer, x: Floats, keys_values: Floats, begin: int) -> Floats:
        """What each position takes from those before it, whose keys and values are kept."""
        count, length, width = x.shape
        end = begin + length
        heads, shared = self._heads, self._kv_heads
        parts = (x.reshape(-1, width) @ layer.queries_keys_values.T).reshape(
            count, length, heads + 2 * shared, self._size
        )
        turned = self._turn(parts[:, :, : heads + shared], begin)
        keys, values = keys_values
        keys[:, :, begin:end] = turned[:, :, heads:].transpose(0, 2, 1, 3)
        values[:, :, begin:end] = parts[:, :, heads + shared :].transpose(0, 2, 1, 3)
        # The heads that share keys and values, one below the other.
        queries = turned[:, :, :heads].transpose(0, 2, 1, 3)
        queries = queries.reshape(count, shared, -1, self._size)
        scores = queries @ keys[:, :, :end].swapaxes(2, 3)
        scores *= np.float32(self._size**-0.5)
        scores = scores.reshape(count, heads, length, end)
        later = np.triu(np.ones((length, length), bool), 1)
        scores[..., begin:][..., later] = -np.inf
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        weighted_values = scores.reshape(count, shared, -1, end) @ values[:, :, :end]
        weighted_values = weighted_values.reshape(count, heads, length, self._size).transpose(
            0, 2, 1, 3
        )
        added: Floats = (weighted_values.reshape(-1, width) @ layer.output.T).reshape(x.shape)
        return added

    def _turn(self, x: Floats, begin: int) -> Floats:
        """Rotary positions. A GGUF file has Llama's rows in pairs (2i, 2i + 1); that the halves
        come out one after the other is the same for queries and keys, and changes no product."""
        places = np.arange(begin, begin + x.shape[1])[:, None]
        angles = places * self._base ** (-np.arange(0, self._size, 2) / self._size)
        cos, sin = (part(angles).astype(np.float32)[:, None] for part in (np.cos, np.sin))
        even, odd = x[..., ::2], x[..., 1::2]
        return np.concatenate([even * cos - odd * sin, even * sin + odd * cos], axis=-1)

    def _normed(self, x: Floats, weights: Floats) -> Floats:
        square = np.einsum("btw,btw->bt", x, x)[..., None] / np.float32(x.shape[-1])
        normed: Floats = x / np.sqrt(square + self._epsilon) * weights
        return normed

    def _read_layer(self, file: GgufFile, name: str, width: int, inner: int) -> _Layer:
        shared = self._kv_heads * self._size

        def read(part: str, *shape: int) -> Floats:
            return file.weights(f"{name}.{part}.weight", shape)

        return _Layer(
            attention_norm=read("attn_norm", width),
            queries_keys_values=np.concatenate(
                [
                    read("attn_q", width, width),
                    read("attn_k", shared, width),
                    read("attn_v", shared, width),
                ]
            ),
            output=read("attn_output", width, width),
            feed_forward_norm=read("ffn_norm", width),
            gate_up=np.concatenate([read("ffn_gate", inner, width), read("ffn_up", inner, width)]),
            down=read("ffn_down", width, inner),
        )


def _feed_forward(layer: _Layer, x: Floats) -> Floats:
    gate, up = np.split(x.reshape(-1, x.shape[-1]) @ layer.gate_up.T, 2, axis=1)
    with np.errstate(over="ignore"):  # of exp, where the quotient is 0
        gate = gate / (1 + np.exp(-gate))
    added: Floats = ((gate * up) @ layer.down.T).reshape(x.shape)
    return added


_START = "tokenizer.ggml.bos_token_id"


class _Vocabulary:
    """The byte-level tokenizer of SmolLM: digits one by one, then GPT-2's words."""

    def __init__(self, file: GgufFile) -> None:
        kind = (file.text("tokenizer.ggml.model"), file.text("tokenizer.ggml.pre"))
        if kind != ("gpt2", "smollm"):
            raise file.refusal("its tokenizer is not SmolLM's")
        self.tokens = file.texts("tokenizer.ggml.tokens")
        pairs = (pair.partition(" ") for pair in file.texts("tokenizer.ggml.merges"))
        merges = [(left, right) for left, _, right in pairs]
        numbers = {token: number for number, token in enumerate(self.tokens)}
        try:
            # Special tokens are not declared, so that written out in a text they are text.
            self._tokenizer = Tokenizer(models.BPE(vocab=numbers, merges=merges))
        except Exception as error:  # the library raises nothing more narrow
            raise file.refusal("its tokenizer cannot be built") from error
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )
        self._bytes = _bytes_of_letters()

    def encode(self, text: str) -> list[tuple[int, bytes]]:
        coded = self._tokenizer.encode(text, add_special_tokens=False)
        return [
            (number, bytes(map(self._bytes.__getitem__, token)))
            for number, token in zip(coded.ids, coded.tokens, strict=True)
        ]


def _bytes_of_letters() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for (GPT-2's table): itself where
    it can be seen, else one from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(0x100) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(0x100 + n): b for n, b in enumerate(hidden)}
