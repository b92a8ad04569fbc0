"""Prompts that a server cut without a word, as Ollama does with what is longer than ``num_ctx``.

The model then answers a question that it has not seen whole. The number of prompt tokens that the
server reports tells: no tokenizer puts a long text into so few.
"""

from __future__ import annotations

import re

LARGER_CONTEXT = "give the model a larger context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH)"

# A token seldom reaches beyond a word. In scripts without spaces even the largest vocabularies
# stay under three characters a token.
_WORDS_A_TOKEN = 2
_LETTERS_A_TOKEN = 4
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# No context is smaller: such a count is no count of the prompt's tokens.
SMALLEST_CONTEXT = 64
# Fewer missing tokens may have been cached, which some servers leave out of the count.
_FEWEST_MISSING = 200


def count_cut(prompt: str, reported: int | None) -> int | None:
    """The fewest tokens that a prompt must have, if the ``reported`` number shows that it was cut;
    None where it does not, or nothing is reported."""
    if reported is None or reported < SMALLEST_CONTEXT:
        return None
    if len(prompt) < _LETTERS_A_TOKEN * reported:  # nearly always: spares counting words
        return None
    unspaced = len(_NO_SPACES.findall(prompt))
    words = len(_NO_SPACES.sub("", prompt).split()) if unspaced else len(prompt.split())
    fewest = words // _WORDS_A_TOKEN + unspaced // _LETTERS_A_TOKEN
    return fewest if fewest - reported >= _FEWEST_MISSING else None
