"""Requests and answers: retries, errors and versions, on the service and on servers that misbehave."""

from __future__ import annotations

import asyncio
import gzip
import json
import pickle
import re
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from backsolve import (
    AsyncBacksolve,
    Backsolve,
    IncompatibleServiceError,
    NotBacksolveError,
    Retry,
    ServiceError,
    TimeLimitError,
    UnreachableError,
    async_pages,
    models,
    pages,
    problems,
)
from backsolve._exchange import retry_after_of, retry_delay
from backsolve._intake import LineIntake

from .faults import CUT, HANG, PASS, RESET, FaultyServer, answer
from .service_process import Service

PROBLEM = {"type": "urn:backsolve:problem:unavailable", "detail": "The database is away.", "instance": "/v1/models"}
JSON = "Content-Type: application/json"


def problem(status: str, *headers: str, **fields: Any) -> bytes:
    return answer(status, json.dumps({**PROBLEM, **fields}), "Content-Type: application/problem+json", *headers)


def through(server: FaultyServer, service: Service, **settings: Any) -> Backsolve:
    return Backsolve(server.url, service.key, first_delay=0.001, **settings)


async def create_async(server: FaultyServer, service: Service, name: str) -> models.Model:
    async with AsyncBacksolve(server.url, service.key, first_delay=0.001) as client:
        return (await client.create_model(models.NewModel(name=name))).body


FAULTS = {
    "a broken connection": RESET,
    "an answer that is cut off": CUT,
    "429": problem("429 Too Many", "Retry-After: 0", type="urn:backsolve:problem:too-many-requests"),
    "503": problem("503 Unavailable", "Retry-After: 0"),
    "500": problem("500 Error", type="urn:backsolve:problem:internal-error"),
    "502 of a proxy": answer("502 Bad Gateway", "<html>", "Content-Type: text/html"),
    "a key in use": problem("409 Conflict", "Retry-After: 0", type="urn:backsolve:problem:idempotency-key-in-use"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_retries_under_one_key(service: Service, fault: str | bytes) -> None:
    retries: list[Retry] = []
    with FaultyServer(service.url, [PASS, fault, fault]) as server, through(server, service, on_retry=retries.append) as client:
        model = client.create_model(models.NewModel(name="Sent three times")).body
        sent = [key for method, _, key in server.seen if method == "POST"]
        assert len(sent) == 3
        assert len(set(sent)) == 1
        assert sent[0] is not None
        assert [retry.attempt for retry in retries] == [1, 2]
        named = [each for each in pages(client.list_models) if each.name == "Sent three times"]
        assert [each.id for each in named] == [model.id]
        client.delete_model(model.id)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_retries_asynchronously(service: Service, fault: str | bytes) -> None:
    plan: list[str | bytes] = [fault, PASS, fault]
    with FaultyServer(service.url, plan) as server:
        model = asyncio.run(create_async(server, service, "Sent asynchronously"))
        keys = {key for method, _, key in server.seen if method == "POST"}
    assert len(keys) == 1
    with Backsolve() as client:
        client.delete_model(model.id)


def test_gives_up(service: Service) -> None:
    with FaultyServer(service.url, [PASS, *[RESET] * 9]) as server, through(server, service, maximum_retries=2) as client:
        with pytest.raises(UnreachableError, match="No answer from"):
            client.get_account()
        assert len(server.seen) == 4


def test_waits_no_longer_than_it_may(service: Service) -> None:
    plan: list[str | bytes] = [PASS, problem("503 Unavailable", "Retry-After: 3600")]
    with FaultyServer(service.url, plan) as server, through(server, service, retry_for=1) as client:
        with pytest.raises(problems.UnavailableError) as caught:
            client.get_account()
        assert caught.value.retry_after == 3600
        assert len(server.seen) == 2


def test_limits_time(service: Service) -> None:
    with FaultyServer(service.url, [PASS, HANG]) as server, through(server, service, maximum_retries=0) as client:
        with pytest.raises(TimeLimitError, match=r"did not answer getAccount within 0\.05 s"):
            client.get_account(timeout=0.05)


async def account_of(server: FaultyServer, service: Service) -> None:
    async with AsyncBacksolve(server.url, service.key, maximum_retries=0) as client:
        await client.get_account(timeout=0.05)


def test_limits_time_asynchronously(service: Service) -> None:
    with FaultyServer(service.url, [PASS, HANG]) as server, pytest.raises(TimeLimitError):
        asyncio.run(account_of(server, service))


FOREIGN = {
    "a redirect": (answer("302 Found", "", "Location: https://example.org/"), "It redirects to https://example.org/"),
    "a login page": (answer("200 OK", "<html>", "Content-Type: text/html"), "200 and text/html"),
    "404 of a proxy": (answer("404 Not Found", "nothing", "Content-Type: text/plain"), "There is no Backsolve service"),
    "another prefix": (problem("404 Not Found", detail="There is nothing at this path.", instance="/x/v1/account"), "asked for /x/v1"),
}


@pytest.mark.parametrize(("given", "words"), FOREIGN.values(), ids=FOREIGN.keys())
def test_recognizes_what_is_no_service(service: Service, given: bytes, words: str) -> None:
    with FaultyServer(service.url, [PASS, given]) as server, through(server, service) as client:
        with pytest.raises(NotBacksolveError, match=re.escape(words)):
            client.get_account()


NOT_UNDERSTOOD = {
    "an unknown operation": problem("404 Not Found", detail="There is nothing at this path.", instance="/v1/account"),
    "another form": answer("200 OK", '{"id": "one"}', JSON),
    "an unknown status": answer("203 New", "{}", JSON),
}


@pytest.mark.parametrize("given", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD.keys())
def test_refuses_what_it_does_not_understand(service: Service, given: bytes) -> None:
    with FaultyServer(service.url, [PASS, given]) as server, through(server, service) as client:
        with pytest.raises(IncompatibleServiceError):
            client.get_account()


VERSIONS = [
    ('{"info": {"title": "Backsolve", "version": "9.0.0"}}', IncompatibleServiceError, "Upgrade the client"),
    ('{"info": {"title": "Backsolve", "version": "0.0.1"}}', IncompatibleServiceError, "Upgrade the service"),
    ('{"info": {"title": "Petstore", "version": "0.1.0"}}', NotBacksolveError, "There is no Backsolve service"),
]


@pytest.mark.parametrize(("document", "kind", "words"), VERSIONS)
def test_refuses_another_version(service: Service, document: str, kind: type[Exception], words: str) -> None:
    with FaultyServer(service.url, [answer("200 OK", document, JSON)]) as server, through(server, service) as client:
        with pytest.raises(kind, match=words):
            client.get_account()


def test_problems_are_exceptions(client: Backsolve) -> None:
    with pytest.raises(problems.ValidationFailedError) as caught:
        client.create_model(models.NewModel(name="x"))
    error = caught.value
    assert error.status == 400
    assert error.code == "VALIDATION_FAILED"
    assert error.violations[0].pointer == "/name"
    assert error.violations[0].message in str(error)
    assert error.request_id
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.violations) == (type(error), str(error), error.violations)


def test_unknown_kinds_keep_their_code(service: Service) -> None:
    given = problem("400 Bad", type="urn:backsolve:problem:brand-new", errors=[{"message": "No."}])
    with FaultyServer(service.url, [PASS, given]) as server, through(server, service) as client, pytest.raises(ServiceError) as caught:
        client.get_account()
    assert caught.value.code == "BRAND_NEW"
    assert str(caught.value).endswith("\n  No.")


def test_a_wrong_key_is_refused(service: Service) -> None:
    with Backsolve(service.url, "bks_wrong") as client, pytest.raises(problems.UnauthenticatedError):
        client.get_account()


def test_nobody_listens() -> None:
    with FaultyServer("http://127.0.0.1:9", []) as server:
        url = server.url
    with Backsolve(url, "bks_any", maximum_retries=0) as client, pytest.raises(UnreachableError):
        client.get_account()


@pytest.mark.parametrize("url", ["example.org", "ftp://x", "http://", "http://me:secret@x", "http://x/?a=1"])
def test_refuses_wrong_addresses(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        Backsolve(url, "key")


def test_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Backsolve("http://localhost:1/prefix/v1/", "key")
    assert client.address == "http://localhost:1/prefix"
    assert "key" not in repr(client)
    client.close()
    with Backsolve("https://backsolve.example", "key") as remote:
        assert remote.address == "https://backsolve.example"
    with pytest.raises(ValueError, match="without spaces"):
        Backsolve("http://x", "two words")
    monkeypatch.delenv("BACKSOLVE_URL")
    with pytest.raises(ValueError, match="set BACKSOLVE_URL"):
        Backsolve()


def test_a_proxy_of_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goes to it for a service elsewhere, never for one on this machine."""
    for name in ("HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FaultyServer(service.url, [answer("502 Bad Gateway", "no way")]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        with Backsolve("http://backsolve.example", "key", maximum_retries=0) as remote, pytest.raises(ServiceError) as caught:
            remote.get_account()
        assert caught.value.code == "HTTP_502"
        assert proxy.seen[0][1] == "http://backsolve.example/v1/openapi.json"
        with Backsolve(*service) as local:
            local.get_account()
        assert len(proxy.seen) == 1


def test_pages_and_lines(client: Backsolve, service: Service) -> None:
    made = [client.create_model(models.NewModel(name=f"Page {n}")).body.id for n in range(3)]
    found = [model.id for model in pages(client.list_models, limit=1)]
    assert set(made) <= set(found)

    async def same() -> tuple[list[int], int]:
        async with AsyncBacksolve() as other:
            ids = [model.id async for model in async_pages(other.list_models, limit=1)]
            return ids, len([line async for line in other.export_account()])

    ids, lines = asyncio.run(same())
    assert ids == found
    assert lines == len(list(client.export_account()))
    for model_id in made:
        client.delete_model(model_id)


def test_a_cut_export_is_an_error(service: Service) -> None:
    plan: list[str | bytes] = [PASS, CUT, PASS, answer("200 OK", '{"type": "hea', "Content-Type: application/x-ndjson")]
    with FaultyServer(service.url, plan) as server:
        for _ in range(2):
            with through(server, service) as client, pytest.raises(UnreachableError, match="cut off"):
                list(client.export_account())

    async def read(url: str) -> None:
        async with AsyncBacksolve(url, service.key) as other:
            _ = [line async for line in other.export_account()]

    with FaultyServer(service.url, [PASS, CUT]) as server, pytest.raises(UnreachableError, match="cut off"):
        asyncio.run(read(server.url))


def test_a_refused_export_is_an_error(client: Backsolve) -> None:
    with pytest.raises(problems.NotFoundError):
        list(client.export_model(10**9))

    async def read() -> None:
        async with AsyncBacksolve() as other:
            _ = [line async for line in other.export_model(10**9)]

    with pytest.raises(problems.NotFoundError):
        asyncio.run(read())


def test_json_has_no_nan(client: Backsolve) -> None:
    body = models.NewModelCase if hasattr(models, "NewModelCase") else models.NewInverseOutput
    with pytest.raises(ValueError, match="no NaN"):
        client.put_inverse_output(1, 1, body(output=[float("nan")]))


def test_waits() -> None:
    assert retry_delay(1, 0.25, 10) >= 10
    assert all(retry_delay(attempt, 0.25, None) <= 20 for attempt in range(1, 30))
    now = datetime.now(timezone.utc)
    dates = {"retry-after": format_datetime(now + timedelta(seconds=30)), "date": format_datetime(now)}
    assert retry_after_of(dates) == 30
    assert retry_after_of({"retry-after": "soon"}) is None
    assert retry_after_of({}) is None


def test_unknown_settings_are_refused() -> None:
    for kind in (Backsolve, AsyncBacksolve):
        with pytest.raises(TypeError, match=f"{kind.__name__} has no option 'retryfor'. Did you mean 'retry_for'?"):
            kind(retryfor=3)


def packed(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


GZIP = "Content-Encoding: gzip"
LINES = "Content-Type: application/x-ndjson"
SPACES = gzip.compress(b" " * 2**25)
LARGE = {
    "compressed": packed("200 OK", SPACES, JSON, GZIP),
    "not compressed": packed("200 OK", b" " * 2**21, JSON),
    "compressed badly": packed("200 OK", b"\x1f\x8b\x08\x08" + b"a" * 2**21, JSON, GZIP),
}


async def account_and_lines(server: FaultyServer, service: Service) -> tuple[str, str]:
    said = []
    async with AsyncBacksolve(server.url, service.key, maximum_retries=0, largest_answer=2**20) as client:
        with pytest.raises(NotBacksolveError) as caught:
            await client.get_account()
        said.append(str(caught.value))
        with pytest.raises(NotBacksolveError) as caught:
            _ = [line async for line in client.export_account()]
        said.append(str(caught.value))
    return said[0], said[1]


@pytest.mark.parametrize("fault", LARGE.values(), ids=LARGE.keys())
def test_an_answer_that_is_too_large_is_not_read_to_its_end(service: Service, fault: bytes) -> None:
    line = fault.replace(JSON.encode(), LINES.encode())
    with FaultyServer(service.url, [PASS, fault, line, PASS, fault, line]) as server:
        with through(server, service, largest_answer=2**20) as client:
            with pytest.raises(NotBacksolveError, match="The answer of .* to getAccount has more than 1,048,576 bytes: read it in pages"):
                client.get_account()
            with pytest.raises(NotBacksolveError, match="A line of the answer of .* to exportAccount has more than 1,048,576 bytes"):
                list(client.export_account())
        account, lines = asyncio.run(account_and_lines(server, service))
    assert "to getAccount has more than 1,048,576 bytes" in account
    assert "A line of the answer" in lines


def test_only_the_beginning_of_a_large_refusal_is_read(service: Service) -> None:
    with FaultyServer(service.url, [PASS, packed("500 Error", SPACES, GZIP), packed("500 Error", b"[" * 2**20)]) as server:
        with through(server, service, maximum_retries=0) as client:
            for _ in range(2):
                with pytest.raises(ServiceError) as caught:
                    client.get_account()
                assert caught.value.code == "HTTP_500"


def test_answers_that_cannot_be_decompressed_are_refused(service: Service) -> None:
    broken = [packed("200 OK", body, JSON, GZIP) for body in (b"no gzip", gzip.compress(b"{}" * 500)[:-9])]
    with FaultyServer(service.url, [PASS, *broken, packed("200 OK", b"{}", JSON, "Content-Encoding: br")]) as server:
        with through(server, service, maximum_retries=0) as client:
            for _ in broken:
                with pytest.raises(UnreachableError, match="No answer from"):
                    client.get_account()
            with pytest.raises(NotBacksolveError, match="is encoded as br, which was not requested"):
                client.get_account()


def test_lines_end_where_the_service_ends_them() -> None:
    body = LineIntake({"content-encoding": "gzip"}, "It", 100)
    packed_lines = gzip.compress('{"a": "one\u2028two"}\n{"b": 1}\n{"c'.encode() + b'": 2}')
    lines = [line for raw in (packed_lines[:30], packed_lines[30:]) for line in body.take(raw)] + list(body.end())
    assert [json.loads(line) for line in lines] == [{"a": "one\u2028two"}, {"b": 1}, {"c": 2}]
