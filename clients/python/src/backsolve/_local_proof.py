"""
A program of another user may take the port of a local service that was killed. So the service proves that it has the key of its
folder, and only then is the key sent.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

import httpx

PROOF_HEADER = "backsolve-proof"
PROBE_SECONDS = 10


def is_proven(url: str, key: str) -> bool:
    """Whether the service of this key answers at the address. Raises httpx.HTTPError when nothing answers."""
    nonce = secrets.token_hex(32)
    with httpx.stream("GET", _question(url, nonce), timeout=PROBE_SECONDS, trust_env=False) as response:
        return _is_right(response, httpx.URL(url), key, nonce)


class ProvenTransport(httpx.AsyncBaseTransport):
    """Every request waits for a proof, and fails without one as if nothing answered."""

    def __init__(self, inner: httpx.AsyncBaseTransport, key: str) -> None:
        self._inner = inner
        self._key = key

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        nonce = secrets.token_hex(32)
        response = await self._inner.handle_async_request(_probe(request, nonce))
        await response.aclose()
        _refuse_unproven(response, request, self._key, nonce)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class ProvenSyncTransport(httpx.BaseTransport):
    """The same without an event loop."""

    def __init__(self, inner: httpx.BaseTransport, key: str) -> None:
        self._inner = inner
        self._key = key

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        nonce = secrets.token_hex(32)
        response = self._inner.handle_request(_probe(request, nonce))
        response.close()
        _refuse_unproven(response, request, self._key, nonce)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


def _probe(request: httpx.Request, nonce: str) -> httpx.Request:
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), PROBE_SECONDS)
    return httpx.Request("GET", _question(str(request.url), nonce), extensions={"timeout": timeouts})


def _refuse_unproven(response: httpx.Response, request: httpx.Request, key: str, nonce: str) -> None:
    if not _is_right(response, request.url, key, nonce):
        raise httpx.ConnectError("The local service does not respond.", request=request)


def _question(url: str, nonce: str) -> httpx.URL:
    return httpx.URL(url).join("/proof").copy_with(params={"nonce": nonce})


def _is_right(response: httpx.Response, url: httpx.URL, key: str, nonce: str) -> bool:
    """The proof of one port is none for another, so it cannot be had from the service and passed on."""
    expected = hmac.digest(key.encode(), f"backsolve {url.port} {nonce}".encode(), hashlib.sha256).hex()
    return hmac.compare_digest(expected.encode(), response.headers.get(PROOF_HEADER, "").encode())
