"""Whether the words before a letter choose it, reject it, or do neither."""

from __future__ import annotations

import re

from dcq.quiz.letter_words import confirms, rejects

# Where a clause begins. A connective belongs to the clause that it opens.
_BOUNDARY = re.compile(
    r"(?P<sentence>(?:(?<=\w\w\w)|(?<=[^\w\s]))\.(?=\W)|[!?。؟।…](?=\W)|\n)|(?P<comma>[,;،؛、])"
    r"|(?<!\w)(?=(?:but|however|so|therefore|thus|hence|because|sondern|aber|mais|pero|sino|donc|но)"
    r"(?!\w))|(?=所以|因此|但|而是|だから|따라서)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:any|all|no|every|nothing)(?:thing|one)?(?: options?)? but\b", re.IGNORECASE
)
# Signs between the words and the letter.
_SIGNS = re.compile(r"[^\w]*\Z")
_LABELLED = re.compile(r"[*_`\"'”’\s]{0,3}[:=→—–!][^\w\n:=→—–]{0,12}\Z")
_EDGE = r"(?<![^\W_])"
_ANSWER = re.compile(
    _EDGE
    + r"(?:answer|response|respuesta|réponse|reponse|antwort|risposta|resposta|ответ|відповідь"
    r"|odpowiedź|odpověď|cevap|yanıt|antwoord|svar|svaret|jawaban|đáp án|απάντηση|vastaus|válasz"
    r"|răspuns|answer[_ ]?(?:letter|option|choice)|choice|selection|selected|prediction|result)\Z"
    r"|(?:答案|正解|答え|回答|정답|답|الإجابة|الاجابة|الجواب|تשובה|התשובה|תשובה|उत्तर|คำตอบ)\Z"
)
# Quotes, marks of lists and of headings.
_AROUND = re.compile(r"\A\W+|\W+\Z")
_LABEL = re.compile(
    r"(?:(?:" + _EDGE + r"(?:the|la|le|el|l['’]|die|der|das|lo|o|a|my)?\s*" + _EDGE + r"(?:option|"
    r"choice|letter|opción|opcion|letra|choix|lettre|buchstabe|opzione|lettera|opção|opcao|вариант|"
    r"буква|варіант|opcja|seçenek|şık|optie|alternativ|pilihan|opsi|lựa chọn|επιλογή|varianta|"
    r"instance|text|version|number))|选项|選項|選択肢|선택지|옵션|보기|الخيار|الحرف|אפשרות|विकल्प|ตัวเลือก"
    r"|ข้อ|" + _EDGE + r"(?:la|el|die|der|das|le))\Z"
)
_COPULA = re.compile(
    _EDGE + r"(?:is|be|was|it['’]s|that['’]s|es|est|c['’]est|ist|lautet|wäre|sería|sea|serait|è|é|"
    r"это|adalah|là|είναι|jest|to|är|er|on|este|dır)\Z"
)
# The subject of which a letter is said. Where a language needs none, a bare verb is enough.
_SUBJECT = re.compile(
    _EDGE + r"(?:it|it['’]s|this|that|that['’]s|one|answer|option|choice|original|exact|correct|"
    r"right|verbatim|text|version|wording|instance|guess|pick|selection|response|match|best|true|"
    r"actual|real|likely|letter|sentence|c['’]est|respuesta|opción|opcion|original\w*|correct\w*|"
    r"texto|réponse|texte|bonne|choix|antwort|lösung|richtig\w*|es|das|risposta|opzione|corrett\w*|"
    r"resposta|opção|corret\w*|ответ\w*|вариант\w*|правильн\w*|верн\w*|оригинал\w*|текст\w*|"
    r"jawaban\w*|odpowied\w*|prawidłow\w*|poprawn\w*|cevap|doğru|đáp án|đúng|απάντηση|svar\w*|rätt|"
    r"antwoord|juiste|vastaus|válasz|răspuns\w*)(?![^\W_])"
)
# Where the original stands: "the exact text is in option B".
_STANDS_IN = re.compile(
    r"(?:^|" + _EDGE + r"(?P<stands>is|stands|appears|found|given|contained|reproduced)\s+)"
    r"(?:in|under|at|as)\Z"
)
_BARE_COPULA = re.compile(
    r"\W*(?:(?:что|que|dass|che) )?(?:es|est|è|é|это|c['’]est|adalah|là|είναι|jest)\Z"
)
_VERB = re.compile(
    _EDGE + r"(?:select|choose|pick|think|believe|say|guess|go with|go for|prefer|recogni[sz]e|"
    r"remember|opt for|vote for|lean(?:ing)? towards?|settle on|conclude|take|trust|chose|picked|"
    r"selected|choosing|going with)(?: that| on)?(?: it is| it['’]s| for)?\Z"
)
# In the first person, so that no other can be meant.
_FIRST_PERSON = re.compile(
    _EDGE
    + r"(?:elijo|escojo|selecciono|creo que|choisis|prends|choisirais|dirais|diría que|wähle|nehme|"
    r"tippe auf|ich (?:würde|werde|möchte)|scelgo|escolho|выбираю|выберу|выбрала?|думаю|обираю|"
    r"wybieram|kies|väljer|velger|vælger|memilih|pilih|chọn|seçiyorum|seçerim|choose|επιλέγω|valitsen)\Z"
)
_I = re.compile(r"(?<![^\W_])(?:i|we|me|i['’](?:d|ll|m|ve)|we['’](?:d|ll)|let['’]?s|my)(?![^\W_])")
_STARTS_WITH_VERB = re.compile(
    r"\W*(?:so |then |therefore |thus |hence )?(?:(?:would|will|must|should) )?(?:select|choose|"
    r"pick|guess|go with|selecting|choosing|picking|going with|selected|opt for)\b"
)
_SUBORDINATE = re.compile(r"\s*(?:что|dass|ob|que|che|that|which)(?!\w)")
_SUBJECT_FOLLOWS = re.compile(
    _EDGE + r"(?:think|believe|say|guess|that|since|because|so|therefore|thus|hence|but|and|only|"
    r"while|clearly|dass|que|che|что|denke|glaube|мне кажется|parce que|porque|weil|also|donc)\Z"
    r"|(?:认为|認為|觉得|覺得|所以|因此|因为|而|はい|私は|선택지)\Z"
)
_TO_VERB = re.compile(r"(?<![^\W_])to \w+(?: \w+)?\Z")
_WANT_TO = re.compile(
    r"(?:like|want|going|have|had|prefer|inclined|decided?|opt|chose|am) to \w+(?: \w+)?\Z"
)
_OTHERS = re.compile(
    r"(?<![^\W_])(?:you|they|he|she|people|models?|others|someone|who|students?|users?|your|their|"
    r"which|what|why|how)(?![^\W_])"
)
_ASKS = re.compile(
    r"\W*(?:is|does|did|do|was|which|what|why|should|could|would|can|how|where|who|are|ist|est-ce|"
    r"welche\w*|warum|quelle?|pourquoi|cuál|qué|какой|почему)\s"
)
_THUS = re.compile(
    r"\W*(?:so|therefore|thus|hence|but|it['’]s|donc|also|daher|deshalb|sondern|sino|поэтому|значит|"
    r"luego|quindi|portanto|ultimately|finally|overall|sure|ok|okay|well|yes|alright|certainly|"
    r"(?:most |very )?(?:likely|probably|definitely|clearly|obviously|presumably)|wahrscheinlich|"
    r"probablement|probablemente|вероятно|скорее всего|"
    r"of course|hmm|in my (?:view|opinion))\Z"
    r"|\W*(?:所以|因此|故|而是|だから|よって|따라서|그래서|おそらく|多分|たぶん|아마)\Z"
)
_OPENED = re.compile(
    r"\W*(?:if (?:i|we) (?:had|have|must|were)\b.{0,40}|if forced\b.{0,40}|"
    r"without (?:a |any )?doubt|no doubt|sure|ok|okay|well|"
    r"yes|hmm|alright|certainly|of course|ultimately|finally|overall|therefore|"
    r"thus|hence|so|in my \w+|based on .{0,60}|if i must.{0,20}|ja|oui|sí|да|скорее всего|возможно|"
    r"(?:most )?(?:likely|probably)|\s*|好的?|はい|네)\W*\Z"
)
_SIGN_CHOICE = re.compile(
    r"(?:(?:答案|选项|選項|应该|應該|认为|認為|觉得|覺得|相信|我|正确|正確|原|这|這|那|它|选择|選擇|最终|为|^)\w{0,12}[是为為]"
    r"|选择?|選擇?|我选|(?:答え?|正解|回答|原文|元|正しい\w{0,8}|私|もの|選択肢|これ|それ)は|정답은|답은|정답|답|원문은"
    r"|저는|나는|것은|الإجابة|الاجابة|الجواب|الخيار|الحرف|هي|هو|أختار|اختار|היא|הוא|בוחר|कहूँगा|है"
    r"|คำตอบคือ|คือ|เลือก)\W*\Z"
)


def chooses(left: str, *, starts: bool, ends_line: bool) -> bool | None:
    """True where the words ``left`` of a letter choose it, False where they reject it or ask about
    it, None where they do neither. ``starts``: ``left`` goes back to the beginning of the reply;
    ``ends_line``: the letter ends a line."""
    kind, clause, previous = _clause(_EXCEPT.sub("except", left.lower()), starts=starts)
    subordinate = kind == "comma" and _SUBORDINATE.match(clause)
    if rejects(previous + clause if subordinate else clause):
        return False
    if kind == "sentence" and is_question(clause):
        return False
    signs = _SIGNS.search(clause)
    body = clause[: signs.start()] if signs else clause
    if not body:
        if kind == "comma":
            return True if ends_line and _OPENED.match(previous) else None
        return True if kind == "line" or ends_line else None
    if ends_line and kind != "comma" and _LABELLED.match(clause[len(body) :]):
        return True
    return True if _is_choosing(body, kind) else None


def is_question(left: str) -> bool:
    """Whether the clause that these words are in asks, or tells what others say."""
    clause = left.lower()[-80:]
    return _ASKS.match(clause) is not None or _OTHERS.search(clause) is not None


def may_be_subject(left: str) -> bool:
    """Whether a letter after these words can be what a sentence speaks of: the "B" of "I think B is
    the original", not that of "vitamin B is the original"."""
    _, clause, _ = _clause(left.lower(), starts=False)
    signs = _SIGNS.search(clause)
    body = clause[: signs.start()] if signs else clause
    return not body or _LABEL.search(body) is not None or _SUBJECT_FOLLOWS.search(body) is not None


def _clause(left: str, *, starts: bool) -> tuple[str, str, str]:
    """How the clause at the end of ``left`` begins (line, sentence, comma or connective), the
    clause, and the one before it."""
    kind, begin, before = ("line" if starts else "sentence"), 0, 0
    for match in _BOUNDARY.finditer(left):
        if match.end() == begin and begin:
            continue
        before, begin = begin, match.end()
        kind = match.lastgroup or "connective"
        if kind == "sentence" and match[0] == "\n":
            kind = "line"
    return kind, left[begin:], left[before:begin]


def _is_choosing(body: str, kind: str) -> bool:
    label = _LABEL.search(body)
    if label:
        body = _AROUND.sub("", body[: label.start()])
        if not body:
            return kind != "comma"
        if confirms(body.split()[-1]):
            return not _OTHERS.search(body)
        if stands := _STANDS_IN.search(body):
            alone = not stands["stands"] and kind != "comma"
            return alone or (_SUBJECT.search(body) is not None and not _OTHERS.search(body))
    if _ANSWER.search(body) or _THUS.match(body) or _SIGN_CHOICE.search(body):
        return not _OTHERS.search(body)
    if _FIRST_PERSON.search(body):
        return not _OTHERS.search(body)
    copula = _COPULA.search(body)
    if copula:
        bare = _BARE_COPULA.match(body)
        return bare is not None or _SUBJECT.search(body) is not None
    if not _VERB.search(body) or _OTHERS.search(body):
        return False
    if _TO_VERB.search(body) and not _WANT_TO.search(body):
        return False
    return _I.search(body) is not None or _STARTS_WITH_VERB.match(body) is not None
