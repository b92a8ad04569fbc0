"""From replies to variants: the texts that were read go into the slots that still lack one."""

from __future__ import annotations

import json
from collections.abc import Collection

from dcq.store import Store, rewordings, variants
from dcq.store.rewordings import Request, Rewording
from dcq.store.variants import NewVariant
from dcq.variants import offline_writer
from dcq.variants.checks import check, passes
from dcq.variants.freeze import is_variant, open_slots
from dcq.variants.inspection import compare_meaning
from dcq.variants.prompts import INSTRUCTED


def fill(
    store: Store, rewording: Rewording, model: str, instance_ids: Collection[str] | None = None
) -> None:
    """Write a rewording's texts by ``model`` into its open slots, of all instances or of these.

    Doing so again changes nothing: a slot that was filled, or changed by a person since the
    rewording was frozen, is no longer open, and no text is written twice.
    """
    sample = rewording.sample
    present = variants.current(store, sample.id, instance_ids, candidates=True)
    lacking = open_slots(rewording, present, instance_ids)
    if not lacking:
        return
    read = rewordings.values(store, rewording.id, list(lacking))
    used = rewordings.written(store, rewording.id, list(lacking))
    instances = {one.id: one for one in sample.instances if one.id in lacking}
    offered: dict[str, list[tuple[str, Request]]] = {}
    for position, value in read.items():
        request = rewording.requests[position]
        offered.setdefault(request.instance_id, []).extend(
            (text, request)
            for text in json.loads(value)
            if text not in used.get(request.instance_id, ())
        )
    offline = model in offline_writer.ENDPOINTS
    added = INSTRUCTED if rewording.instruction else ""
    keys = [(instance_id, text) for instance_id, texts in offered.items() for text, _ in texts]
    compared = [(instances[instance_id].text, text) for instance_id, text in keys]
    language = sample.partition.language
    meant = compare_meaning(compared, language)
    close = dict(zip(keys, meant, strict=True))
    pairs = []
    for instance_id, texts in offered.items():
        slots = list(lacking[instance_id])
        there = present.get(instance_id, {})
        others = [there[slot].text for slot in there if slot not in slots]
        # The generator draws again from the same words.
        known = {one.text for one in there.values()} if offline else set()
        for text, request in texts:
            # A rewording of the original becomes a variant, one of a variant a candidate.
            slot = next((s for s in slots if is_variant(s) == (request.source is None)), None)
            if slot is None or text in known:
                continue
            same = close[instance_id, text]
            found = tuple(check(instances[instance_id], text, others, same, language=language))
            if not passes(found):
                continue
            slots.remove(slot)
            new = NewVariant(
                instance_id,
                slot,
                text,
                model if offline else f"model:{model}",
                rewording.author,
                found,
                None if offline else f"{request.prompt}{added}",
                rewording.id,
            )
            pairs.append((new, there.get(slot)))
            others.append(text)
    variants.replace(store, sample.id, pairs)
