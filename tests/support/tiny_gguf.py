"""Tiny language models with random weights as GGUF files, and what they compute written plainly:
one position, one head, one number after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

WIDTH, HEADS, SHARED, INNER, LAYERS, WINDOW = 64, 4, 2, 96, 2, 128
SIZE = WIDTH // HEADS
EPSILON, BASE = 1e-5, 10_000.0
SEEN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
HIDDEN = [byte for byte in range(0x100) if byte not in SEEN]
LETTERS = {b: chr(b) for b in SEEN} | {b: chr(0x100 + n) for n, b in enumerate(HIDDEN)}
MERGES = ("t h", "th e", "Ġ the")
TOKENS = ("<s>", "</s>", *(LETTERS[byte] for byte in range(0x100)), "th", "the", "Ġthe")

Weights = dict[str, npt.NDArray[np.float32]]


def random_weights(seed: int = 0) -> Weights:
    draw = np.random.default_rng(seed)
    shapes = {"token_embd": (len(TOKENS), WIDTH), "output": (len(TOKENS), WIDTH)}
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.{name}": shape
            for name, shape in {
                "attn_q": (WIDTH, WIDTH),
                "attn_k": (SHARED * SIZE, WIDTH),
                "attn_v": (SHARED * SIZE, WIDTH),
                "attn_output": (WIDTH, WIDTH),
                "ffn_gate": (INNER, WIDTH),
                "ffn_up": (INNER, WIDTH),
                "ffn_down": (WIDTH, INNER),
            }.items()
        }
    weights = {name: draw.normal(0, 0.3, shape) for name, shape in shapes.items()}
    for name in ["output_norm", *(f"blk.{n}.{x}_norm" for n in range(LAYERS) for x in NORMS)]:
        weights[name] = draw.normal(1, 0.2, WIDTH)
    return {name: values.astype(np.float32) for name, values in weights.items()}


NORMS = ("attn", "ffn")


def write(
    path: Path,
    weights: Weights,
    *,
    kind: str = "llama",
    quantised: gguf.GGMLQuantizationType | None = None,
    logit_scale: float | None = None,
    tied: bool = False,
) -> Path:
    """A model file; ``quantised`` is how its matrices are kept; ``tied``: the embeddings are its
    output matrix too."""
    out = _begin(path, kind)
    if logit_scale is not None:
        out.add_logit_scale(logit_scale)
    for name, values in weights.items():
        if tied and name == "output":
            continue
        if quantised is None or values.ndim == 1:
            out.add_tensor(f"{name}.weight", values)
        else:
            packed = gguf.quantize(values, quantised)
            out.add_tensor(f"{name}.weight", packed, raw_dtype=quantised)
    return _end(out, path)


def write_gemma(path: Path, cap: float) -> Path:
    """A Gemma 2, which has a ``cap`` on its logits and more norms."""
    out = _begin(path, "gemma2")
    out.add_key_length(SIZE)
    out.add_value_length(SIZE)
    out.add_sliding_window(WINDOW)
    out.add_attn_logit_softcapping(50.0)
    out.add_final_logit_softcapping(cap)
    weights = random_weights()
    del weights["output"]
    for layer in range(LAYERS):
        for name in ("post_attention_norm", "post_ffw_norm"):
            weights[f"blk.{layer}.{name}"] = weights["output_norm"]
    for name, values in weights.items():
        out.add_tensor(f"{name}.weight", values)
    return _end(out, path)


def _begin(path: Path, kind: str) -> gguf.GGUFWriter:
    out = gguf.GGUFWriter(path, kind)
    out.add_context_length(WINDOW)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(SHARED)
    out.add_layer_norm_rms_eps(EPSILON)
    out.add_rope_freq_base(BASE)
    out.add_rope_dimension_count(SIZE)
    out.add_vocab_size(len(TOKENS))
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("smollm")
    out.add_token_list(list(TOKENS))
    out.add_token_types([3, 3] + [1] * (len(TOKENS) - 2))
    out.add_token_merges(list(MERGES))
    out.add_bos_token_id(0)
    out.add_eos_token_id(1)
    return out


def _end(out: gguf.GGUFWriter, path: Path) -> Path:
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return path


def log_distributions(weights: Weights, ids: Sequence[int]) -> npt.NDArray[np.float64]:
    """Log-probabilities of each next token, positions × vocabulary, in 64-bit floats."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    states = [w["token_embd"][token] for token in ids]
    for n in range(LAYERS):
        normed = [_norm(x, w[f"blk.{n}.attn_norm"]) for x in states]
        queries = [_heads(w[f"blk.{n}.attn_q"] @ x, HEADS, at) for at, x in enumerate(normed)]
        keys = [_heads(w[f"blk.{n}.attn_k"] @ x, SHARED, at) for at, x in enumerate(normed)]
        values = [(w[f"blk.{n}.attn_v"] @ x).reshape(SHARED, SIZE) for x in normed]
        for at in range(len(ids)):
            taken = []
            for head in range(HEADS):
                shared = head // (HEADS // SHARED)
                scores = [queries[at][head] @ keys[to][shared] / SIZE**0.5 for to in range(at + 1)]
                parts = np.exp(np.array(scores) - max(scores))
                parts /= parts.sum()
                taken.append(sum(part * values[to][shared] for to, part in enumerate(parts)))
            states[at] = states[at] + w[f"blk.{n}.attn_output"] @ np.concatenate(taken)
        for at, x in enumerate(states):
            y = _norm(x, w[f"blk.{n}.ffn_norm"])
            gate = w[f"blk.{n}.ffn_gate"] @ y
            inner = gate / (1 + np.exp(-gate)) * (w[f"blk.{n}.ffn_up"] @ y)
            states[at] = x + w[f"blk.{n}.ffn_down"] @ inner
    logits = [w["output"] @ _norm(x, w["output_norm"]) for x in states]
    return np.array([x - x.max() - np.log(np.exp(x - x.max()).sum()) for x in logits])


def _norm(x: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(x / np.sqrt((x**2).mean() + EPSILON) * weight)


def _heads(x: npt.NDArray[np.float64], heads: int, place: int) -> npt.NDArray[np.float64]:
    """Each head's numbers, of which pairs (2i, 2i + 1) are turned by the place."""
    turned = np.empty((heads, SIZE))
    for head, part in enumerate(x.reshape(heads, SIZE)):
        for pair in range(SIZE // 2):
            angle = place * BASE ** (-2 * pair / SIZE)
            both = (part[2 * pair] + 1j * part[2 * pair + 1]) * np.exp(1j * angle)
            turned[head, 2 * pair], turned[head, 2 * pair + 1] = both.real, both.imag
    return turned
