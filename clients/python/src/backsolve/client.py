"""The clients, synchronous and asynchronous: connections, and the operations of the interface on them."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from ipaddress import ip_address
from types import TracebackType
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qs, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from ._errors import IncompatibleServiceError
from ._exchange import (
    Exchange,
    Pause,
    Reply,
    Retry,
    Send,
    Settings,
    cut_off,
    exchange,
    read_answer,
    read_line,
    refuse_other_version,
)
from ._generated.operations import AsyncOperations, Operations
from ._intake import LARGEST_ANSWER, LARGEST_REFUSAL, Intake, LineIntake
from ._operation import JSON_MEDIUM, LINES_MEDIUM, Answer, Operation
from ._options import refuse_unknown_options
from ._request import Request, build_request, read_address, read_key, version_request

T = TypeVar("T")
P = ParamSpec("P")
HEAD_BYTES = 4096
"""As much of the OpenAPI document as is read for its version."""


class _Base:
    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        maximum_retries: int = 8,
        retry_for: float = 60.0,
        first_delay: float = 0.25,
        timeout: float = 60.0,
        on_retry: Callable[[Retry], None] | None = None,
        largest_answer: int = LARGEST_ANSWER,
        connect_for: float | None = None,
    ) -> None:
        """
        A client for the service at `url`, by default that of BACKSOLVE_URL, with `api_key`, by default that of BACKSOLVE_API_KEY.

        A request is sent again at most `maximum_retries` times, and never later than `retry_for` seconds after its first attempt; the
        wait before it is random below `first_delay` seconds, a limit that doubles every time. Where the first request of all finds nothing
        to connect to, as at a wrong address, `connect_for` replaces `retry_for` if it is less. `timeout` is how many seconds nothing may
        arrive, `largest_answer` how many bytes an answer may have, or a line of one that is read by lines. Raises ValueError when an
        argument is missing or wrong.
        """
        self.address = read_address(_given(url, "url", "BACKSOLVE_URL"))
        self._api_key = read_key(_given(api_key, "api_key", "BACKSOLVE_API_KEY"))
        self._settings = Settings(self.address, maximum_retries, retry_for, first_delay, timeout, on_retry, connect_for)
        self._largest_answer = largest_answer
        self._is_understood = False

    def _intake(self, send: Send, response: httpx.Response, head: int | None = None) -> Intake:
        """For the whole answer, or for its first `head` bytes."""
        limit = LARGEST_REFUSAL if response.status_code >= 400 else self._largest_answer
        return Intake(response.headers, self._origin(send.request), head or limit, cut=head is not None or response.status_code >= 400)

    def _line_intake(self, request: Request, response: httpx.Response) -> LineIntake:
        return LineIntake(response.headers, self._origin(request), self._largest_answer)

    def _origin(self, request: Request) -> str:
        return f"The answer of {self.address} to {request.operation}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r})"

    def _build(self, operation: Operation, given: Mapping[str, Any]) -> Request:
        return build_request(operation, address=self.address, api_key=self._api_key, **given)

    def _options(self) -> dict[str, Any]:
        return {
            "limits": httpx.Limits(max_connections=256, max_keepalive_connections=128),
            "proxy": _proxy_of(self.address),
            # Reading the certificates of the system takes a tenth of a second, which a service without TLS has no use for.
            "verify": self.address.startswith("https:"),
        }


class Backsolve(_Base, Operations):
    """A client. Every operation is a method; several threads may share it."""

    def __init__(self, url: str | None = None, api_key: str | None = None, **settings: Any) -> None:
        refuse_unknown_options(_Base.__init__, {}, settings, type(self).__name__)
        super().__init__(url, api_key, **settings)
        self._http: httpx.BaseTransport = httpx.HTTPTransport(**self._options())
        self._checking = threading.Lock()

    __init__.__doc__ = _Base.__init__.__doc__

    def __enter__(self) -> Backsolve:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def check_version(self) -> None:
        """Raises NotBacksolveError or IncompatibleServiceError unless the service is one of this version. Every first call does so."""
        with self._checking:
            if self._is_understood:
                return
            request = version_request(self.address)
            reply = self._drive(exchange(request, self._settings, None, is_first=True), lambda send: self._send(send, HEAD_BYTES))
            refuse_other_version(reply.content.decode(errors="replace"), self.address)
            self._is_understood = True

    def _call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        body: Any = None,
        medium: str = JSON_MEDIUM,
        timeout: float | None = None,
    ) -> Answer[Any]:
        given = {"path": path, "query": query, "header": header, "body": body, "medium": medium}
        request = self._build(operation, given)
        if not self._is_understood:
            self.check_version()
        reply = self._drive(exchange(request, self._settings, timeout), self._send)
        return read_answer(reply, operation, request, self.address)

    def _lines(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Iterator[Any]:
        given = {"path": path, "query": query, "header": header, "body": None, "medium": LINES_MEDIUM}
        request = self._build(operation, given)
        self.check_version()
        opened: list[httpx.Response] = []
        try:
            self._drive(exchange(request, self._settings, timeout), lambda send: self._open(send, opened))
            try:
                intake = self._line_intake(request, opened[-1])
                for raw in opened[-1].iter_raw():
                    for line in intake.take(raw):
                        yield read_line(line, operation, request, self.address)
                for line in intake.end():
                    yield read_line(line, operation, request, self.address)
            except httpx.RequestError as error:
                raise cut_off(request, self.address) from error
        finally:
            for response in opened:
                response.close()

    def _drive(self, steps: Exchange, send: Callable[[Send], Reply]) -> Reply:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    reply = send(step)
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            result: Reply = end.value
            return result

    def _send(self, send: Send, head: int | None = None) -> Reply:
        response = self._http.handle_request(_to_httpx(send))
        try:
            return self._read(send, response, head)
        finally:
            response.close()

    def _read(self, send: Send, response: httpx.Response, head: int | None = None) -> Reply:
        intake = self._intake(send, response, head)
        for raw in response.iter_raw():
            if not intake.take(raw):
                break
        return Reply(response.status_code, response.headers, intake.end())

    def _open(self, send: Send, opened: list[httpx.Response]) -> Reply:
        response = self._http.handle_request(_to_httpx(send))
        opened.append(response)
        return self._read(send, response) if response.status_code >= 400 else Reply(response.status_code, response.headers, b"")


class AsyncBacksolve(_Base, AsyncOperations):
    """A client whose operations are awaited. It belongs to one event loop."""

    def __init__(self, url: str | None = None, api_key: str | None = None, **settings: Any) -> None:
        refuse_unknown_options(_Base.__init__, {}, settings, type(self).__name__)
        super().__init__(url, api_key, **settings)
        self._http: httpx.AsyncBaseTransport = httpx.AsyncHTTPTransport(**self._options())

    __init__.__doc__ = _Base.__init__.__doc__

    async def __aenter__(self) -> AsyncBacksolve:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def check_version(self) -> None:
        """Raises NotBacksolveError or IncompatibleServiceError unless the service is one of this version. Every first call does so."""
        if self._is_understood:
            return
        request = version_request(self.address)
        reply = await self._drive(exchange(request, self._settings, None, is_first=True), lambda send: self._send(send, HEAD_BYTES))
        refuse_other_version(reply.content.decode(errors="replace"), self.address)
        self._is_understood = True

    async def _call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        body: Any = None,
        medium: str = JSON_MEDIUM,
        timeout: float | None = None,
    ) -> Answer[Any]:
        given = {"path": path, "query": query, "header": header, "body": body, "medium": medium}
        request = self._build(operation, given)
        if not self._is_understood:
            await self.check_version()
        reply = await self._drive(exchange(request, self._settings, timeout), self._send)
        return read_answer(reply, operation, request, self.address)

    async def _lines(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[Any]:
        given = {"path": path, "query": query, "header": header, "body": None, "medium": LINES_MEDIUM}
        request = self._build(operation, given)
        await self.check_version()
        opened: list[httpx.Response] = []
        try:
            await self._drive(exchange(request, self._settings, timeout), lambda send: self._open(send, opened))
            try:
                intake = self._line_intake(request, opened[-1])
                async for raw in opened[-1].aiter_raw():
                    for line in intake.take(raw):
                        yield read_line(line, operation, request, self.address)
                for line in intake.end():
                    yield read_line(line, operation, request, self.address)
            except httpx.RequestError as error:
                raise cut_off(request, self.address) from error
        finally:
            for response in opened:
                await response.aclose()

    async def _drive(self, steps: Exchange, send: Callable[[Send], Awaitable[Reply]]) -> Reply:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    reply = await send(step)
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            result: Reply = end.value
            return result

    async def _send(self, send: Send, head: int | None = None) -> Reply:
        response = await self._http.handle_async_request(_to_httpx(send))
        try:
            return await self._read(send, response, head)
        finally:
            await response.aclose()

    async def _read(self, send: Send, response: httpx.Response, head: int | None = None) -> Reply:
        intake = self._intake(send, response, head)
        async for raw in response.aiter_raw():
            if not intake.take(raw):
                break
        return Reply(response.status_code, response.headers, intake.end())

    async def _open(self, send: Send, opened: list[httpx.Response]) -> Reply:
        response = await self._http.handle_async_request(_to_httpx(send))
        opened.append(response)
        return await self._read(send, response) if response.status_code >= 400 else Reply(response.status_code, response.headers, b"")


def pages(method: Callable[P, Answer[list[T]]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """The items of a list, page after page: `pages(client.list_models)`."""
    asked: dict[str, Any] = dict(kwargs)
    after: int | None = None
    while True:
        answer = method(*args, **asked)
        yield from answer.body
        after = _next_page(answer.headers, after)
        if after is None:
            return
        asked["after"] = after


async def async_pages(method: Callable[P, Awaitable[Answer[list[T]]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
    """The items of a list, page after page: `async_pages(client.list_models)`."""
    asked: dict[str, Any] = dict(kwargs)
    after: int | None = None
    while True:
        answer = await method(*args, **asked)
        for item in answer.body:
            yield item
        after = _next_page(answer.headers, after)
        if after is None:
            return
        asked["after"] = after


def _next_page(headers: Mapping[str, str], before: int | None) -> int | None:
    """Position after which the next page comes. Raises IncompatibleServiceError when that is no step forward, which would never end."""
    for link in headers.get("link", "").split(","):
        target, _, relation = link.partition(";")
        if 'rel="next"' in relation:
            after = parse_qs(urlsplit(target.strip(" <>")).query).get("after", [""])[0]
            if not re.fullmatch(r"\d{1,18}", after) or int(after) <= (before or 0):
                raise IncompatibleServiceError("The pages of a list do not advance: the next one begins after the same item.")
            return int(after)
    return None


def _to_httpx(send: Send) -> httpx.Request:
    """For a transport: redirects, cookies and passwords, for which a client of httpx cares, have no place here, and cost half a request."""
    request = send.request
    timeout = httpx.Timeout(send.timeout, connect=min(send.timeout, 30.0)).as_dict()
    return httpx.Request(
        request.method, request.url, headers=dict(request.headers), content=request.content, extensions={"timeout": timeout}
    )


def _given(value: str | None, name: str, variable: str) -> str:
    found = value or os.environ.get(variable)
    if not found:
        raise ValueError(f"The {name} of the service is missing: give {name}=..., or set {variable}.")
    return found


def _proxy_of(address: str) -> str | None:
    """As the environment has it. One that is meant for the network knows nothing of this machine."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if _is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
