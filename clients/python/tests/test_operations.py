"""Every generated operation reaches the service and gets an answer that this client understands."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import Any

import pytest

from backsolve import AsyncBacksolve, Backsolve, ServiceError, models
from backsolve._generated.operations import AsyncOperations, Operations

NOBODY = 10**9
METHODS = [name for name, _ in inspect.getmembers(Operations, inspect.isfunction) if not name.startswith("_")]


def arguments_of(name: str) -> dict[str, Any]:
    """Records that do not exist, and bodies that are empty: the service understands the request and refuses it."""
    given: dict[str, Any] = {}
    for parameter in list(inspect.signature(getattr(Operations, name)).parameters.values())[1:]:
        if parameter.default is not inspect.Parameter.empty:
            continue
        kind = str(parameter.annotation)
        found = re.search(r"\bm\.(\w+)", kind)
        if found:
            given[parameter.name] = getattr(models, found[1]).model_construct()
        else:
            given[parameter.name] = NOBODY if kind.startswith("int") else "x"
    return given


def test_there_are_operations() -> None:
    assert len(METHODS) > 80
    assert [name for name, _ in inspect.getmembers(AsyncOperations, inspect.isfunction) if not name.startswith("_")] == METHODS


# Any other refusal would be of a request that is wrong in itself. Forbidden is what only people may do: the key is that of the account.
UNDERSTOOD = ("NOT_FOUND", "VALIDATION_FAILED", "FORBIDDEN")


@pytest.mark.parametrize("name", METHODS)
def test_is_understood(client: Backsolve, name: str) -> None:
    try:
        answer = getattr(client, name)(**arguments_of(name))
        if inspect.isgenerator(answer):
            assert len(list(answer)) > 0
        else:
            assert 200 <= answer.status < 300
    except ServiceError as error:
        assert error.code in UNDERSTOOD, (name, error)


def test_are_understood_asynchronously() -> None:
    async def call_all() -> None:
        async with AsyncBacksolve() as client:
            for name in METHODS:
                try:
                    answer = getattr(client, name)(**arguments_of(name))
                    if inspect.isasyncgen(answer):
                        assert len([line async for line in answer]) > 0
                    else:
                        assert 200 <= (await answer).status < 300
                except ServiceError as error:
                    assert error.code in UNDERSTOOD, (name, error)

    asyncio.run(call_all())
