"""Which addresses may be used as an endpoint.

Inside a cloud, some addresses give the machine's own credentials to any program on it. An endpoint
may not lead there, whether by IP address, by name or by what a name resolves to.
"""

from __future__ import annotations

import asyncio
import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from dcq.errors import ModelChoiceError

ALLOW_VARIABLE = "DCQ_ALLOW_METADATA_ADDRESSES"
FORBIDDEN_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "169.254.0.0/16",  # link-local: AWS, Azure, Google, Oracle and others
        "fe80::/10",
        "fd00:ec2::254/128",  # AWS over IPv6
        "fd20:ce::254/128",  # Google over IPv6
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure's host agent
        "192.0.0.192/32",  # Oracle, first generation
    )
)
FORBIDDEN_NAMES = {"metadata", "metadata.google.internal", "metadata.goog", "instance-data"}
# White space, control characters, a backslash and lone surrogates: no URL has them, and programs
# differ in how they handle one that does.
_NEVER = re.compile(r"[\s\x00-\x1f\x7f\\\ud800-\udfff]")
_NAME = re.compile(rb"[A-Za-z0-9._-]{1,253}")
NAT64 = ip_network("64:ff9b::/96")
# What the client adds to a base URL itself.
_CALLS = ("/chat/completions", "/completions")
_OWN_NETWORK = (".localhost", ".local", ".internal", ".lan", ".intranet", ".home.arpa")
# How the scheme of a URL begins, or one that somebody has misspelt.
SCHEME = re.compile(
    r"(h[tps]{2,5})\s*:?\s*/+\s*|([a-z]\w*)\s*:\s*/+\s*|(https?):(?=[a-z])", re.IGNORECASE
)


def check_url(url: str, *, allow_metadata: bool = False) -> str:
    """``url`` without its trailing slash and with scheme and host in small letters, if it may be an
    endpoint's base URL.

    Raises ``ModelChoiceError`` unless it is a plain http(s) URL: with a valid host, without user
    name, password, query, fragment, white space and control characters. Raises it also for the
    name or address of a metadata service, unless ``allow_metadata``. No name is resolved.
    """
    try:
        parts = urlsplit(url)
        host = client_host(url) if parts.hostname else None
        parts.port  # noqa: B018 (reading it is what checks it)
    except ValueError:
        host = None
    if (
        host is None
        or "//" in parts.path.rstrip("/")
        or parts.scheme not in ("http", "https")
        or _NEVER.search(url)
        or not _is_valid_host(host, ip_only="[" in parts.netloc)
    ):
        # The URL is not repeated here: one that cannot be parsed may contain a password.
        right = nearest_url(url) or "one such as https://host/v1"
        raise ModelChoiceError(f"The base URL of the endpoint cannot be used; give {right}.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelChoiceError(
            f"The base URL for {host} has a user name, a query or a fragment; give the plain URL"
            " and put the key into an environment variable."
        )
    if parts.path.rstrip("/").endswith(_CALLS):
        raise ModelChoiceError(
            f"The base URL for {host} ends in the name of a call; give {nearest_url(url)}."
        )
    if not allow_metadata and (host.rstrip(".") in FORBIDDEN_NAMES or _is_metadata_ip(host)):
        raise _metadata_error(host)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def nearest_url(text: str) -> str | None:
    """The base URL that somebody can have meant with ``text``, such as ``http://localhost:8000/v1``
    for ``localhost:8000``. None if there is none, or the text may hold a password."""
    text = text.strip()
    scheme, rest = "", text
    while written := SCHEME.match(rest):  # the last, where it is written twice
        scheme, rest = next(filter(None, written.groups())).lower(), rest[written.end() :]
    host = rest.partition("/")[0]
    if scheme and not set(scheme) <= set("https"):
        return None
    if scheme:
        secure = "s" in scheme
    else:
        secure = ":" not in host and host != "localhost" and not re.fullmatch(r"[\d.]+", host)
    path = rest[len(host) :].strip("/")
    for call in _CALLS:
        path = f"/{path}".removesuffix(call).lstrip("/")
    url = f"http{'s' * secure}://{host}/{path or 'v1'}"
    try:
        parts = urlsplit(url)
        is_url = bool(parts.hostname) and parts.port != 0 and not _NEVER.search(url)
    except ValueError:
        return None
    return url if is_url and not set("@?#") & set(url) else None


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is ``localhost`` or a loopback IP address."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_near(url: str) -> bool:
    """Whether the host of a URL is this machine or in one's own network: a private IP address, or a
    name that no public server has."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return "." not in host or host.endswith(_OWN_NETWORK)
    return address.is_private or address.is_loopback or address.is_link_local


def client_host(url: str) -> str:
    """The host of ``url`` as the HTTP client looks it up: parsed by the client, since other
    libraries' rules for international names differ. Raises ``ValueError`` if it cannot be
    parsed."""
    import httpx2  # here, because it takes long and who reads a model's name does not need it

    try:
        return httpx2.URL(url).raw_host.decode("ascii")
    except httpx2.InvalidURL as error:
        raise ValueError(str(error)) from None


def _is_valid_host(host: str, *, ip_only: bool) -> bool:
    """Whether ``host`` has the form of a host name or, with ``ip_only``, of an IP address."""
    if ip_only:
        try:
            ip_address(host)
        except ValueError:
            return False
        return True
    try:
        name = host.rstrip(".").encode("idna")
    except UnicodeError:  # an empty label, one that is too long, a letter that no name has
        return False
    return _NAME.fullmatch(name) is not None


async def check_resolved(url: str, *, allow_metadata: bool = False) -> None:
    """Resolve the URL's host and refuse it if any of its addresses is a metadata address.

    A name that does not resolve passes: the call itself gives a better error.
    """
    host = client_host(url)
    if not host or allow_metadata:
        return
    try:
        addresses = await asyncio.get_running_loop().getaddrinfo(
            host, None, type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError):
        return
    if any(_is_metadata_ip(str(address[4][0])) for address in addresses):
        raise _metadata_error(host)


def _is_metadata_ip(host: str) -> bool:
    """Whether ``host`` is the IP address of a metadata service, also embedded in an IPv6 address;
    False for names."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return any(
        form in network for form in _with_embedded_ipv4(address) for network in FORBIDDEN_NETWORKS
    )


def _with_embedded_ipv4(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address and the IPv4 addresses that may be embedded in it."""
    if isinstance(address, IPv4Address):
        return [address]
    embedded = [address.ipv4_mapped, address.sixtofour]
    if address in NAT64:
        embedded.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [address, *(form for form in embedded if form is not None)]


def _metadata_error(host: str) -> ModelChoiceError:
    return ModelChoiceError(
        f"The host {host} is a cloud metadata address and cannot be an endpoint; name another host,"
        f" or set {ALLOW_VARIABLE}=1 if you mean it."
    )
