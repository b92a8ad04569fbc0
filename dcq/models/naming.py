"""How a model's name is read, and which names are refused: those that look like a preset or an
address and are neither.

A name that is neither goes to OpenAI or to ``OPENAI_BASE_URL``. So a misspelt preset or address
would send a benchmark, and what is paid for it, to somebody who was not meant.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

from dcq.errors import ModelChoiceError
from dcq.models.address import SCHEME, nearest_url
from dcq.models.presets import EMBEDDED, OPENAI_URL, PRESETS

PRESET_NAMES = tuple(preset.name for preset in PRESETS)
SHOWN = 80  # characters of a name in a message
_ELSEWHERE = re.compile(r"(.*?)@(\w+://.*)", re.DOTALL)
# Signs that look like : @ / . and are others.
_LOOKALIKES = str.maketrans("：﹕∶꞉＠﹫／⁄∕．。", "::::@@///..")
_AT = re.compile(r"\s*@\s*")
_SURE_HOST = re.compile(  # this machine or an IP address, with a port or a path, or nothing
    r"(localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.%]+\])(:\d*)?(/.*)?", re.IGNORECASE
)
_BASE_PATH = re.compile(r"[\w-]+(\.[\w-]+)*:\d{2,5}/.*|[\w-]+(\.[\w-]+)+/v\d+/?")
_HOST = re.compile(  # what may stand after an @: a revision of a model has none of these forms
    r"[\w.-]+:\d{1,5}(/.*)?|([\w-]+\.)+[a-z]{2,}(:\d+)?(/.*)?|[\w.-]+/v\d+(/.*)?|.*@.*",
    re.IGNORECASE,
)
# What servers write behind the colon of a plain name: a size, a quantisation, a kind of service.
_TAG = re.compile(
    r"(v|e|q|f|fp|bf|iq)?\d[\w.+-]*|"
    r"(latest|free|beta|extended|thinking|online|nitro|floor|exacto|cloud|base|text|chat|instruct|"
    r"code|tiny|mini|small|medium|large)([-_.][\w.+-]*)?",
    re.IGNORECASE,
)
_REVISION = re.compile(r".*\d.*|latest|main|master|default|stable|dev|rev.*", re.IGNORECASE)
_ANY_URL = "https://host/v1"
_AT_OPENAI = re.compile(r"[\w.-]+|ft:[\w.:-]+", re.ASCII)
_NO_COLON = re.compile(rf"({'|'.join(PRESET_NAMES)})\s*[;,|=\s]\s*(?=\w)", re.IGNORECASE)
_SECRET = re.compile(r"(//|:)[^/]*@")
# Names that OpenAI gives no model of its own; a new family of OpenAI's passes.
_MAKERS = {
    "anthropic": "anthropic|antropic|claude|sonnet|haiku|opus",
    "gemini": "google|gemini|gemma|palm|bison",
    "mistral": "(open-)?mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral",
    "": "deepseek|(code|tiny)?llama|meta|qwen|qwq|qvq|grok|xai|phi|command|cohere|c4ai"
    "|aya|nova|titan"
    "|amazon|bedrock|kimi|moonshot|glm|chatglm|yi|baichuan|ernie|hunyuan|doubao|minimax|falcon|olmo"
    "|tulu|granite|nemotron|jamba|solar|exaone|internlm|starcoder|stablelm|vicuna|alpaca|zephyr"
    "|wizardlm|hermes|dolphin|smollm2?|pythia|bloomz?|mpt|dbrx|sonar|openrouter|vllm|groq|together"
    "|gpt-j|gpt-neox?|ollama|azure|lm-?studio|llama-?cpp",
}
_OF_MAKER = {
    maker: re.compile(rf"(?<![a-z])({names})(?![a-z])", re.IGNORECASE)
    for maker, names in _MAKERS.items()
}
_KEY = re.compile(r"(sk|pk|hf|gsk|xai|AIza|key)[-_][\w-]{16,}|AIza[\w-]{30,}", re.ASCII)
_NO_HYPHEN = re.compile(r"gpt[_.]?(\d[\w.-]*)", re.IGNORECASE)
_TUNED = re.compile(r"ft:(chat)?(gpt|o\d|davinci|babbage|curie|ada)[^:]*(:.*)?", re.IGNORECASE)
_FILE = re.compile(r".*\.(gguf|ggml|safetensors|bin|pth?|onnx)", re.IGNORECASE)
_DOMAIN = re.compile(r"([a-z0-9-]+\.)+[a-z]{2,}", re.IGNORECASE)
_OTHER_NAMES = {"google": "gemini", "claude": "anthropic"}
_LONG = 8  # letters of a preset's name, in which two may be wrong


@dataclass(frozen=True)
class ModelName:
    """A model's name without ``likelihood:``. ``model`` is its name in calls; ``preset`` and
    ``address`` are empty where the name has none."""

    model: str
    preset: str = ""
    address: str = ""


def read_name(name: str) -> ModelName:
    """The parts of a model's name as typed; one that ``check_name`` refuses is read as well, since
    stores of earlier releases may hold it."""
    name = name.strip()
    head, colon, rest = (part.strip() for part in name.partition(":"))
    preset = head.lower()
    if preset in PRESET_NAMES and (colon or preset == EMBEDDED):
        return ModelName(rest, preset)
    elsewhere = _ELSEWHERE.fullmatch(name)
    if elsewhere:
        return ModelName(elsewhere[1].strip(), address=elsewhere[2])
    return ModelName(name)


def check_name(name: str, base_url: str) -> None:
    """Raise ModelChoiceError for a name that looks like a preset or an address and is neither, with
    the nearest right form. ``base_url`` is where plain names are asked.

    A name as servers have it passes: ``qwen2.5:7b``, ``maker/model:free``, ``model@revision``,
    ``ft:gpt-4o:maker::id``. Of plain names that OpenAI itself would be asked, only those pass that
    a model there can have.
    """
    name = name.strip()
    if _KEY.match(name):
        raise ModelChoiceError(
            "The model's name looks like a key. Put keys into the environment, such as "
            "OPENAI_API_KEY, and name the model, such as gpt-4o."
        )
    named = read_name(name)
    if named.address:
        return  # the model's part is whatever its server calls it
    plain = name.translate(_LOOKALIKES)
    if plain != name:
        raise ModelChoiceError(
            "The model's name has a sign that only looks like a colon, a dot, an @ or a slash;"
            f" write {'NAME@' + _ANY_URL if _SECRET.search(plain) else _shown(plain)}."
        )
    _check_no_address(named)
    if named.preset:
        return
    written = _NO_COLON.match(name)
    head, colon, rest = (part.strip() for part in name.partition(":"))
    if written:
        head, colon, rest = written[1], ":", name[written.end() :]
    near = _near_preset(head, rest if colon else None)
    if near:
        raise ModelChoiceError(
            f"There is no preset in {_shown(name)!r}; write {_write(near, rest)}, or"
            " NAME@https://host/v1 for another address."
        )
    if is_openai(base_url) and not _can_be_openais(name):
        raise ModelChoiceError(
            f"OpenAI has no model with such a name; write {_at_openai(name)}, or"
            " NAME@https://host/v1 for another address."
        )


def _can_be_openais(name: str) -> bool:
    """Whether a model at OpenAI can have a plain name: it has no mark of another maker, and is no
    file and no host. Of a tuned model the base tells, since the rest is its owner's to choose."""
    if name.lower().startswith("ft:"):
        return bool(_AT_OPENAI.fullmatch(name) and _TUNED.fullmatch(name))
    if name.lower() in PRESET_NAMES or not _AT_OPENAI.fullmatch(name):
        return False
    if _NO_HYPHEN.fullmatch(name):
        return False
    return _maker(name) is None and not _FILE.fullmatch(name) and not _DOMAIN.fullmatch(name)


def _maker(name: str) -> str | None:
    """The preset of the maker that a name has a mark of, empty where no preset is that maker's;
    None without a mark."""
    return next((maker for maker, marks in _OF_MAKER.items() if marks.search(name)), None)


def is_openai(base_url: str) -> bool:
    """Whether an address is OpenAI's own, of whatever region."""
    host = urlsplit(base_url).hostname or ""
    return base_url == OPENAI_URL or host == "api.openai.com" or host.endswith(".api.openai.com")


def _check_no_address(named: ModelName) -> None:
    """Raise ModelChoiceError where a model's name is an address, or ends in one."""
    whole = named.model
    if SCHEME.match(whole) or _SURE_HOST.fullmatch(whole) or _BASE_PATH.fullmatch(whole):
        raise ModelChoiceError(
            f"The address has no model before it; write NAME@{nearest_url(whole) or _ANY_URL}."
        )
    for at in _AT.finditer(whole):
        model, rest = whole[: at.start()], whole[at.end() :]
        if not _may_be_address(model, rest):
            continue
        url = nearest_url(rest)
        # What stands before it may be a user's name and password.
        right = f"{_shown(model) if url and ':' not in model else 'NAME'}@{url or _ANY_URL}"
        if named.preset:
            raise ModelChoiceError(
                f"The model has a preset and an address, and can have one of them; write {right},"
                f" or {named.preset}:NAME."
            )
        raise ModelChoiceError(f"The address after the @ is not a whole one; write {right}.")


def _may_be_address(model: str, rest: str) -> bool:
    """Whether what stands behind an @ looks like an address, and not like a revision of ``model``.
    A user's name and a password before it tell as well."""
    if not rest or SCHEME.match(rest) or _SURE_HOST.fullmatch(rest) or _HOST.fullmatch(rest):
        return True
    _, colon, tag = model.partition(":")
    return bool(colon) and not _TAG.fullmatch(tag) and _REVISION.fullmatch(rest) is None


def _near_preset(head: str, rest: str | None) -> str:
    """The preset that ``head`` is a misspelling of; empty if it is none. ``rest`` is what follows
    its colon, None where there is none."""
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", head).casefold())
    if rest is None:
        return EMBEDDED if _distance(letters, EMBEDDED) in (1, 2) else ""
    if letters in PRESET_NAMES:
        return letters
    if any(map(str.isdigit, letters)) or _TAG.fullmatch(rest):
        return ""  # llama3:mine, mixtral:8x7b
    for name in ("likelihood", *PRESET_NAMES):
        if _distance(letters, name) <= (2 if len(name) >= _LONG else 1):
            return name
    return ""


def _distance(text: str, name: str) -> int:
    """How many letters are wrong, missing, too many or swapped."""
    from rapidfuzz.distance import OSA  # here, because most names need no such look

    return int(OSA.distance(text, name, score_cutoff=3))


def _write(preset: str, model: str) -> str:
    return preset if preset == EMBEDDED else f"{preset}:{_shown(model) or 'NAME'}"


def _at_openai(name: str) -> str:
    """What somebody can have meant with a name that OpenAI's models do not have."""
    if written := _NO_HYPHEN.fullmatch(name):
        return f"gpt-{_shown(written[1])}"
    if _DOMAIN.fullmatch(name) and not _FILE.fullmatch(name) and _maker(name) is None:
        return f"NAME@https://{_shown(name)}/v1"
    if re.fullmatch(r"[\w.-]+", name) and name.lower() not in PRESET_NAMES:
        prefixed = re.fullmatch(rf"({'|'.join(PRESET_NAMES)})[-_.](.+)", name, re.IGNORECASE)
        if prefixed and prefixed[1].lower() not in ("gemini", "mistral"):  # names of models
            return _write(prefixed[1].lower(), prefixed[2])
        maker = _maker(name)
        if maker in PRESET_NAMES:
            return _write(str(maker), name)
    head, _, rest = (part.strip() for part in re.sub(r"[^\w.-]+", "/", name).partition("/"))
    preset = _OTHER_NAMES.get(head.lower(), head.lower())
    if "@" in name or preset not in PRESET_NAMES:
        return "PRESET:NAME, such as openrouter:maker/model"
    return _write(preset, re.split(r"[^\w.-]+", name, maxsplit=1)[1] if rest else "")


def _shown(name: str) -> str:
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}…"
