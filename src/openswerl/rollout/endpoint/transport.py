"""Explain why no response came: proxies, names, ports, certificates, and clocks."""

import os
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.endpoint.problems import Problem


def of_failure(error: BaseException, channel: Channel) -> Problem:
    """Explain an exception of the transport."""
    kinds = list(_chain(error))
    names = {type(one).__name__ for one in kinds}
    insecure = next((one for one in kinds if isinstance(one, ssl.SSLError)), None)
    proxy = proxy_of(channel)
    if proxy and names & {"ProxyError", "ConnectError", "ConnectTimeout"} and (not insecure or _secured(proxy[0])):
        return _dead_proxy(*proxy, channel, _words(error, channel))
    if insecure:
        return _tls(insecure, channel)
    if any(isinstance(one, socket.gaierror) for one in kinds):
        return Problem(
            "unreachable",
            f"{channel.base_url}: there is no host {channel.host} (DNS); check {channel.base_url_variable} or "
            "rollout.endpoint.base_url, and the network",
            fatal=True,
        )
    if any(isinstance(one, ConnectionRefusedError) for one in kinds):
        return Problem(
            "unreachable",
            f"{channel.base_url}: nothing listens there (connection refused); start the server, or correct "
            f"{channel.base_url_variable} or rollout.endpoint.base_url",
            passing=True,
            fatal=True,
        )
    if names & {"ConnectTimeout", "ConnectError"}:
        return Problem(
            "unreachable",
            f"{channel.base_url}: no connection ({_words(error, channel)}); check the address and the network, or "
            "raise serving.connect_timeout_s",
            passing=True,
            fatal=True,
        )
    if any("Timeout" in name for name in names):
        return Problem(
            "too_slow",
            f"{channel.base_url}: no byte came within serving.timeout_s; raise it, lower serving.connections, or set "
            "serving.stream=true",
            passing=True,
        )
    return Problem(
        "broken_answer",
        f"{channel.base_url}: the connection ended before the answer was complete ({_words(error, channel)}); try "
        "again later",
        passing=True,
    )


def of_environment(error: Exception, channel: Channel) -> str:
    """Explain why no client could be made: it reads the variables of proxies and of certificates."""
    if proxy := proxy_of(channel):
        variable, address = proxy  # of other errors the words may hold a piece of the password
        why = "SOCKS needs `pip install socksio`" if isinstance(error, ImportError) else "no address http://host:port"
        return (
            f"the proxy {address} named by {variable} cannot be used ({why}); correct or unset {variable}, or add "
            f"{channel.host} to NO_PROXY"
        )
    named = next((name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)), None)
    if named:
        return f"the certificates named by {named} cannot be read ({_words(error, channel)}); correct or unset {named}"
    return f"{channel.base_url}: no client can be made ({_words(error, channel)})"


def too_slow(channel: Channel, seconds: float) -> Problem:
    """Explain an answer that came, but not to its end in time."""
    return Problem(
        "too_slow",
        f"{channel.base_url}: an answer was not complete within serving.total_timeout_s={seconds:g}; raise it, or "
        "lower model.max_response_tokens",
    )


def _dead_proxy(variable: str, proxy: str, channel: Channel, words: str) -> Problem:
    return Problem(
        "unreachable",
        f"{channel.base_url}: the proxy {proxy} named by {variable} cannot be reached or refuses ({words}); correct or "
        f"unset {variable}, or add {channel.host} to NO_PROXY",
        fatal=True,
    )


def wants_password(variable: str, proxy: str, channel: Channel) -> Problem:
    """Explain a proxy that lets nobody unknown through."""
    return Problem(
        "unreachable",
        f"{channel.base_url}: the proxy {proxy} named by {variable} wants a user name and a password (407); put them "
        f"into {variable} as http://user:password@host:port",
        fatal=True,
    )


def _secured(variable: str) -> bool:
    """Whether the way to the proxy itself is encrypted, so that TLS may have failed there."""
    return os.environ[variable].startswith("https://")


def _tls(error: ssl.SSLError, channel: Channel) -> Problem:
    reason = (error.reason or "").replace("_", " ").lower()
    if isinstance(error, ssl.SSLCertVerificationError):
        said = error.verify_message
        what = f"its certificate is not trusted ({said}); if it is yours, name its CA file in SSL_CERT_FILE"
    elif "wrong version" in reason or "record layer" in reason or "http request" in reason:
        what = f"it speaks plain HTTP: use http:// in {channel.base_url_variable} or rollout.endpoint.base_url"
    else:
        what = f"the secure connection failed ({reason or error}); check the address and any proxy between"
    return Problem("unreachable", f"{channel.base_url}: {what}", fatal=True)


def proxy_of(channel: Channel) -> tuple[str, str] | None:
    """Return the variable and the host:port of the proxy that requests to the endpoint take; never its password."""
    proxies = getproxies_environment()
    scheme = urlsplit(channel.base_url).scheme
    kind = next((kind for kind in (scheme, "all") if proxies.get(kind)), None)
    if kind is None or proxy_bypass(channel.host):
        return None
    variable = next(name for name in (f"{kind}_proxy", f"{kind.upper()}_PROXY") if os.environ.get(name))
    text = proxies[kind]
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        return variable, f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    except ValueError:
        return variable, "(unreadable)"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and all that it came from."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for one in error.exceptions:
                yield from _chain(one)
        error = error.__cause__ or error.__context__


def _words(error: BaseException, channel: Channel) -> str:
    """The innermost exception's own words; they may quote what the server sent."""
    inner = [one for one in _chain(error) if str(one)]
    return " ".join(channel.scrub(str(inner[-1])).split())[:120] if inner else type(error).__name__
