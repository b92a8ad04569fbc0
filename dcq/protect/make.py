"""From accepted wordings to the files of a protected benchmark.

The secret takes a copy of the wordings before the lots are drawn, and everything after that reads
the copy alone, so that no wording can depend on a lot.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from dcq import naming, writer
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.naming import as_seen
from dcq.protect import commitment, published
from dcq.protect import secret as private
from dcq.protect.secret import KEY_BYTES, Beacon, PrivateItem, Secret
from dcq.store import Store, draws, private_wordings, samples, variants
from dcq.store.reviews import decide
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, StoredVariant
from dcq.version import __version__
from dcq.words import counted
from dcq.writer import Kept

SECRET, COMMITMENT = "private.dcqsecret", "commitment.json"
PUBLISHED, TABLE, CROISSANT = "published.jsonl", "published.csv", "croissant.json"


@dataclass(frozen=True)
class MadeBenchmark:
    """A secret, and sentences on what was left out."""

    secret: Secret
    notes: tuple[str, ...] = ()


def propose(
    store: Store, sample_id: str, wordings: int | None = None, beacon: Beacon | None = None
) -> MadeBenchmark:
    """A new secret of a sample's accepted wordings, with new keys; the store keeps that it was
    drawn, also where its files are never written. ``wordings`` is how many each item has; by
    default as many as most items have. Raises InputError where none are accepted."""
    sample = samples.load(store, sample_id)
    accepted = accepted_texts(store, sample)
    counts = Counter(len(texts) for texts in accepted.values() if len(texts) > 1)
    if not counts:
        raise InputError(
            f"No instance of sample {sample.id} has two accepted wordings; write some with: python "
            f"-m dcq perturb {sample.id} --variants 8, and accept them."
        )
    number = wordings or max(counts, key=lambda size: (counts[size], size))
    instances = [instance for instance in sample.instances if len(accepted[instance.id]) >= number]
    width = max(4, len(str(len(instances))))
    items = tuple(
        PrivateItem(f"{place:0{width}d}", tuple(accepted[instance.id][:number]), instance.label)
        for place, instance in enumerate(instances, 1)
    )
    if not items:
        raise InputError(f"No instance has {number} accepted wordings; accept more, or ask fewer.")
    private.check_items(items)
    partition = sample.partition
    naming.check_name(partition.title, "benchmark")
    if partition.split_title:
        naming.check_name(partition.split_title, "split")
    left = len(sample.instances) - len(instances)
    secret = Secret(
        title=partition.title,
        split=partition.split_title,
        language=partition.language,
        task=partition.task.value,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        made_by=__version__,
        canary=f"BENCHMARK DATA, NOT FOR TRAINING. canary GUID {uuid.uuid4()}",
        items=items,
        key=secrets.token_bytes(KEY_BYTES),
        salt=secrets.token_bytes(KEY_BYTES),
        order=secrets.token_bytes(KEY_BYTES),
        beacon=beacon,
        draws=draws.count(store, sample.id) + 1,
    )
    draws.add(store, sample.id, commitment.merkle_root(secret))
    notice = f"Left out: {counted(left, 'instance')} without {number} accepted wordings."
    return MadeBenchmark(secret, (notice,) if left else ())


def accepted_texts(store: Store, sample: StoredSample) -> dict[str, list[str]]:
    """Accepted wordings by instance, in the order of their slots, without the source text."""
    wordings = of_instances(store, sample)
    return {
        instance.id: [
            variant.text
            for variant in wordings[instance.id]
            if variant.decision is Decision.ACCEPTED
            and as_seen(variant.text) != as_seen(instance.text)
        ]
        for instance in sample.instances
    }


def of_instances(store: Store, sample: StoredSample) -> dict[str, list[StoredVariant]]:
    """All wordings of each instance, in the order of their slots."""
    variants_by_instance = variants.current(store, sample.id, candidates=True)
    return {
        instance.id: [
            stored for _, stored in sorted(variants_by_instance.get(instance.id, {}).items())
        ]
        for instance in sample.instances
    }


def accept_open(store: Store, sample_id: str, author: str) -> int:
    """Accept, in a person's name, all undecided wordings in which no check found an error, and that
    equal neither the source nor another wording of their instance; returns how many."""
    sample = samples.load(store, sample_id)
    wordings = of_instances(store, sample)
    acceptable_wordings: list[StoredVariant] = []
    for instance in sample.instances:
        texts = {as_seen(instance.text)}
        for stored in wordings[instance.id]:
            key = as_seen(stored.text)
            if key not in texts and stored.usable and stored.decision is Decision.OPEN:
                acceptable_wordings.append(stored)
            texts.add(key)
    decide(store, sample.id, acceptable_wordings, Decision.ACCEPTED, author)
    return len(acceptable_wordings)


def whom_it_convinces(secret: Secret) -> str:
    """A sentence on what the lots prove, and to whom."""
    if secret.beacon is None:
        return (
            "Without a public beacon this convinces whoever trusts that you drew once: an author "
            "could try keys until the published wordings are what models like best."
        )
    return (
        f"The lots rest on round {secret.beacon.round} of {secret.beacon.source}: date "
        f"{COMMITMENT} by a third party before that round is out, and they convince anyone."
    )


def reveal(secret: Secret, value: str) -> Secret:
    """The secret with the value of its beacon's round. Raises InputError where no round was named,
    or it has a value already."""
    if secret.beacon is None:
        raise InputError("This secret names no beacon, so its lots are drawn already.")
    if secret.beacon.value:
        raise InputError(f"Round {secret.beacon.round} is in already; lots are drawn once.")
    if not value.strip():
        raise InputError("A round of a beacon has a value; give it with --value.")
    return replace(secret, beacon=replace(secret.beacon, value=value.strip()))


def open_files(secret: Secret) -> dict[str, bytes]:
    """The public files by name: the commitment and, once the lots can be drawn, the published
    benchmark."""
    files = {COMMITMENT: commitment.to_bytes(commitment.commit(secret))}
    if secret.beacon is None or secret.beacon.value:
        rows = published.rows(secret)
        lines = published.to_jsonl(rows)
        described = published.croissant(secret, hashlib.sha256(lines).hexdigest())
        files |= {
            PUBLISHED: lines,
            TABLE: published.to_csv(rows, commitment.columns(secret)),
            CROISSANT: json.dumps(described, ensure_ascii=False, indent=1).encode(),
        }
    return files


def keep_private(store: Store, secret: Secret) -> None:
    """Keep the wordings of a secret that this store holds from leaving it, all but the published
    ones."""
    root = commitment.merkle_root(secret)
    private_wordings.record(store, root, {item.id: item.wordings for item in secret.items})
    if secret.beacon is None or secret.beacon.value:
        indices = published.published_indices(secret)
        pairs = zip(secret.items, indices, strict=True)
        open_ = {item.id: [item.wordings[index]] for item, index in pairs}
        private_wordings.publish(store, root, open_)


def check_folder(folder: Path) -> None:
    """Raise InputError where ``folder`` cannot be written, or has one of the files already."""
    for name in (SECRET, COMMITMENT, PUBLISHED, TABLE, CROISSANT):  # some follow with a round
        if os.path.lexists(folder / name):  # also a link to what is not there
            raise InputError(
                f"{folder / name} exists, and a lot is drawn once; name another folder with --out."
            )
    existing = next(
        place for place in (folder, *folder.absolute().parents) if os.path.lexists(place)
    )
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise InputError(
            f"{existing} cannot be written ({error.strerror}); name another folder with --out."
        ) from None


def write(secret: Secret, folder: Path, passphrase: str = "") -> None:
    """Write all files of a new secret into ``folder``, the secret first. Raises InputError as
    ``check_folder``."""
    check_folder(folder)
    files = {SECRET: private.to_bytes(secret, passphrase), **open_files(secret)}
    writer.make_folder(folder)
    contents = {folder / name: content for name, content in files.items()}
    writer.write_all(contents, private=folder / SECRET, new=True)


def write_revealed(secret: Secret, folder: Path, passphrase: str = "") -> None:
    """Write the published files of a secret whose round is in, and replace the old secret by it.
    Raises InputError where one of the files is there with another content."""
    files = open_files(secret)
    for name, content in files.items():
        _check_free(folder / name, content)
    contents = {
        folder / name: content for name, content in files.items() if not (folder / name).exists()
    }
    contents[folder / SECRET] = private.to_bytes(secret, passphrase)
    writer.write_all(contents, private=folder / SECRET, over=Kept.SECRET)


def _check_free(path: Path, content: bytes) -> None:
    """Raise InputError where ``path`` is there with another content, or is a link."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_file() or read_bytes(path) != content:
        raise InputError(
            f"{path} is not what the secret commits to, and nothing is written over; move it away."
        )
