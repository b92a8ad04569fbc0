"""What the real services check before they answer, by their documentation, and what they answer."""

from __future__ import annotations

import re
from typing import Any

KEY = "key-that-nobody-may-see"
_SINGLE = "[\u3000-\u30ff\u4e00-\u9fff]"

Reply = tuple[int, Any] | tuple[int, Any, dict[str, str]]

# The values of ``search_lang`` and ``country`` in src/tools/web/params.ts of
# https://github.com/brave/brave-search-mcp-server
BRAVE_LANGUAGES = (
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko "
    "lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
BRAVE_COUNTRIES = (
    "ALL AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES "
    "SE CH TW TR GB US"
)
# https://serpapi.com/google-languages
SERPAPI_LANGUAGES = (
    "af ak sq ws am ar hy az eu be bem bn bh bs br bg bt km ca chr ny zh-cn zh-tw co hr cs da nl "
    "xx-elmer en eo et ee fo tl fi fr fy gaa gl ka de el kl gn gu xx-hacker ht ha haw iw hi hu is "
    "ig id ia ga it ja jw kn kk rw rn xx-klingon kg ko kri ku ckb ky lo la lv ln lt loz lg ach mk "
    "mg my ml mt mv mi mr mfe mo mn sr-me ne pcm nso no nn oc or om ps fa xx-pirate pl pt pt-br "
    "pt-pt pa qu ro rm nyn ru gd sr sh st tn crs sn sd si sk sl so es es-419 su sw sv tg ta tt te "
    "th ti to lua tum tr tk tw ug uk ur uz vu vi cy wo xh yi yo zu"
)


def brave_error(status: int, code: str, detail: str = "") -> Reply:
    """An error of Brave's, in the form in which its service sends it (github.com/egoist/
    chatwise-releases/issues/936 and nearai/ironclaw/issues/2780 show some)."""
    error = {"id": "ade84851", "status": status, "code": code, "detail": detail, "meta": {}}
    return status, {"type": "ErrorResponse", "error": error, "time": 1754364294}


def brave_refusal(
    parameters: dict[str, str], headers: dict[str, str], *, more_snippets: bool = True
) -> Reply | None:
    """Why Brave answers no query with these ``parameters``; the key is looked at first."""
    if headers.get("x-subscription-token") != KEY:
        return brave_error(
            422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."
        )
    if "extra_snippets" in parameters and not more_snippets:
        return brave_error(400, "OPTION_NOT_IN_PLAN", "The option is not subscribed in the plan.")
    query = parameters.get("q", "")
    fits = 0 < len(query) <= 400 and len(query.split()) <= 50
    language, country = parameters.get("search_lang", "en"), parameters.get("country", "US")
    if (
        not fits
        or language not in BRAVE_LANGUAGES.split()
        or country not in BRAVE_COUNTRIES.split()
    ):
        return brave_error(422, "VALIDATION", "Unable to validate request parameter(s)")
    return None


def brave_found(rows: list[dict[str, Any]]) -> Reply:
    """Brave's reply with these results; where there are none it has no ``web``."""
    found = {"web": {"type": "search", "results": rows}} if rows else {}
    return 200, {"type": "search", "query": {"original": "x"}, "mixed": {}, **found}


def serpapi_refusal(parameters: dict[str, str]) -> Reply | None:
    """Why SerpApi answers no query with these ``parameters``."""
    if parameters.get("api_key") != KEY:
        where = "https://serpapi.com/manage-api-key"
        return 401, {"error": f"Invalid API key. Your API key should be here: {where}"}
    language = parameters.get("hl", "en")
    if language not in SERPAPI_LANGUAGES.split():
        return 400, {"error": f"Unsupported `{language}` interface language - hl parameter."}
    return None


def serpapi_found(rows: list[dict[str, Any]]) -> Reply:
    """SerpApi's reply with these results; none is a success with an ``error``."""
    if rows:
        return 200, {"search_metadata": {"status": "Success"}, "organic_results": rows}
    return 200, {
        "search_metadata": {"status": "Success"},
        "search_information": {"organic_results_state": "Fully empty"},
        "error": "Google hasn't returned any results for this query.",
    }


class InfiniIndex:
    """An index of ``documents`` that is asked as infini-gram is, by its api/api_server.py. A word
    after a space and the same word after a line break are two tokens, as Llama-2 has them; a query
    begins as after a space."""

    def __init__(self, documents: list[str], index: str = "v4_dolma-v1_7_llama") -> None:
        self.index = index
        self.documents = documents
        self.withheld: set[int] = set()
        self._tokens = [tokens(text) for text in documents]

    def answer(self, asked: dict[str, Any]) -> Reply:
        """The reply to the body of a request."""
        if asked.get("index") != self.index:
            return 400, {"error": f"[Flask] Invalid index: {asked.get('index')}"}
        query = asked["query"]
        if len(query) > 1000:
            return 200, {"error": "Please limit your input to <= 1000 characters!"}
        wanted = tokens(f" {query}")
        wanted = wanted[1:] if wanted[:1] == [" "] else wanted
        if len(wanted) > 500:
            return 200, {"error": "Please limit your input to <= 500 tokens!"}
        if " AND " in query or " OR " in query:  # nested token ids, which find() cannot read
            return 500, {"error": "[Flask] Internal server error: input_ids"}
        there = [
            (number, place)
            for number, text in enumerate(self._tokens)
            for place in range(len(text) - len(wanted) + 1)
            if text[place : place + len(wanted)] == wanted
        ]
        about = {"token_ids": list(range(len(wanted))), "tokens": wanted, "latency": 0.7}
        if asked["query_type"] == "find":
            return 200, {"cnt": len(there), "segment_by_shard": [[0, len(there)]], **about}
        number, place = there[asked["rank"]]
        return 200, {"doc_ix": number, **self._shown(number, place, asked, wanted), **about}

    def _shown(
        self, number: int, place: int, asked: dict[str, Any], wanted: list[str]
    ) -> dict[str, Any]:
        if number in self.withheld:
            return {"blocked": True, "spans": []}
        text, most = self._tokens[number], asked.get("max_disp_len", 1000)
        low = max(0, place - (most - len(wanted)) // 2)
        before, after = text[low:place], text[place + len(wanted) : low + most]
        spans = [("".join(before), None), ("".join(wanted), "0"), ("".join(after), None)]
        return {"blocked": False, "spans": [(words, clause) for words, clause in spans if words]}


def tokens(text: str) -> list[str]:
    """``text`` as tokens: words with the space before them, signs and characters of Japanese and
    Chinese one at a time."""
    return re.findall(rf"{_SINGLE}|\n| ?(?:(?!{_SINGLE})[^\W_])+| ?[^\w\s]| ?_|\s", text)
