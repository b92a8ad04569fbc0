"""What of a model's content is its reply, and what is thinking, a mark or a wrapper around it.

Servers without a parser leave the model's thoughts in the content, each family of models in marks
of its own, and some leave marks of the chat template at its ends. ``read_content`` takes them off,
before any method reads the reply. What stands in the middle of a reply stays, and so does what the
text asked about has itself: a benchmark may hold ``<think>`` or ``</s>``.

Content may have millions of arbitrary characters. Every step takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

# Kept with each run whose replies it read. Version 1 left thoughts and marks in the reply; 2 took a
# letter for chosen that a sentence only named or rejected; 3 lost an answer below the options.
READER = 4

# Names of tags around a thought, such as <think>, <seed:think>, [THINK], ◁think▷, <mm:think>.
_NAME = (
    r"(?:\w{1,20}[:_])?(?:think(?:ing)?|thoughts?|thought_process|reasoning(?:_content)?|reflection"
    r"|scratchpad|analysis|inner_monologue|cot|antthinking)(?:_fast(?:er)?|_on)?"
)
_OPENING = (
    rf"<{_NAME}(?:\s[^<>\n]{{0,80}})?>|\[(?:think(?:ing)?|reasoning)\]|◁think▷"
    rf"|<\|(?!end_)(?:begin_of_|start_of_|start_)?{_NAME}(?:_start)?\|>|<\|(?:begin|start)▁of▁thinking\|>"
    r"|<details[^<>\n]{0,80}reasoning[^<>\n]{0,80}>|<\|inner_prefix\|>|<unused94>(?:thought)?"
    r"|<\|channel>(?:thought|analysis)|here(?:'s| is) my thought process:"
)
# All begin with a sign, without which a search takes five times as long.
_CLOSING = (
    rf"<(?:/{_NAME}>|\|(?:(?:end_of_|end_|/){_NAME}\|>|{_NAME}_end\|>|end▁of▁thinking\|>"
    r"|inner_suffix\|>)|unused95>|channel\|>)|\[/(?:think(?:ing)?|reasoning)\]|◁/think▷"
)
_CLOSING_WORDS = r"here(?:'s| is) my response:"
_OPENS = re.compile(rf"\s*+(?:{_OPENING})", re.IGNORECASE)
# After <details type="reasoning"> the tag closes that otherwise closes anything.
_DETAILS = re.compile(r"\s*+<details", re.IGNORECASE)
_CLOSED_DETAILS = re.compile(r"</details>", re.IGNORECASE)
_CLOSES = re.compile(_CLOSING, re.IGNORECASE)
_CLOSES_IN_WORDS = re.compile(_CLOSING_WORDS, re.IGNORECASE)
_TURNS = re.compile(rf"(?:{_CLOSING}|{_CLOSING_WORDS})|(?P<open>{_OPENING})", re.IGNORECASE)
_EMPTY = re.compile(rf"\s*+<{_NAME}\s*+/>", re.IGNORECASE)

# Channels of gpt-oss, with their marks or, where a server drops special tokens, by name alone.
_FINAL = re.compile(
    r"(?:<\|channel\|>)?final(?:[ \t]*+<\|constrain\|>\w{1,20})?[ \t]*+<\|message\|>"
    r"|(?<=assistant)final(?=\s*+\S)(?![a-z ])|assistantfinal"
)
_CHANNEL = re.compile(
    r"\s*+(?:(?:<\|start\|>)?(?:assistant)?<\|channel\|>[ \t]*+)?(?:analysis|commentary)"
    r"(?:[^<\n]{0,80}<\|message\|>|(?=[A-Z\"“*]))"
)
_BARE_CHANNEL = re.compile(r"\s*+(?:<\|start\|>)?(?:assistant)?<\|channel\|>")

_ENDS = (
    *("</s>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|endoftext|>", "<eos>"),
    *("<|end|>", "<|return|>", "<|call|>", "<|end_of_text|>", "<|end_of_turn|>", "<|eot|>"),
    *("<|END_OF_TURN_TOKEN|>", "<|END_RESPONSE|>", "<｜end▁of▁sentence｜>", "<|end▁of▁sentence|>"),
    *("<|endofturn|>", "<|end_of_sentence|>", "<|role_end|>", "<|im_sep|>", "<|eos|>", "<eot>"),
    *("[/INST]", "[EOS]", "[e~[", "<turn|>", "<eoa>", "<eod>", "<|user|>", "<|observation|>"),
    *("<reserved_106>", "<reserved_107>", "<|hy_eos|>", "<pad>", "<|pad|>", "<SPECIAL_12>"),
    *("<|eom|>", "<|im_assistant|>", "<0x0A>", "<|end_of_solution|>", "<|end_of_role|>"),
)
_LONGEST_END = max(map(len, _ENDS))
_TURN_STARTS = (
    *("<|im_start|>", "<|assistant|>", "<|user|>", "<|system|>", "<start_of_turn>", "<s>"),
    *("<|start_header_id|>", "[INST]", "<|start|>", "<｜User｜>", "<｜Assistant｜>", "<|turn>"),
    "<|START_OF_TURN_TOKEN|>",
)
# A reply that runs on into turns that nobody took.
_RUNS_ON = re.compile(
    rf"(?:{'|'.join(map(re.escape, _ENDS))})\s*+(?:{'|'.join(map(re.escape, _TURN_STARTS))})"
)
_STARTS = re.compile(
    r"\s*+(?:<s>|<bos>|<\|begin_of_text\|>|<\|startoftext\|>|<｜begin▁of▁sentence｜>|\[/INST\]"
    r"|<\|im_start\|>(?:assistant)?|<\|assistant\|>|<\|start_header_id\|>assistant<\|end_header_id\|>"
    r"|<start_of_turn>(?:model)?|<\|start\|>assistant|<｜Assistant｜>|<\|turn>model|<\|message\|>"
    r"|<\|START_OF_TURN_TOKEN\|><\|CHATBOT_TOKEN\|>|<\|start_of_role\|>assistant<\|end_of_role\|>)"
)
_WRAPPERS = tuple(
    (re.compile(rf"\s*+{opening}[ \t]*+\n?", re.IGNORECASE), closing)
    for opening, closing in (
        *(
            (f"<{name}>", f"</{name}>")
            for name in ("answer", "final_answer", "final", "response", "solution", "output")
        ),
        (r"<\|begin_of_solution\|>", "<|end_of_solution|>"),
        (r"<\|START_RESPONSE\|>", "<|END_RESPONSE|>"),
        (r"<\|START_TEXT\|>", "<|END_TEXT|>"),
        (r"<\|begin_of_box\|>", "<|end_of_box|>"),
        (r"```[\w+-]{0,20}(?=\n)", "```"),
        (r"(?:\$\$?|\\\(|\\\[)?\s*+\\(?:boxed|fbox)\s*+\{", "}"),
        (r"\\(?:text|textbf|mathrm|mathbf)\s*+\{", "}"),
    )
)
_MOST = 50  # thoughts, marks or wrappers one after the other; each is taken off by a copy
_MOST_TURNS = 2_000  # marks of thoughts, open or closed, within one reply
_MOST_BLANK = 1_000  # characters; no text begins with more
_MATH_END = re.compile(r"\}\s*+(?:\$\$?|\\\)|\\\])?[.。]?\s*+\Z")


@dataclass(frozen=True)
class Content:
    """``text`` is the reply; ``thought``: thinking stood before it; ``cut``: the thinking has no
    end, so that there is no reply."""

    text: str
    thought: bool = False
    cut: bool = False


def read_content(content: str, own: str = "") -> Content:
    """The reply in ``content``. ``own`` is the text that the reply is to give, or one like it:
    marks that it has itself stay where they are."""
    if len(content) <= 1:  # most replies to a quiz, and no mark is so short
        return Content(content)
    blank = len(content) - len(content.lstrip())
    content = content[max(0, blank - _MOST_BLANK) :]
    content = _without_start(content, own)
    text, thought = _without_channels(content, own)
    if text is None:
        return Content("", thought=True, cut=True)
    rest = _without_thoughts(text, own)
    if rest is None:
        return Content("", thought=True, cut=True)
    thought = thought or rest is not text
    if thought:
        rest = _without_start(rest, own)
    bare = _without_wrapper(_without_end(rest, own), own)
    return Content(bare.strip() if thought else bare, thought)


def _without_start(text: str, own: str) -> str:
    for _ in range(_MOST):
        start = _STARTS.match(text)
        if not start or start[0].strip() in own:
            break
        text = text[start.end() :].lstrip("\n")
    return text


def _without_channels(text: str, own: str) -> tuple[str | None, bool]:
    """What follows the last mark of the final channel, and whether there were channels; None where
    there is only another channel."""
    if "<|channel|>" in own:
        return text, False
    if not (_CHANNEL.match(text) or _BARE_CHANNEL.match(text) or _FINAL.match(text)):
        return text, False
    ends = [final.end() for final in _FINAL.finditer(text)]
    return (text[ends[-1] :], True) if ends else (None, True)


def _without_thoughts(text: str, own: str) -> str | None:
    """``text`` without the thoughts at its beginning; None where one has no end."""
    opens_itself = _OPENS.match(own) is not None
    for _ in range(_MOST):
        if (empty := _EMPTY.match(text)) and not opens_itself:
            text = text[empty.end() :]
            continue
        opening = _OPENS.match(text)
        end = _end_of_thought(text, opening, own)
        if end is None:
            return None if opening and not opens_itself else text
        if opening and opens_itself and not _OPENS.match(text, end):
            break  # what seems a thought is the beginning of the text itself
        text = text[end:]
    return text


def _closes(text: str) -> bool:
    """Whether a mark of an end stands in ``text``."""
    if "my response:" in text.lower() and _CLOSES_IN_WORDS.search(text):
        return True
    return _CLOSES.search(text) is not None


def _end_of_thought(text: str, opening: re.Match[str] | None, own: str) -> int | None:
    """Where the thought ends that ``text`` begins with. Where a template opened it, the opening
    mark is not in the reply."""
    if opening and _DETAILS.match(text):
        closed = _CLOSED_DETAILS.search(text)
        return closed.end() if closed else None
    if not opening and (_closes(own) or not _closes(text)):
        return None
    depth = 0
    first = None
    for turn in islice(_TURNS.finditer(text), _MOST_TURNS):
        if turn["open"]:
            if not opening and first is None and depth == 0:
                return None  # a pair of marks inside a reply belongs to it
            depth += 1
            continue
        first = turn.end() if first is None else first
        depth -= 1
        if depth <= 0:
            return turn.end()
    return first  # a thought that only mentions an opening mark


def _without_end(text: str, own: str) -> str:
    # Most replies have no turn, and to look for one takes a fifth of the time.
    ran_on = _RUNS_ON.search(text) if any(turn in text for turn in _TURN_STARTS) else None
    if ran_on and not _RUNS_ON.search(own):
        text = text[: ran_on.start()]
    ends = tuple(end for end in _ENDS if end not in own)
    for _ in range(_MOST):
        stripped = text.rstrip()
        tail = stripped[-_LONGEST_END:]
        end = next((end for end in ends if tail.endswith(end)), None)
        if end is None:
            break
        text = stripped[: -len(end)]
    return text


def _without_wrapper(text: str, own: str) -> str:
    """``text`` out of the wrappers around the whole of it."""
    for opening, closing in _WRAPPERS:
        opened = opening.match(text)
        if not opened or (closing in own and opening.search(own)):
            continue
        inner = _inside(text[opened.end() :].rstrip(), closing)
        if inner is not None:
            text = inner
    return text


def _inside(text: str, closing: str) -> str | None:
    """``text`` up to the end of a wrapper that closes after all of it, or not at all; None where it
    closes before."""
    if closing == "}":
        closed = _MATH_END.search(text, max(0, len(text) - 40))
        inner = text[: closed.start()] if closed else None
        return inner if inner is not None and _balanced(inner) else None
    inner = text.removesuffix(closing)
    if closing in inner or (closing == "```" and inner == text):
        return None
    return inner.strip("\n")


def _balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0
