"""The words that tell whether a sentence chooses an option's letter, rejects it or only names it.

Of the languages in which benchmarks are written and models reply most. Words are compared in lower
case; signs are those of scripts in which a word may adjoin a letter.
"""

from __future__ import annotations

import re


def listed(text: str) -> tuple[str, ...]:
    """The words of a list that is written as a text."""
    return tuple(text.split())


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

# A letter in the same clause as one of these is not chosen.
_REJECTING = frozenset(
    listed(
        """
    not no nope never cannot neither nor except out off least less false invalid fake hardly barely
    scarcely besides without unless worst bad odd worse need needs needed information insufficient
    unable difficult against lack lacks nothing none nobody if whether typo typos suspicious avoid
    ask asked asks wonder wonders suppose question

    nicht kein keine keinen keiner nein nie niemals außer weder wenigsten ohne statt scheidet
    entfällt unmöglich raus ob
    pas ne jamais sauf ni moins sans aucun aucune
    nunca jamás tampoco excepto salvo dudo menos sin ninguna
    non não nem mai meno senza errada errado
    не нет ни никогда нельзя кроме вряд наименее без ли
    niet geen nie değil yanlış ikke inte nem nu bukan tidak không sai ні
    """
    )
)
_REJECTING_STEMS = listed(
    """
    exclud eliminat reject discard dismiss unlike improbab impossib doubt wrong incorrect inaccura
    differ chang alter modif edit paraphras reword rephras rewrit rewrote reformul variant variation
    distort perturb synonym skip fail error mistak swap replac disagre rule ruling substitut tweak
    falsch unwahrscheinlich ausschl ausgeschl umformul umschr veränder geänder abgeänder bezweif
    zweif faux fauss exclu élimin écart dout incorrec erron impos improv descart elimin dud fals
    equivoc cambi altera parafras escl scart sbagli cambia исключ неверн неправильн ошиб маловеро
    невозм сомн измен перефраз переписан отброс отпада дубл
    """
)
_REJECTING_PHRASES = (
    *("other than", "instead of", "rather than", "far from", "apart from", "anything but"),
    *("all but", "any but", "hard to", "too ", "crossed out", "struck", "❌", "✗", "✘", "✖", "🚫"),
    *("❎", "~~", "👎", "⛔"),
)
_REJECTING_SIGNS = re.compile(
    r"[不难難非没沒未无無否别別莫勿错錯誤误改换換篡假違変疑问]|排除|除了|除外|修正版|ない|ません|なく|ぬ"
    r"|書き換|言い換|아니|아닙|아닌|않|없|틀린|틀렸|제외|바뀐|바뀌|수정|변경|못|불가"
    r"|ليس|(?<!\w)(?:لا|لن|لم|غير)(?!\w)|خطأ|خاطئ|مستبعد|عدا|(?<!\w)(?:לא|אין)(?!\w)|שגוי|למעט"
    r"|नहीं|गलत|सिवाय|ไม่|ผิด|ยกเว้น"
)
# What has a rejecting word in it and rejects nothing.
_CERTAIN = re.compile(
    r"\b(?:no doubt|without (?:a |any )?doubt|undoubtedly|doubtless|no question|not only|no wonder"
    r"|if (?:i|we) (?:had|have|must|were|am)(?: forced)?(?: to)?(?: choose| pick| guess| say)?"
    r"|if forced(?: to \w{1,12})?|sin (?:ninguna )?duda|sans (?:aucun )?doute|ohne zweifel"
    r"|zweifellos|без сомнени[яй]|несомненно|не сомневаюсь|un(?:changed|altered|modified|edited))\b"
    r"|毫无疑问|毫無疑問|无疑|無疑|非常|間違いなく"
)
# What a sentence says of the letter that it chooses.
_CONFIRMING = frozenset(
    listed(
        """
    correct right answer best true genuine real actual authentic likely probable familiar mine it
    choice pick identical same appropriate accurate verbatim unaltered unchanged unmodified guess
    antwort richtig richtige korrekt korrekte echt echte wahrscheinlich
    bon bonne juste réponse vrai vraie respuesta literal probable risposta originale resposta certa
    juist juiste goed goede poprawna prawidłowa właściwa doğru doğrudur asıl benar đúng rätt riktig
    """
    )
)
_CONFIRMING_STEMS = listed(
    """
    original exact match correct exakt genau wörtlich verdader corrett giust esatt corret exat
    правильн верн ответ оригинал точн исходн подлинн oryginal origine orijinal asli
    """
)
_CONFIRMING_SIGNS = re.compile(
    r"正确|正確|对|對|原文|原始|原版|原本|原句|一致|相同|答案|正解|正しい|元の|本物|選|选|맞|정답|원문|옳"
    r"|선택|고르|صحيح|أصل|נכון|נכונה|מקור|सही|ถูก"
)
# Words that say nothing of a letter by themselves.
_FILLING = frozenset(
    listed(
        """
    is are was were be been being it this that which the a an one option answer choice very quite
    clearly definitely probably me for to has have had seems looks by my in rather and so of
    ist est es è é die der das un une la le el eine ein war это вариант было
    """
    )
)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def rejects(clause: str) -> bool:
    """Whether a clause rejects, excludes, doubts or asks about what it names, or says that it was
    changed."""
    clause = _CERTAIN.sub(" ", clause.lower())
    return (
        any(map(_is_rejecting, _WORD.findall(clause)))
        or any(phrase in clause for phrase in _REJECTING_PHRASES)
        or _REJECTING_SIGNS.search(clause) is not None
    )


def confirms(clause: str) -> bool:
    """Whether a clause says of something that it is the answer or the original."""
    if rejects(clause):
        return False
    return "the one" in clause.lower() or (
        any(word in _CONFIRMING or word.startswith(_CONFIRMING_STEMS) for word in words_of(clause))
        or _CONFIRMING_SIGNS.search(clause) is not None
    )


def only_rejects(remark: str) -> bool:
    """Whether a remark on a letter has no other content than to reject it: "no", "was changed"."""
    if not rejects(remark):
        return False
    return all(word in _FILLING or _is_rejecting(word) for word in words_of(remark))


def _is_rejecting(word: str) -> bool:
    return (
        word in _REJECTING
        or word.startswith(_REJECTING_STEMS)
        or word.endswith(("n't", "n’t"))
        or word.startswith(("n'", "n’"))
    )
