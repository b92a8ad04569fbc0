"""What can go wrong, and who can fix it.

    DcqError
    ├── InputError            the caller can fix it; the message is one sentence that says how
    │   ├── PartitionError    a dataset, a file, a column
    │   ├── ModelChoiceError  a model name or endpoint that cannot be used as given
    │   ├── AskedAlreadyError another process asks this at the moment; it says which
    │   └── ChangedError      another user has changed it since it was shown
    ├── StoreError            the results store
    │   ├── StoreLockedError      another process holds the file
    │   ├── StorePathError        what DCQ_STORE names can be no store; exit code 2, as the next two
    │   ├── StoreCorruptError     the file is not a readable store
    │   ├── StoreReadOnlyError    the file or its folder cannot be written
    │   └── StoreTooNewError      written by a later release
    ├── ScanError             a corpus could not be scanned to its end
    └── EndpointError         a model endpoint
        ├── EndpointRefusedError  permanent: wrong key, unknown model; the run stops
        │   └── NoMoreCallsError      not the endpoint: the cap on calls is reached
        ├── RequestRejectedError  this one request can never work (too long, bad parameter)
        └── EndpointBusyError     passing: rate limit, server error, timeout; worth another try

A caller writes::

    try:
        sample = draw(...)
    except dcq.errors.DcqError as error:
        print(error)          # one sentence with the fix
        sys.exit(error.exit_code)
"""

from __future__ import annotations


class DcqError(Exception):
    """Base of every error we raise on purpose; ``str(error)`` can be shown to a user."""

    exit_code = 1


class InputError(DcqError):
    """The call or its input is at fault, and the message says how to fix it."""

    exit_code = 2


class PartitionError(InputError):
    """A dataset, split, file or column cannot be used as asked."""


class ModelChoiceError(InputError):
    """A model or endpoint cannot be used as named."""


class AskedAlreadyError(InputError):
    """Another process is asking this, so it would be asked and paid for twice."""


class ChangedError(InputError):
    """Somebody else has changed a record since it was read, so nothing was written."""


class StoreError(DcqError):
    """The results store cannot be used."""


class StoreLockedError(StoreError):
    """Another process held the store for longer than we were willing to wait."""


class StorePathError(StoreError):
    """What DCQ_STORE names is no plain file, or may not be read."""

    exit_code = 2


class StoreCorruptError(StoreError):
    """The file is not a store, or a damaged one."""

    exit_code = 2


class StoreReadOnlyError(StoreError):
    """The store or its folder cannot be written."""

    exit_code = 2


class StoreTooNewError(StoreError):
    """The store was written by a later release."""


class ScanError(DcqError):
    """A scanning process was lost; what was finished can be kept."""


class EndpointError(DcqError):
    """A model endpoint gave no usable reply. ``status`` is its HTTP status, if it had one;
    ``calls``, ``tokens_in`` and ``tokens_out`` are what was spent before that was known;
    ``usage_reported`` is False where the tokens are the most that it can have been."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.calls = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.usage_reported = True


class EndpointRefusedError(EndpointError):
    """Nothing sent to this endpoint or model can succeed until a person changes something."""


class NoMoreCallsError(EndpointRefusedError):
    """The calls that a person allowed are made, or a person wants no more of them."""


class RequestRejectedError(EndpointError):
    """This request can never succeed; others may."""


class EndpointBusyError(EndpointError):
    """Passing trouble. ``retry_after`` is the endpoint's own wish in seconds, if it gave one."""

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after
