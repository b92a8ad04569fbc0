"""What a failed call means: recognised from the status and the error body, explained in a sentence.

An endpoint's own words are searched here to recognise a fault, and never repeated: some endpoints
echo the key or the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.models.endpoints import Endpoint
from dcq.models.headers import read_exhaustion, read_retry_after
from dcq.models.pacing.rate_limit import LONGEST_WAIT
from dcq.models.stated_errors import read_status, read_words, words_of
from dcq.words import about_so_long

BUSY_STATUSES = {408, 409, 425, 429}
OVERLOAD_STATUSES = {429, 503, 529}
GATEWAY_TIMEOUTS = {504, 524}
FILTER_STATUSES = {None, 400, 403, 421, 422, 451}
OVERFLOW = re.compile(
    r"context[ _](length|size|window)|maximum context|prompt is too long|input is too long"
    r"|too many (input )?tokens|input token count|string_above_max_length"
    r"|exceed_context_size|must be at least 1, got -"
)
OUT_OF_CREDIT = re.compile(
    r"insufficient_quota|billing_hard_limit|credit balance is too low|arrearage|余额不足|欠费"
    r"|insufficient[_ ](account[_ ])?(credits|balance)|insufficient_balance_error"
)
# Whole phrases, because an error may repeat the prompt.
FILTERED = re.compile(
    r"content[_ ]?filter|content[_ ]policy|content management policy|responsibleaipolicyviolation"
    r"|flagged_input|input was flagged|was flagged as|requires moderation|violating our usage polic"
    r"|data_?inspection_?failed|may contain inappropriate content|content exists risk"
    r"|considered high risk|guardrail_intervened|prohibited_content|new_sensitive"
    r"|不安全或敏感|敏感内容"
)
NO_SUCH_PATH = re.compile(
    r"unexpected endpoint|cannot post /|could not route to|no route matched|route not found"
    r"|invalid url \(post|unknown request url|^\W*detail\W*not found\W*$"
)
NO_MODEL_LOADED = re.compile(r"no models? (is |are )?(currently )?loaded")
NOT_FOR_COMPLETIONS = re.compile(r"chat model and not supported in the v1/completions")
# Groq and OpenAI: one request takes more than the tokens of a minute.
ABOVE_PACE = re.compile(r"limit:? (\d{1,9}), (?:used:? \d{1,9}, )?requested:? (\d{1,9})")
PER_DAY = re.compile(r"per day|\btpd\b")
UNKNOWN_MODEL = re.compile(
    r"model_not_found|model_not_exist|invalid[ _]model|unknown model|not a valid model"
    r"|model [^ ]{1,100} (does not exist|not found|is not found)|model not (exist|found)"
)
REASONING_ATE_LIMIT = re.compile(r"output limit was reached")


@dataclass(frozen=True)
class Trouble:
    """A call without a reply. ``status`` is None if there was no usable HTTP response; ``what``
    then says what happened instead. ``unreachable``: no connection was made. ``page``: a web page
    came. ``words`` are the endpoint's, in lower case, to be searched and never shown. ``retries``
    is how often another call is worth trying, None if only the client's own limit applies.
    ``generated``: the error came beside a reply, which may have been charged."""

    status: int | None
    what: str = ""
    words: str = ""
    parameter: str | None = None
    retry_after: float | None = None
    unreachable: bool = False
    retries: int | None = None
    page: bool = False
    generated: bool = False

    @property
    def overloaded(self) -> bool:
        """Whether the endpoint gets too many requests, rather than being broken."""
        return (
            self.status in OVERLOAD_STATUSES and not self.out_of_credit and self.above_pace is None
        )

    @property
    def lost(self) -> bool:
        """Whether a call was made and its reply lost: it may have been charged."""
        unanswered = self.status is None and not self.unreachable and not self.page
        return unanswered or self.generated or self.status in GATEWAY_TIMEOUTS

    @property
    def above_pace(self) -> int | None:
        """By how many tokens this one request is larger than what the endpoint allows in a minute;
        None if it is not."""
        stated = ABOVE_PACE.search(self.words) if self.status in (413, 429) else None
        more = int(stated[2]) - int(stated[1]) if stated else 0
        return more if more > 0 else None

    @property
    def no_such_path(self) -> bool:
        """Whether the server is there and has nothing at the path that was called."""
        return self.status == 405 or (
            self.status in (400, 404) and NO_SUCH_PATH.search(self.words) is not None
        )

    @property
    def out_of_credit(self) -> bool:
        """Whether someone must pay before anything works."""
        return self.status == 402 or OUT_OF_CREDIT.search(self.words) is not None

    @property
    def overflow(self) -> bool:
        """Whether the prompt is longer than the model's context."""
        return (self.status == 413 and self.above_pace is None) or (
            self.status in (400, 422) and OVERFLOW.search(self.words) is not None
        )

    @property
    def filtered(self) -> bool:
        """Whether the provider's content filter stopped the prompt."""
        return self.status in FILTER_STATUSES and FILTERED.search(self.words) is not None

    @property
    def reasoning_ate_limit(self) -> bool:
        """Whether hidden reasoning used up the token limit (OpenAI says so with status 400)."""
        return self.status == 400 and REASONING_ATE_LIMIT.search(self.words) is not None

    def rejected(self, sent: Mapping[str, object]) -> str | None:
        """The parameter of ``sent`` that the endpoint does not accept, if that is the problem."""
        if self.status not in (400, 422) or self.overflow:
            return None
        if self.parameter in sent:
            return self.parameter
        # The longest first: "max_tokens" must not be found in another parameter's name.
        names = sorted(sent, key=len, reverse=True)
        return next((n for n in names if re.search(rf"\b{re.escape(n)}\b", self.words)), None)


def read_trouble(status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
    """Read an HTTP error of any OpenAI-like endpoint; never fails on what it finds."""
    document, words = read_words(body)
    if isinstance(document, list) and document:  # Gemini wraps its errors in a list
        document = document[0]
    error = document.get("error", document) if isinstance(document, dict) else None
    parameter = error.get("param") if isinstance(error, dict) else None
    return Trouble(
        status=status,
        words=words,
        parameter=parameter if isinstance(parameter, str) else None,
        retry_after=read_retry_after(headers) or read_exhaustion(headers),
    )


def read_stated(error: object, headers: Mapping[str, str], *, generated: bool) -> Trouble:
    """Read an error that came with status 200, in place of a reply or beside one that was
    ``generated``."""
    status = read_status(error)
    parameter = error.get("param") if isinstance(error, dict) else None
    return Trouble(
        status=status,
        what="" if status else "reports an error in place of a reply",
        words=words_of(error),
        parameter=parameter if isinstance(parameter, str) else None,
        retry_after=read_retry_after(headers) or read_exhaustion(headers),
        retries=None if status and not generated else 2,
        generated=generated,
    )


def come_back(seconds: float | None) -> str:
    """Advice on an endpoint that asks for a pause of so many seconds, as the end of a sentence;
    empty where a call waits for it by itself."""
    if seconds is None or seconds <= LONGEST_WAIT:
        return ""
    return (
        f"asks to be left alone for {about_so_long(seconds)}; what was answered is kept, so resume"
        " then, or choose another."
    )


def explain(trouble: Trouble, endpoint: Endpoint) -> EndpointError:
    """The error to raise, with one sentence on what to do, without the endpoint's own words."""
    status = trouble.status
    host = urlsplit(endpoint.base_url).netloc
    model = endpoint.model
    if (nobody := _explain_place(trouble, endpoint, host)) is not None:
        return nobody
    if status is None:
        return EndpointBusyError(
            f"{host} {trouble.what}; check that the endpoint works, then resume."
        )
    if trouble.out_of_credit:
        return EndpointRefusedError(
            f"The account at {host} is out of credit or at its spending limit (HTTP {status}); top"
            " it up, raise the limit, or choose another model.",
            status=status,
        )
    if trouble.above_pace is not None:
        span = "day" if PER_DAY.search(trouble.words) else "minute"
        return RequestRejectedError(
            f"This request alone takes {trouble.above_pace:,} tokens more than {host} lets you send"
            f" in a {span}; leave this instance out, or choose another model or a larger plan.",
            status=status,
        )
    if status in BUSY_STATUSES or status >= 500:
        reason = "limits the rate of calls" if status == 429 else "has a problem"
        wish = come_back(trouble.retry_after)
        advice = f" and {wish}" if wish else "; wait a while, or lower the concurrency, and resume."
        return EndpointBusyError(
            f"{host} {reason} (HTTP {status}){advice}",
            status=status,
            retry_after=trouble.retry_after,
        )
    if status in (401, 403):
        return EndpointRefusedError(_explain_rights(status, endpoint, host), status=status)
    if status == 413 and OVERFLOW.search(trouble.words) is None:
        return RequestRejectedError(
            f"The request is too large for {host} or for {model} (HTTP 413); leave this instance"
            " out, raise the server's limit, or choose a model with a larger context.",
            status=status,
        )
    if trouble.overflow:
        return RequestRejectedError(
            f"The prompt is too long for {model} (HTTP {status}); leave this instance out or choose"
            " a model with a larger context.",
            status=status,
        )
    if status in (404, 405, 410) or 300 <= status < 400 or UNKNOWN_MODEL.search(trouble.words):
        return EndpointRefusedError(
            f"{host} does not serve the model {model} at this address (HTTP {status}); check the"
            " model's name, what your account may use, and the base URL, which usually ends in"
            " /v1.",
            status=status,
        )
    return RequestRejectedError(
        f"{host} rejects this call to {model} (HTTP {status}); look for the reason in its log or"
        " console, check that it is a chat model, or choose another.",
        status=status,
    )


def _explain_rights(status: int, endpoint: Endpoint, host: str) -> str:
    """What an answer of 401 or 403 means, which also firewalls give, and providers for a country or
    an address they do not serve."""
    if status == 401 and endpoint.key is not None:
        return (
            f"{host} does not accept the key (HTTP 401); set one that is valid at this address in"
            f" {endpoint.key_variable}."
        )
    if status == 401:
        return f"{host} requires a key (HTTP 401); set a valid one in {endpoint.key_variable}."
    if endpoint.key is None:
        return (
            f"{host} refuses this call (HTTP 403). It probably requires a key: set one in"
            f" {endpoint.key_variable}; if it takes none, check that it serves your network."
        )
    return (
        f"{host} does not allow this call to {endpoint.model} (HTTP 403); check the rights of the"
        f" key in {endpoint.key_variable}, and whether {host} serves your country and network."
    )


def _explain_place(trouble: Trouble, endpoint: Endpoint, host: str) -> EndpointError | None:
    """The error where nothing at the address takes calls to models; None where something does."""
    if trouble.unreachable:
        return EndpointRefusedError(
            f"Nothing answers at {endpoint.base_url}; start the server there, fix the base URL, or"
            " check your network and proxy."
        )
    if trouble.page:
        return EndpointRefusedError(
            f"{host} sent a web page in place of a reply; check the base URL, which usually ends in"
            " /v1, and whether a proxy or a login stands before it."
        )
    if NO_MODEL_LOADED.search(trouble.words):
        return EndpointRefusedError(
            f"{host} has no model loaded; load {endpoint.model} there, then resume.",
            status=trouble.status,
        )
    if trouble.no_such_path:
        fix = "check it" if endpoint.base_url.rstrip("/").endswith("/v1") else "add /v1 to it"
        return EndpointRefusedError(
            f"{host} takes no calls under the base URL {endpoint.base_url}; {fix}.",
            status=trouble.status,
        )
    return None
