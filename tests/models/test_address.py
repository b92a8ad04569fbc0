import asyncio

import pytest

from dcq.errors import ModelChoiceError
from dcq.models.address import check_resolved, check_url

METADATA = [
    "http://169.254.169.254/v1",
    "http://169.254.170.2/v1",
    "http://[fe80::1]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[64:ff9b::a9fe:a9fe]/v1",
    "http://[2002:a9fe:a9fe::]/v1",
    "http://100.100.100.200/v1",
    "http://metadata.google.internal/v1",
    "http://METADATA.google.internal./v1",
]


@pytest.mark.parametrize("url", METADATA)
def test_a_metadata_address_is_refused_unless_allowed(url: str) -> None:
    with pytest.raises(ModelChoiceError, match="DCQ_ALLOW_METADATA_ADDRESSES"):
        check_url(url)
    assert check_url(url, allow_metadata=True) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8080/v1",
        "http://10.0.0.5/v1",
        "http://169.253.1.1/v1",
        "https://api.example.com/v1",
        "http://metadata.example.com/v1",
    ],
)
def test_other_addresses_pass(url: str) -> None:
    assert check_url(url + "/") == url


# The system's resolver reads these numbers as 169.254.169.254: no name server is needed.
@pytest.mark.parametrize("host", ["2852039166", "0xa9fea9fe", "0251.0376.0251.0376"])
def test_a_host_is_refused_by_what_it_resolves_to(host: str) -> None:
    url = check_url(f"http://{host}/v1")
    with pytest.raises(ModelChoiceError, match="metadata"):
        asyncio.run(check_resolved(url))
    asyncio.run(check_resolved(url, allow_metadata=True))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "no-such-host.invalid", "a" * 70])
def test_a_host_that_resolves_elsewhere_or_nowhere_passes(host: str) -> None:
    asyncio.run(check_resolved(f"http://{host}/v1"))
