"""Sequences of calls that are written once and run by either client. A step names an operation; what is sent back is its Answer."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from ._generated.operations import AsyncOperations, Operations
from ._operation import Answer

T = TypeVar("T")


class Call:
    """A method of the client, and its arguments."""

    def __init__(self, method: str, *args: Any, **kwargs: Any) -> None:
        self.method = method
        self.args = args
        self.kwargs = kwargs


Steps: TypeAlias = Generator[Call, Answer[Any], T]


def run(client: Operations, steps: Steps[T]) -> T:
    try:
        call = next(steps)
        while True:
            try:
                answer = getattr(client, call.method)(*call.args, **call.kwargs)
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def run_async(client: AsyncOperations, steps: Steps[T]) -> T:
    try:
        call = next(steps)
        while True:
            try:
                answer = await getattr(client, call.method)(*call.args, **call.kwargs)
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
