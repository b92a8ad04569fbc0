"""Where a model is reached: presets, and the names that users type to choose a model.

======================  ==========================================================================
``gpt-4o``              the endpoint of ``OPENAI_BASE_URL``, with ``OPENAI_API_KEY``
``preset:model``        one of ``PRESETS``, such as ``ollama:llama3.2:1b``
``model@https://…/v1``  any other base URL, with ``DCQ_API_KEY`` if that is set
``embedded``            the small model that dcq runs itself
``likelihood:…``        one of the above, or ``embedded``, or the path of a GGUF file or of the
                        folder of a Hugging Face model: texts are scored, see
                        ``dcq.models.scorers.likelihood``
======================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dcq.environment import read_variable
from dcq.errors import InputError, ModelChoiceError
from dcq.models import embedded, scorable
from dcq.models.address import ALLOW_VARIABLE, check_url, is_near
from dcq.models.naming import check_name, read_name
from dcq.models.presets import AZURE_VARIABLE, EMBEDDED, OPENAI_URL, PRESETS, Preset
from dcq.naming import check_model
from dcq.records import Mode

if TYPE_CHECKING:  # half of what commands take that read results and ask no model
    from pydantic import SecretStr

    from dcq.settings import Settings

HOSTED_SECONDS = 120.0  # for one call
OWN_SECONDS = 900.0  # a machine without a graphics card may read a long prompt for minutes
ANY_URL_KEY = "DCQ_API_KEY"  # never OPENAI_API_KEY: it must not be sent to another host
LIKELIHOOD = f"{Mode.LIKELIHOOD}:"


@dataclass(frozen=True)
class Endpoint:
    """One model at one address. ``name`` is what the user typed and the name that results are
    stored under; ``base_url`` is empty for the embedded model until its server runs, and for a
    model that scores texts on this machine, whose ``model`` is its path; ``timeout`` is seconds per
    call; ``thinks``: it is known to think before it replies, which takes tokens.
    """

    name: str
    model: str
    base_url: str
    preset: str | None = None
    key: SecretStr | None = None
    key_variable: str = ANY_URL_KEY
    concurrency: int = 8
    free: bool = False
    timeout: float = HOSTED_SECONDS
    allow_metadata: bool = False
    mode: Mode = Mode.LETTER
    thinks: bool = False


def resolve(model: str, settings: Settings) -> Endpoint:
    """The endpoint for a model name as typed; ``ModelChoiceError`` says what to set or fix.

    Uses neither the network nor a model.
    """
    endpoint = _find(model, settings)
    try:
        check_model(endpoint.name)
    except InputError as error:
        raise ModelChoiceError(str(error)) from None
    return replace(endpoint, timeout=settings.timeout or endpoint.timeout)


def _find(model: str, settings: Settings) -> Endpoint:
    name, scored = split_mode(model)
    if scored:
        return _likelihood(name, settings)
    named = read_name(name)
    if not name or (named.preset and not named.model and named.preset != EMBEDDED):
        raise ModelChoiceError(
            "No model is named; give one such as gpt-4o, ollama:llama3.2:1b or embedded."
        )
    check_name(name, settings.openai_base_url or OPENAI_URL)
    if named.preset == EMBEDDED:
        return _embedded(named.model)
    if named.preset:
        return _by_preset(next(p for p in PRESETS if p.name == named.preset), named.model)
    if named.address:
        return _by_url(named.model, named.address)
    return _plain(name, settings)


def model_asked(name: str) -> str:
    """The model's name in calls: the full name without preset, address and ``likelihood:``."""
    named = read_name(split_mode(name)[0])
    return embedded.MODEL if named.preset == EMBEDDED else named.model or name.strip()


def split_mode(model: str) -> tuple[str, bool]:
    """A name without ``likelihood:``, and whether it had it, however it is spelt and how often."""
    name, scored = model.strip(), False
    while name.lower().startswith(LIKELIHOOD):
        name, scored = name[len(LIKELIHOOD) :].strip(), True
    return name, scored


def stored_name(model: str) -> str:
    """The name that results of a model as typed are stored under, without a look at the
    environment. Raises ModelChoiceError for an address that cannot be used."""
    name, scored = split_mode(model)
    prefix = LIKELIHOOD * scored
    if scored and is_path(name):
        return f"{prefix}{Path(name).expanduser().absolute()}"
    named = read_name(name)
    if named.preset:
        return prefix + (EMBEDDED if named.preset == EMBEDDED else f"{named.preset}:{named.model}")
    if named.address:
        url = check_url(named.address, allow_metadata=_allows_metadata())
        return f"{prefix}{named.model}@{url}"
    return f"{prefix}{name}"


def model_itself(name: str) -> str:
    """The model's name in results, without ``likelihood:``, which says how it was asked. A folder
    or a file keeps the prefix, which marks it as one."""
    return name if names_folder(name) else split_mode(name)[0]


def names_folder(model: str) -> bool:
    """Whether a model's name as typed is a folder or a file of this machine."""
    name, scored = split_mode(model)
    return scored and is_path(name)


def find_key(variable: str) -> SecretStr | None:
    """The key in an environment variable or, failing that, in ``.env``; None if it is unset."""
    return _usable(read_variable(variable), variable)


def _usable(key: str, variable: str) -> SecretStr | None:
    """A key that can be sent in a header; None for an empty one."""
    from pydantic import SecretStr  # here, because names of models are read without any key

    key = key.strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise ModelChoiceError(
            f"The key in {variable} has a character that no key has, such as a line break or an"
            " accent; set it again."
        )
    return SecretStr(key) if key else None


def exposed_key(endpoint: Endpoint) -> str:
    """A sentence where a key would be sent to a public host unencrypted; empty where none would."""
    url = endpoint.base_url
    if endpoint.key is None or not url.startswith("http://") or is_near(url):
        return ""
    return (
        f"The key in {endpoint.key_variable} is sent to {urlsplit(url).netloc} over plain http, so "
        "anybody on the way can read it; use an address with https."
    )


def surely_scores(endpoint: Endpoint) -> bool:
    """Whether texts can certainly be scored there: on this machine, or by vLLM. Other addresses may
    return no log-probabilities of a prompt, which only a call shows."""
    return not endpoint.base_url or endpoint.preset == "vllm"


def missing_variables(preset: Preset) -> list[str]:
    """The environment variables that this preset needs and that are not set."""
    needed = [AZURE_VARIABLE] if preset.name == "azure" else []
    needed += [preset.key_variable] if preset.key_variable else []
    return [variable for variable in needed if not read_variable(variable)]


def _allows_metadata() -> bool:
    return read_variable(ALLOW_VARIABLE).lower() in ("1", "true", "yes")


def _likelihood(name: str, settings: Settings) -> Endpoint:
    if name.lower() != EMBEDDED and not is_path(name):
        served = resolve(name, settings)
        return replace(served, name=f"{LIKELIHOOD}{served.name}", mode=Mode.LIKELIHOOD)
    if is_path(name):
        path = Path(name).expanduser().absolute()
        name = str(path)
        scorable.check(path)
    else:
        path, name = embedded.find_weights(), EMBEDDED
        scorable.check_embedded()
    return Endpoint(
        name=f"{LIKELIHOOD}{name}",
        model=str(path),
        base_url="",
        concurrency=1,  # it computes one batch at a time
        free=True,
        mode=Mode.LIKELIHOOD,
    )


def is_path(name: str) -> bool:
    """True if a model's name can only be a path on this machine."""
    return name.startswith(("/", "./", "../", "~"))


def _embedded(suffix: str) -> Endpoint:
    if suffix:
        raise ModelChoiceError("The embedded model has no further name; write just: embedded.")
    embedded.find_model()
    return Endpoint(
        name=EMBEDDED,
        model=embedded.MODEL,
        base_url="",
        preset=EMBEDDED,
        concurrency=embedded.SLOTS,
        free=True,
        timeout=OWN_SECONDS,
    )


def _by_preset(preset: Preset, model: str) -> Endpoint:
    missing = missing_variables(preset)
    if missing:
        raise ModelChoiceError(
            f"{preset.title} needs {' and '.join(missing)}, which is not set; set it in the"
            " environment or in .env and try again."
        )
    base_url = preset.base_url
    if preset.name == "azure":
        resource = check_url(read_variable(AZURE_VARIABLE), allow_metadata=_allows_metadata())
        base_url = f"{resource.removesuffix('/openai/v1')}/openai/v1"
    return Endpoint(
        name=f"{preset.name}:{model}",
        model=model,
        base_url=base_url,
        preset=preset.name,
        key=find_key(preset.key_variable) if preset.key_variable else None,
        key_variable=preset.key_variable or ANY_URL_KEY,
        concurrency=preset.concurrency,
        free=preset.free,
        timeout=OWN_SECONDS if preset.free else HOSTED_SECONDS,
        allow_metadata=_allows_metadata(),
    )


def _by_url(model: str, url: str) -> Endpoint:
    base_url = check_url(url, allow_metadata=_allows_metadata())
    if not model:
        raise ModelChoiceError("There is no model before the @; write model@https://host/v1.")
    return Endpoint(
        name=f"{model}@{base_url}",
        model=model,
        base_url=base_url,
        key=find_key(ANY_URL_KEY),
        allow_metadata=_allows_metadata(),
    )


def _plain(name: str, settings: Settings) -> Endpoint:
    base_url = check_url(settings.openai_base_url or OPENAI_URL, allow_metadata=_allows_metadata())
    key = settings.openai_api_key
    if key is not None:
        key = _usable(key.get_secret_value(), "OPENAI_API_KEY")
    if base_url == OPENAI_URL and key is None:
        raise ModelChoiceError(
            f"No key is set for OpenAI, which {name!r} would be asked at; set OPENAI_API_KEY, set"
            " OPENAI_BASE_URL to another endpoint, or choose another model"
            f"{'' if embedded.missing() else ': embedded'}."
        )
    return Endpoint(
        name=name,
        model=name,
        base_url=base_url,
        key=key,
        key_variable="OPENAI_API_KEY",
        concurrency=16 if base_url == OPENAI_URL else 8,
        allow_metadata=_allows_metadata(),
    )
