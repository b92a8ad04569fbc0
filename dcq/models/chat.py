"""The chat client: one prompt in, one ``Reply`` out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urlsplit

from dcq.errors import EndpointError, RequestRejectedError
from dcq.models.client import Client
from dcq.models.completion import Completion, read_completion
from dcq.models.faults import Trouble
from dcq.models.prices import estimate_tokens
from dcq.models.prompt_cut import LARGER_CONTEXT, count_cut
from dcq.models.quirks import REASONING_RESERVE, Quirks, sent_limit
from dcq.models.replies import Call, ReplyRoom, make_reply, read_said
from dcq.models.usage import Meter
from dcq.records import Reply


class ChatClient(Client):
    """Asks one model; see ``Client`` for the parameters."""

    @cached_property
    def _quirks(self) -> Quirks:
        return Quirks(REASONING_RESERVE if self.endpoint.thinks else 0)

    async def ask(
        self,
        prompt: str,
        *,
        max_tokens: int,
        temperature: float,
        top_logprobs: int | None = None,
    ) -> Reply:
        """The model's reply to one user message.

        A refusal, a filtered reply and a reply without content are replies. Raises
        ``EndpointRefusedError`` if no call can succeed, ``RequestRejectedError`` if this one
        cannot, ``EndpointBusyError`` when the retries are used up. Token counts include replies
        that were charged and discarded, and an upper bound for calls whose reply was lost.
        """
        meter = Meter(prompt)
        try:
            return await self._converse(prompt, meter, max_tokens, temperature, top_logprobs)
        except EndpointError as error:
            meter.charge(error)
            raise

    async def _converse(
        self,
        prompt: str,
        meter: Meter,
        max_tokens: int,
        temperature: float,
        top_logprobs: int | None,
    ) -> Reply:
        """As ``ask``; its usage is counted in ``meter``."""
        room = ReplyRoom(self._quirks)
        retries = 0
        moved: set[str] = set()  # each value once: an endpoint may name another with every call
        while True:
            sent = self._quirks.parameters(
                max_tokens, temperature, top_logprobs, room.reserve, prompt
            )
            limit = sent_limit(sent) + self._quirks.overrun
            got, seconds = await self._call(prompt, sent, limit, meter)
            if isinstance(got, Trouble):
                if got.lost:
                    meter.lose(limit)
                bound = self._quirks.move(got, sent, prompt, max_tokens)
                if bound is not None and bound not in moved:
                    moved.add(bound)
                    continue
                if bound is None and self._quirks.learn(got, sent):
                    continue
                if got.reasoning_ate_limit and not room.reserve:
                    room.give(learn=True)
                    continue
                if not got.filtered:
                    retries += 1
                    await self._wait_or_raise(got, retries)
                    continue
                got = Completion(None, "content_filter", None, 0, 0, False, None)
            else:
                taken = got.tokens_in, got.tokens_out
                meter.read(*taken, limit, got.text, agrees=got.usage_agrees)
                over = (got.tokens_out or 0) - sent_limit(sent)
                self._quirks.overrun = max(self._quirks.overrun, over)
                if (fewest := count_cut(prompt, got.tokens_in)) is not None:
                    raise self._prompt_was_cut(got.tokens_in or 0, fewest)
            call = room.heard(Call(got, read_said(got, max_tokens), sent, seconds))
            if call is not None:
                return make_reply(
                    call.got,
                    call.said,
                    meter.taken,
                    sent=call.sent,
                    seconds=call.seconds,
                    calls=meter.calls,
                )

    def _prompt_was_cut(self, read: int, fewest: int) -> RequestRejectedError:
        return RequestRejectedError(
            f"{urlsplit(self.endpoint.base_url).netloc} cut the prompt: {self.endpoint.model} read"
            f" {read:,} tokens of at least {fewest:,}; {LARGER_CONTEXT}, then resume."
        )

    async def _call(
        self, prompt: str, sent: Mapping[str, object], limit: int, meter: Meter
    ) -> tuple[Completion | Trouble, float]:
        """One call under the pace limit, and its duration in seconds."""
        body = {
            "model": self.endpoint.model,
            "messages": [{"role": "user", "content": prompt}],
            **sent,
        }
        tokens = estimate_tokens(prompt) + limit if self.pace.counts_tokens else 0
        response, seconds = await self._post("/chat/completions", body, tokens, meter, limit)
        if isinstance(response, Trouble):
            return response, seconds
        return read_completion(response.content, response.headers), seconds
