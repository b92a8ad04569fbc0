"""Any GGUF file that llama.cpp runs: its server gives each token's last state, and the product of
that with the file's output matrix is the distribution over the whole vocabulary.

llama.cpp's kernels compute with 8-bit activations where weights are quantised, so that log-
probabilities differ by some hundredths from those of the same weights in floating point.

A text has to fit into one micro-batch of the server, whose buffers grow with it; so the server
begins with a small one and is started again for a longer text.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import xllamacpp

from dcq.errors import EndpointRefusedError
from dcq.models.completion import read_name, read_number
from dcq.models.scorers.distribution import Distribution, summarise
from dcq.models.scorers.engine import Coded
from dcq.models.scorers.gguf_file import Floats, GgufFile

MOST_TOKENS = 4096  # of a text: with 4,096 numbers a state, its states are 700 MB of JSON
_FIRST_TOKENS = 512
_HELD = 2**27  # numbers of an output matrix that are kept; of a larger one, slices are read anew
_SLICE = 4096  # tokens of the vocabulary whose logits are computed together
# Of the log-probability of a likely token. Quantised kernels are off by less than 0.1.
_MOST_OFF = 0.3
_LIKELY = 10
_CHECKED = "The capital of France is"
_VOCABULARY = "tokenizer.ggml.tokens"


class LlamaCpp:
    """The model of the file at ``path``; see ``Engine``.

    Raises ``EndpointRefusedError`` where llama.cpp cannot load it, or where its own log-
    probabilities show that its last layer is not understood here.
    """

    def __init__(self, path: Path) -> None:
        self._file = file = GgufFile(path)
        self._path = path
        self._kind = file.text("general.architecture")
        self.window = min(file.count(f"{self._kind}.context_length"), MOST_TOKENS)
        self._cap = file.number(f"{self._kind}.final_logit_softcapping", 0.0)
        self._factor = 1.0
        self._matrix = "output.weight" if "output.weight" in file.tensors else "token_embd.weight"
        if self._matrix not in file.tensors:
            raise file.refusal("it has no output matrix")
        shape = file.tensors[self._matrix]
        self._held = None
        if shape.rows * shape.columns <= _HELD:
            self._held = file.weights(self._matrix, (shape.rows, shape.columns))
        self._bias: Floats | None = None
        if "output.bias" in file.tensors:
            self._bias = file.weights("output.bias", (shape.rows,))
        first = "tokenizer.ggml.bos_token_id"
        start = file.count(first) if file.has(first) else None
        if start is not None and start >= min(shape.rows, len(file.texts(_VOCABULARY))):
            raise file.refusal("its first token is not in its vocabulary")
        self.start: tuple[int, ...] = () if start is None else (start,)
        self._tokens = 0
        self._server: Any = None
        self._serve(min(_FIRST_TOKENS, self.window))
        off = self._check()
        self.settings: Mapping[str, object] = {
            "beginning_token": None if start is None else file.texts(_VOCABULARY)[start],
            "computed_by": "llama.cpp",
            "off": round(off, 4),
        }

    def encode(self, text: str) -> list[tuple[int, bytes]]:
        """See ``Engine``."""
        asked = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
        return [
            (
                int(token["id"]),
                piece.encode() if isinstance(piece := token["piece"], str) else bytes(piece),
            )
            for token in self._post("/tokenize", asked)["tokens"]
        ]

    def distributions(self, coded: Sequence[Coded]) -> list[Distribution]:
        """See ``Engine``. All texts are computed together, because each slice of a large vocabulary
        is read from the file."""
        states = np.concatenate(
            [self._states(coded_text.ids[:-1])[coded_text.first - 1 :] for coded_text in coded],
            dtype=np.float32,
        )
        targets = np.concatenate(
            [coded_text.ids[coded_text.first :] for coded_text in coded]
        ).astype(np.int64)
        ends = np.cumsum([len(coded_text.ids) - coded_text.first for coded_text in coded])[:-1]
        return summarise(self._logits(states), targets).split(ends)

    def _logits(self, states: Floats) -> Iterator[Floats]:
        begin = 0
        for weights in self._slices():
            logits = states @ weights.T * np.float32(self._factor)
            if self._bias is not None:
                logits += self._bias[begin : begin + len(weights)]
            if self._cap:
                logits = np.float32(self._cap) * np.tanh(logits / np.float32(self._cap))
            begin += len(weights)
            yield logits

    def _slices(self) -> Iterator[Floats]:
        if self._held is None:
            yield from self._file.slices(self._matrix, _SLICE)
        else:
            for at in range(0, len(self._held), _SLICE):
                yield self._held[at : at + _SLICE]

    def _states(self, ids: Sequence[int]) -> Floats:
        """The last state of each token, normed."""
        if len(ids) > self._tokens:
            self._serve(min(self.window, max(len(ids), 2 * self._tokens)))
        states = np.array(self._post("/embeddings", {"content": ids})[0]["embedding"], np.float32)
        if states.shape != (len(ids), self._file.tensors[self._matrix].columns):
            raise self._file.refusal("its last states do not fit its output matrix")
        return states

    def _serve(self, tokens: int) -> None:
        """Start a server whose micro-batch has so many ``tokens``, instead of the one before."""
        self._server = None
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.hostnames = ["127.0.0.1"]
        params.port = 0  # the system chooses a free one
        params.n_parallel = 1
        params.n_ctx = params.n_batch = params.n_ubatch = tokens
        params.cache_prompt = params.warmup = False
        params.cache_ram_mib = params.verbosity = 0
        params.embedding = True
        params.embd_normalize = -1  # as they are
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_NONE
        for threads in (params.cpuparams, params.cpuparams_batch):
            threads.n_threads, threads.poll = 1, 0  # see dcq.models.embedded_child
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            kind = read_name(self._kind) or "unnamed"
            raise self._file.refusal(f"llama.cpp cannot load it (architecture {kind})") from error
        self._address = self._server.listening_address.rpartition("/")[2]
        self._tokens = tokens

    def _post(self, path: str, body: object) -> Any:
        """What the server says. Not urllib, which would ask a proxy of the environment."""
        with closing(http.client.HTTPConnection(self._address)) as connection:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            reply = response.read()
        if response.status != 200:
            raise self._file.refusal(f"llama.cpp does not compute it (status {response.status})")
        return json.loads(reply)

    def _check(self) -> float:
        """How far likely tokens' log-probabilities are from the server's own; choose the factor of
        the logits by it: of those that have a scale, Granite divides and Cohere multiplies."""
        ids = [*self.start, *(token for token, _ in self.encode(_CHECKED))]
        asked = {"prompt": ids, "n_predict": 1, "n_probs": _LIKELY, "temperature": 0.0}
        candidates = self._post("/completion", asked)["completion_probabilities"][0]["top_logprobs"]
        server_logprobs = {
            int(candidate["id"]): read_number(candidate["logprob"]) for candidate in candidates
        }
        state = self._states(ids)[-1:]
        scale = self._file.number(f"{self._kind}.logit_scale", 1.0) or 1.0
        offs = {}
        for factor in {1 / scale, scale}:
            self._factor = factor
            distribution = summarise(
                (np.repeat(part, len(server_logprobs), axis=0) for part in self._logits(state)),
                np.array(list(server_logprobs)),
            )
            offs[factor] = max(
                abs(logprob - (np.inf if server_logprob is None else server_logprob))
                for logprob, server_logprob in zip(
                    distribution.logprob, server_logprobs.values(), strict=True
                )
            )
        self._factor = min(offs, key=lambda factor: offs[factor])
        off = float(offs[self._factor])
        if off > _MOST_OFF:
            raise EndpointRefusedError(
                f"{self._path.name} cannot be scored: log-probabilities computed from its last"
                f" layer are {off:.1f} off those of llama.cpp; serve it with vLLM instead and name"
                " it as likelihood:vllm:NAME."
            )
        return off
