"""The published requests for rewordings, each with its version and its settings.

Verbatim, like the quiz's own prompts: protocol v1 as printed in the paper's Figure 4, protocol v2
as sent by the authors' release (github.com/shahriargolchin/DCQ, Apache-2.0). The request for
paraphrases is dcq's own.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from dcq.asking.prompt import Prompt, fill
from dcq.errors import InputError

_NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}

_FIGURE_4 = (
    "Instruction: Your task is to create a {count}-choice quiz by only replacing the words in "
    "the provided text with their synonyms. The meaning and sentence structure of the {count} "
    "new options must exactly mirror every detail in the text. You must not include the "
    "provided text as an option. You must make sure that:\n\n"
    "(1) You generate {count} distinct options based on the provided text;\n"
    "(2) Options are ordered;\n"
    "(3) There is not any extra explanation; and\n"
    "(4) You comply with every specific symbol and letter detail in the given text."
    "\n\n—\n\nText:\n\n{text}\n\n—"
)

PERTURB_V1 = Prompt(
    name="perturb",
    version="v1",
    wording=_FIGURE_4.replace("{count}", "three"),
    temperature=1.0,
    max_tokens=4000,
)

# The paper needs one more rewording for its ablation, and a reply may lack some; it prints no
# request for either. This one is ours: Figure 4 with another number.
PERTURB_V1_OWN = replace(PERTURB_V1, version="v1-own", wording=_FIGURE_4)

PERTURB_V2 = Prompt(
    name="perturb",
    version="v2",
    wording=(
        "Your task is to create a four-choice quiz by replacing the words in the provided INPUT "
        "TEXT with their contextually relevant synonyms.\n"
        "The meaning and sentence structure of the four options MUST EXACTLY match every detail "
        "in the INPUT TEXT.\n"
        "You MUST NOT include the provided INPUT TEXT as an option.\n\n"
        "You MUST make sure that:\n"
        "(1) You generate DISTINCT options based on the provided INPUT TEXT;\n"
        "(2) The ONLY difference between options is WORD-LEVEL PERTURBATIONS.\n"
        "(3) Options are ORDERED;\n"
        "(4) There is NOT any extra explanation;\n"
        "(5) You follow the following FORMAT to generate options;\n"
        "(6) You comply with every specific symbol and letter detail in the given INPUT TEXT; and\n"
        "(7) All options retain the EXACT LABEL from the INPUT TEXT, if there is one.\n"
        "---\nINPUT TEXT:\n{original_instance}\n---\nFORMAT:\n\n"
        "A)\nFirst word-level perturbation goes here\n\n"
        "B)\nSecond word-level perturbation goes here\n\n"
        "C)\nThird word-level perturbation goes here\n\n"
        "D)\nFourth word-level perturbation goes here\n---\n"
    ),
    temperature=1.0,
    max_tokens=4000,
)

# Ours: no paper prints a request for it. For studies of what kind of perturbation a quiz needs.
PARAPHRASE = Prompt(
    name="paraphrase",
    version="v1-own",
    wording=(
        "Instruction: Your task is to create a {count}-choice quiz by paraphrasing the provided "
        "text. The {count} new options must say the same as the text in another sentence structure "
        "and in other words. You must not include the provided text as an option. You "
        "must make sure that:\n\n"
        "(1) You generate {count} distinct options based on the provided text;\n"
        "(2) Options are ordered;\n"
        "(3) There is not any extra explanation; and\n"
        "(4) Names, numbers, symbols and the label, if there is one, stay as they are."
        "\n\n—\n\nText:\n\n{text}\n\n—"
    ),
    temperature=1.0,
    max_tokens=4000,
)

PROMPTS = {prompt.id: prompt for prompt in (PERTURB_V1, PERTURB_V1_OWN, PERTURB_V2, PARAPHRASE)}

INSTRUCTED = "+instruction"  # ends the name of a prompt to which a person's instruction was added
MOST_INSTRUCTION = 500  # characters

_ASKS_FOR = {PERTURB_V1.id: 3, PERTURB_V2.id: 4}  # those of our own ask for any number


class Protocol(StrEnum):
    """How a model is asked: v1 is the paper's protocol, v2 that of the authors' release; paraphrase
    is dcq's own, for studies."""

    V1 = "v1"
    V2 = "v2"
    PARAPHRASE = "paraphrase"


def choose_rewording(protocol: Protocol, missing: int) -> tuple[Prompt, int]:
    """The prompt for ``missing`` rewordings, and how many it asks for: the figure's three, then
    the missing ones with our own wording; always the release's four; or up to four paraphrases."""
    if protocol is Protocol.PARAPHRASE:
        return PARAPHRASE, min(missing, _ASKS_FOR[PERTURB_V2.id])
    if protocol is Protocol.V2:
        return PERTURB_V2, _ASKS_FOR[PERTURB_V2.id]
    three = _ASKS_FOR[PERTURB_V1.id]
    return (PERTURB_V1, three) if missing >= three else (PERTURB_V1_OWN, missing)


def count_requests(protocol: Protocol, count: int) -> int:
    """How many requests ``count`` rewordings take if nothing goes wrong."""
    number = 0
    while count > 0:
        count -= choose_rewording(protocol, count)[1]
        number += 1
    return number


def perturbation_prompt(prompt: Prompt, text: str, count: int, instruction: str = "") -> str:
    """The request for ``count`` rewordings of ``text``. Raises InputError for a number that a
    published prompt does not ask for."""
    fixed = _ASKS_FOR.get(prompt.id, count)
    if count != fixed:
        raise InputError(f"The prompt {prompt.id} asks for {fixed} rewordings, not {count}.")
    wording = prompt.wording
    if count == 1:  # the figure's sentences, with their number agreeing
        wording = wording.replace("new options must", "new option must")
        wording = wording.replace("distinct options", "distinct option")
    values = {"{count}": _NUMBER_WORDS[count], "{text}": text, "{original_instance}": text}
    return instruct(fill(wording, values), instruction)


def instruct(wording: str, instruction: str) -> str:
    """A request with a person's instruction at its end. That is ours: no published request has one,
    and the name of the prompt then ends in ``INSTRUCTED``."""
    return f"{wording}\n\nAdditional instruction:\n\n{instruction}" if instruction else wording


def read_instruction(typed: str) -> str:
    """An instruction as typed, without spaces around it. Raises InputError for a long one."""
    instruction = typed.strip()
    if len(instruction) > MOST_INSTRUCTION:
        raise InputError(f"An instruction has at most {MOST_INSTRUCTION} characters; shorten it.")
    return instruction
