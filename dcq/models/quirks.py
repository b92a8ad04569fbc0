"""Which parameters one model at one endpoint rejects, and what is sent instead."""

from __future__ import annotations

from dcq.models.faults import Trouble

LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
# Tokens added to the limit for a model with hidden reasoning; the reply itself stays short. A
# generous guess: unused tokens are not charged.
REASONING_RESERVE = 4096


class Quirks:
    """Learns from rejections which parameters an endpoint accepts; shared by all calls of a client,
    so each is learnt only once."""

    def __init__(self) -> None:
        self._rejected: set[str] = set()
        self.reserve = 0

    def parameters(
        self, max_tokens: int, temperature: float, top_logprobs: int | None, reserve: int
    ) -> dict[str, object]:
        """The parameters to send, as far as the endpoint accepts them."""
        limit_name = next((name for name in LIMIT_NAMES if name not in self._rejected), None)
        parameters: dict[str, object] = {limit_name or LIMIT_NAMES[0]: max_tokens + reserve}
        parameters["temperature"] = temperature
        if top_logprobs is not None:
            parameters |= {"logprobs": True, "top_logprobs": top_logprobs}
        return {name: value for name, value in parameters.items() if name not in self._rejected}

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
