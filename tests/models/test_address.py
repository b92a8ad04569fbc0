import asyncio

import httpx2
import pytest

from dcq.errors import ModelChoiceError
from dcq.models.address import check_resolved, check_url, is_near

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
    assert check_url(url, allow_metadata=True) == url.replace("METADATA", "metadata")


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


@pytest.mark.parametrize(
    "url", ["HTTP://Host.example/V1/", "http://HOST.EXAMPLE/V1", "http://host.example/V1#"]
)
def test_scheme_and_host_have_one_spelling(url: str) -> None:
    assert check_url(url) == "http://host.example/V1"


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://10.0.0.7/v1", True),
        ("http://192.168.1.7:8000/v1", True),
        ("http://[fd12::7]/v1", True),
        ("http://vllm:8000/v1", True),
        ("http://gpu.local/v1", True),
        ("http://models.example.org/v1", False),
        ("http://local.example.org/v1", False),
        ("http://8.8.8.8/v1", False),
        ("http://[2606:4700::1111]/v1", False),
    ],
)
def test_what_is_in_ones_own_network(url: str, near: bool) -> None:
    assert is_near(url) is near


@pytest.mark.parametrize(
    "host",
    ["☃.例", "１２７.0.0.1:9", "a⁄b.com", "a\u00adb.com", "0251.0376.0251.0376", "②.com"],
)
def test_a_host_that_the_library_cannot_call_is_one_sentence(host: str) -> None:
    with pytest.raises(ModelChoiceError, match="cannot be used"):
        check_url(f"http://{host}/v1")


@pytest.mark.parametrize("host", ["bücher.example", "例え.テスト", "faß.example"])
def test_an_international_host_passes(host: str) -> None:
    url = check_url(f"http://{host}/v1")
    assert httpx2.URL(url).raw_host.startswith(b"xn--")


@pytest.mark.parametrize("host", ["METADATA。google。internal", "metadata．goog"])
def test_a_metadata_name_in_another_spelling_is_refused(host: str) -> None:
    with pytest.raises(ModelChoiceError, match="metadata address"):
        check_url(f"http://{host}/v1")


# The system's resolver reads these numbers as 169.254.169.254: no name server is needed.
@pytest.mark.parametrize("host", ["2852039166", "0xa9fea9fe"])
def test_a_host_is_refused_by_what_it_resolves_to(host: str) -> None:
    url = check_url(f"http://{host}/v1")
    with pytest.raises(ModelChoiceError, match="metadata"):
        asyncio.run(check_resolved(url))
    asyncio.run(check_resolved(url, allow_metadata=True))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "no-such-host.invalid", "a" * 70])
def test_a_host_that_resolves_elsewhere_or_nowhere_passes(host: str) -> None:
    asyncio.run(check_resolved(f"http://{host}/v1"))
