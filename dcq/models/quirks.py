"""Which parameters and values one model at one endpoint rejects, and what is sent instead."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dcq.models.faults import Trouble
from dcq.models.stated_limits import LIMIT_NAMES, read_move, read_room

# Tokens added to the limit for a model with hidden reasoning; the reply itself stays short. A
# generous guess: unused tokens are not charged.
REASONING_RESERVE = 4096
_LIMIT = "limit"  # of tokens, by whichever name it is sent


class Quirks:
    """Learns from rejections which parameters an endpoint accepts; shared by all calls of a client,
    so each is learnt only once."""

    def __init__(self, reserve: int = 0) -> None:
        self._rejected: set[str] = set()
        self._bounds: dict[str, tuple[float, float]] = {}  # the least and greatest value, by name
        self._context: int | None = None
        self._tokens_per_byte = 0.0
        self.reserve = reserve
        # Whether a cut reply may be a thought without a mark; asked of one reply only.
        self.may_think = True
        # By how much a reply was longer than its limit, which then binds no hidden reasoning.
        self.overrun = 0

    def parameters(
        self,
        max_tokens: int,
        temperature: float,
        top_logprobs: int | None,
        reserve: int,
        prompt: str = "",
    ) -> dict[str, object]:
        """The parameters to send with a prompt, as far as the endpoint accepts them."""
        limit_name = next((name for name in LIMIT_NAMES if name not in self._rejected), None)
        limit = max_tokens + reserve
        if self._context is not None:
            room = self._context - math.ceil(_bytes(prompt) * self._tokens_per_byte)
            limit = min(limit, max(room, _least_room(max_tokens)))
        parameters: dict[str, object] = {limit_name or LIMIT_NAMES[0]: self._bound(_LIMIT, limit)}
        parameters["temperature"] = self._bound("temperature", temperature)
        if top_logprobs is not None:
            bounded = self._bound("top_logprobs", top_logprobs)
            parameters |= {"logprobs": True, "top_logprobs": bounded}
        return {name: value for name, value in parameters.items() if name not in self._rejected}

    def _bound(self, name: str, value: float) -> float:
        least, greatest = self._bounds.get(name, (-math.inf, math.inf))
        return min(max(value, least), greatest)

    def move(
        self, trouble: Trouble, sent: Mapping[str, object], prompt: str, max_tokens: int
    ) -> str | None:
        """Note the bound that the endpoint named for a value of ``sent``; returns what it bounds,
        or None where it named nothing that another call could keep to. The token limit is never
        raised by more than ``REASONING_RESERVE``."""
        if trouble.status not in (400, 413, 422, 429) or trouble.filtered:
            return None
        limit = sent_limit(sent)
        room = read_room(trouble.words, limit)
        if room is not None:
            if not _least_room(max_tokens) <= room.context - room.prompt < limit:
                return None
            self._context = min(room.context, self._context or room.context)
            ratio = room.prompt / max(1, _bytes(prompt))
            self._tokens_per_byte = max(self._tokens_per_byte, ratio)
            return "context"
        if trouble.above_pace is not None:
            within = limit - trouble.above_pace
            moved = (LIMIT_NAMES[0], float(within)) if within >= max_tokens else None
        else:
            moved = read_move(trouble.words, trouble.parameter, sent)
        return self._learn_bound(*moved, sent, max_tokens) if moved else None

    def _learn_bound(
        self, parameter: str, bound: float, sent: Mapping[str, object], max_tokens: int
    ) -> str | None:
        """Keep to a bound from now on; returns what it bounds, None where it is out of reach."""
        name = _LIMIT if parameter in LIMIT_NAMES else parameter
        if name == _LIMIT and not 1 <= bound <= max_tokens + REASONING_RESERVE:
            return None
        before = sent_limit(sent) if name == _LIMIT else float(str(sent[name]))
        value = bound if name == "temperature" else int(bound)
        least, greatest = self._bounds.get(name, (-math.inf, math.inf))
        if value > before:
            self._bounds[name] = max(least, value), greatest
        else:
            self._bounds[name] = least, min(greatest, value)
        return name

    def learn(self, trouble: Trouble, sent: dict[str, object]) -> bool:
        """Note the parameter that was rejected; False if no other way of asking is left.

        The token limit is renamed and never dropped: a call without one could cost anything.
        """
        name = trouble.rejected(sent)
        if name is None:
            return False
        if name in LIMIT_NAMES and self._rejected & (set(LIMIT_NAMES) - {name}):
            return False
        self._rejected |= {"logprobs", "top_logprobs"} if "logprobs" in name else {name}
        return True


def sent_limit(sent: Mapping[str, object]) -> int:
    """The most tokens that a reply to a call with these parameters may have."""
    limits = [sent[name] for name in LIMIT_NAMES if name in sent]
    return max((limit for limit in limits if isinstance(limit, int)), default=0)


def _least_room(max_tokens: int) -> int:
    """The fewest tokens with which a reply that may have ``max_tokens`` is worth asking for: half
    of a long one, all of a short one."""
    return max_tokens if max_tokens < 64 else max_tokens // 2


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
