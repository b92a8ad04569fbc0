"""Languages as search services name them. What is on no list of theirs makes every query fail."""

from __future__ import annotations

from collections.abc import Mapping


def _codes(words: str) -> frozenset[str]:
    return frozenset(words.split())


# https://api-dashboard.search.brave.com/api-reference/web/search/get, as
# https://github.com/brave/brave-search-mcp-server has it in src/tools/web/params.ts.
BRAVE = _codes(
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn "
    "ko lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
# Where several codes of Brave's would do, the choice is ours.
TO_BRAVE = {
    "iw": "he",
    "ja": "jp",
    "nn": "nb",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-hk": "zh-hant",
    "zh-mo": "zh-hant",
    "zh-tw": "zh-hant",
}

# https://serpapi.com/google-languages, without its jokes such as xx-pirate.
SERPAPI = _codes(
    "af ak sq ws am ar hy az eu be bem bn bh bs br bg bt km ca chr ny zh-cn zh-tw co hr cs da nl "
    "en eo et ee fo tl fi fr fy gaa gl ka de el kl gn gu ht ha haw iw hi hu is ig id ia ga it ja "
    "jw kn kk rw rn kg ko kri ku ckb ky lo la lv ln lt loz lg ach mk mg my ml mt mv mi mr mfe mo "
    "mn sr-me ne pcm nso no nn oc or om ps fa pl pt pt-br pt-pt pa qu ro rm nyn ru gd sr sh st tn "
    "crs sn sd si sk sl so es es-419 su sw sv tg ta tt te th ti to lua tum tr tk tw ug uk ur uz "
    "vu vi cy wo xh yi yo zu"
)
TO_SERPAPI = {
    "fil": "tl",
    "he": "iw",
    "jv": "jw",
    "nb": "no",
    "zh": "zh-cn",
    "zh-hans": "zh-cn",
    "zh-hant": "zh-tw",
    "zh-hk": "zh-tw",
    "zh-mo": "zh-tw",
}


def code_of(language: str, known: frozenset[str], others: Mapping[str, str]) -> str:
    """The code of ``language`` (``pt-BR``, ``ja``) on a service's list ``known``, or that of the
    language without its script or region; "" where it is not on the list. ``others`` has those
    that the service names otherwise."""
    parts = language.strip().replace("_", "-").lower().split("-")
    for size in range(len(parts), 0, -1):
        code = "-".join(parts[:size])
        code = others.get(code, code)
        if code in known:
            return code
    return ""
