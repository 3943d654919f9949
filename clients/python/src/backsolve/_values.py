"""
Numbers, wherever programs in Python and their libraries keep them. KINDS says which single values are numbers and which are refused, with
what to do instead; `table_of` and `list_of` know the containers. Nothing else converts what people hand in. No library is imported for it.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

SHOWN_LENGTH = 80
Read: TypeAlias = Callable[[Any], float]


class NotANumberError(ValueError):
    """Something is not plainly a number. The message is a clause without its subject: `is 1j, a complex number: ...`."""


def show(value: Any) -> str:
    """As messages have it; numbers and texts as in those of the command and the client in TypeScript."""
    if isinstance(value, float):
        return _show_float(value)
    text = (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int | Decimal | Fraction)
        else repr(value)
    )
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}..."


def _show_float(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    exact = Decimal(float.__repr__(value)).normalize()
    power = exact.adjusted()
    if -7 < power < 21:
        return f"{abs(exact) if exact == 0 else exact:f}"
    return f"{exact.scaleb(-power):f}e{power:+d}"


def _refusal(what: str, advice: str) -> Read:
    def refuse(value: Any) -> float:
        raise NotANumberError(f"is {show(value)}, {what}: {advice}")

    return refuse


def _time(advice: str) -> Read:
    return _refusal("a time", f"give the numbers since one of them, such as {advice}")


def _duration(advice: str) -> Read:
    return _refusal("a duration", f"divide by the unit that you mean, such as {advice}")


SECONDS = '/ np.timedelta64(1, "s")'
PYTHON_SECONDS = "/ timedelta(seconds=1)"
KINDS: Mapping[str, Read] = {
    each: read
    for names, read in (
        (
            "builtins.float builtins.int builtins.bool decimal.Decimal fractions.Fraction "
            "numpy.floating numpy.integer numpy.bool numpy.bool_",
            float,
        ),
        ("builtins.NoneType pandas.NAType pandas._NaT numpy.MaskedConstant", lambda _: math.nan),
        ("pyarrow.Scalar", lambda value: number_of(value.as_py())),
        ("builtins.str builtins.bytes", _refusal("which is not a number", "convert texts with float(...), or .astype(float) of an array")),
        ("builtins.complex numpy.complexfloating", _refusal("a complex number", "give its .real, its .imag or abs(...)")),
        ("datetime.date datetime.time", _time(f"(t - t[0]) {PYTHON_SECONDS}")),
        ("numpy.datetime64 pandas.Timestamp", _time(f"(t - t[0]) {SECONDS}")),
        ("pandas._Period", _time(f"(t.to_timestamp() - t.to_timestamp()[0]) {SECONDS}")),
        (
            "pyarrow.TimestampScalar pyarrow.Date32Scalar pyarrow.Date64Scalar pyarrow.Time32Scalar pyarrow.Time64Scalar",
            _time(f"(t - t[0]) {SECONDS} with t = pandas.Series(...)"),
        ),
        ("astropy.Time", _time('(t - t[0]).to_value("s")')),
        ("datetime.timedelta", _duration(PYTHON_SECONDS)),
        ("numpy.timedelta64 pandas.Timedelta", _duration(SECONDS)),
        ("pyarrow.DurationScalar", _duration(f"pandas.Series(...) {SECONDS}")),
        ("astropy.TimeDelta", _duration('.to_value("s")')),
    )
    for each in names.split()
}
"""Reader of a single value, by its class or one that this is derived from, as package and name: the nearest one decides."""


def number_of(value: Any) -> float:
    """
    NaN where it is missing: None, NA of pandas, a masked element. A container with one value is that value. Raises NotANumberError with the
    reason and what to do.
    """
    if type(value) is float:
        return value
    try:
        read = _read_of(type(value))
        if read is not None and not getattr(value, "shape", ()):
            return read(value)
        if (table := table_of(value)) is not None:
            raise NotANumberError(f"is a table of {' and '.join(map(str, table)) or 'nothing'}, which is not a number")
        items = list_of(value)
        if items is None:
            return float(_single(value))
    except NotANumberError:
        raise
    except OverflowError:
        raise NotANumberError(f"is {show(value)}, which is too large for a 64-bit number") from None
    except Exception as error:
        # A library's own text often says what to do.
        said = "" if str(error).startswith("float() argument") else f": {error or type(error).__name__}"
        raise NotANumberError(f"is {show(value)}, which is not a number{said}") from None
    if len(items) != 1:
        raise NotANumberError(f"has {len(items)} values instead of one")
    return number_of(items[0])


def number(what: str, value: Any) -> float:
    """One of a goal or an input, say, which may not be missing. Raises ValueError."""
    try:
        found = number_of(value)
    except NotANumberError as error:
        raise ValueError(f"{what} {error}.") from None
    if math.isnan(found):
        raise ValueError(f"{what} is {show(value)}, which is not a number.")
    return found


PLAIN = frozenset((str, int, float, bool, type(None)))


def stated(what: str, value: Any) -> Any:
    """Prepares what a program states for a request, with numbers and lists in place of those of libraries. Raises ValueError."""
    if type(value) in PLAIN or isinstance(value, bytes | date) or hasattr(type(value), "model_fields"):
        # The latter is a part of a request, which was stated itself.
        return value
    if isinstance(value, Mapping):
        return {key: stated(f"{what}.{key}", each) for key, each in value.items()}
    try:
        items, table = list_of(value), table_of(value)
    except NotANumberError as error:
        raise ValueError(f"{what} {error}.") from None
    if items is not None:
        return items if all(type(item) in PLAIN for item in items) else [stated(f"{what}[{i}]", item) for i, item in enumerate(items)]
    if table is not None:
        raise ValueError(f"{what} is a table of {' and '.join(map(str, table))}: give its rows as lists, such as .to_numpy().")
    if type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if hasattr(type(value), "__index__"):
        return int(value)
    return str(value) if isinstance(value, str) else value if _read_of(type(value)) is None else number(what, value)


def numbers_of(what: str, value: Any) -> list[float]:
    """Numbers of a container with one dimension, NaN where one is missing. Raises ValueError that names the row, from 1."""
    return numbers_in(what, vector_of(what, value))


def numbers_in(what: str, items: Iterable[Any]) -> list[float]:
    found: list[float] = []
    for row, item in enumerate(items, 1):
        try:
            found.append(number_of(item))
        except NotANumberError as error:
            raise ValueError(f"Row {row} of {what} {error}.") from None
    return found


def vector_of(what: str, value: Any) -> list[Any]:
    """The single values as they are, also those of a row or column of a matrix, as MATLAB has all its vectors. Raises ValueError."""
    subject = f"{what[0].upper()}{what[1:]}" if what.startswith("the ") else what
    try:
        items, table = list_of(value), table_of(value)
    except NotANumberError as error:
        raise ValueError(f"{subject} {error}.") from None
    if items is None:
        given = show(value) if table is None else f"a table: give one of its columns {' and '.join(map(str, table))}"
        raise ValueError(f"{subject} must be a sequence of numbers, not {given}.")
    while True:
        rows = [_row_of(what, row, item) for row, item in enumerate(items, 1)]
        if all(row is None for row in rows):
            return items
        if len(items) == 1:
            items = rows[0] or []
        elif all(row is not None and len(row) == 1 for row in rows):
            items = [row[0] for row in rows if row is not None]
        else:
            sizes = " or ".join(map(str, sorted({1 if row is None else len(row) for row in rows})))
            raise ValueError(f"{subject} has {len(items)} rows of {sizes} values: give one column, such as a[:, 0].")


def _row_of(what: str, row: int, item: Any) -> list[Any] | None:
    try:
        return None if type(item) in (float, int) else list_of(item)
    except NotANumberError as error:
        raise ValueError(f"Row {row} of {what} {error}.") from None


def plain(value: Any) -> Any:
    """A table as a dictionary of its columns, an array as a list, anything else as it is. Raises NotANumberError."""
    table = table_of(value)
    if table is not None:
        return table
    items = list_of(value)
    return value if items is None else items


def table_of(value: Any) -> Mapping[Any, Any] | None:
    """Columns, or other values by name; None for anything that has no names. Raises NotANumberError where a name is there twice."""
    if isinstance(value, Mapping) and not hasattr(value, "data_vars"):
        return value
    if (names := _names_in(value)) is None:
        return None
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise NotANumberError(f"has several columns {twice}: each needs a name of its own")
    return {name: value[name] for name in names}


def _names_in(value: Any) -> list[Any] | None:
    """Column names of a structured array (numpy), a Dataset (xarray), a Table (astropy, pyarrow) or a DataFrame (pandas, polars)."""
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names is None:
        names = next((getattr(value, each) for each in ("variables", "colnames", "column_names") if hasattr(type(value), each)), None)
    if names is None and hasattr(type(value), "columns"):
        names = value.columns
    return None if names is None else list(names)


def by_label(value: Any) -> Mapping[Any, Any] | None:
    """The same, also of a Series of pandas by its index, unless that only counts."""
    if hasattr(type(value), "to_dict") and hasattr(type(value), "index") and hasattr(type(value), "array"):
        labels = list(value.index)
        if labels == list(range(len(labels))):
            return None
        twice = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
        if twice is not None:
            raise NotANumberError(f"has several values {twice}: each needs a name of its own")
        return dict(zip(labels, value.tolist(), strict=True))
    return table_of(value)


def list_of(value: Any) -> list[Any] | None:
    """Items of a container, rows of a matrix as lists or arrays; None for tables and for anything else. Raises NotANumberError for values
    with a unit.
    """
    if isinstance(value, list | tuple):
        return list(value)
    value = _without_unit(value)
    shape = getattr(value, "shape", None)
    if shape == () or (shape is None and _read_of(type(value)) is not None) or table_of(value) is not None:
        return None
    if isinstance(value, Set):
        raise NotANumberError("is a set, which has no order: give a list")
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if hasattr(value, "toarray"):
        return list_of(value.toarray())
    # From arrays of times numpy would make counts of nanoseconds.
    if kind not in ("m", "M", "V") or not hasattr(value, "__array_interface__"):
        for name in ("tolist", "to_list"):
            if hasattr(value, name):
                items: list[Any] = getattr(value, name)()
                return items
    if isinstance(value, Iterable):
        return list(value)
    if hasattr(value, "__array__"):
        import numpy as np  # noqa: PLC0415 - there, since its protocol is

        return list_of(np.asarray(value))
    return None


def is_container(value: Any) -> bool:
    """Whether `list_of` gives a list, or refuses a set, or an array because of its unit."""
    try:
        return list_of(value) is not None
    except NotANumberError:
        return isinstance(value, Set) or bool(getattr(value, "shape", ()))


def _single(value: Any) -> Any:
    """The value of an array without dimensions."""
    value = _without_unit(value)
    return number_of(value[()]) if getattr(value, "shape", None) == () and hasattr(value, "__getitem__") else value


def _without_unit(value: Any) -> Any:
    """The inside of quantities (pint, astropy, unyt, quantities) that have no unit, and of labelled arrays (xarray)."""
    kind = type(value)
    if hasattr(kind, "dims") and hasattr(kind, "data"):
        return _without_unit(value.data)
    key = next((each for each in ("units", "unit") if hasattr(kind, each)), None)
    if key is None or _read_of(kind) is not None or hasattr(kind, "freq"):
        return value
    unit = getattr(value, key)
    words = "" if unit is None else str(unit)
    if words not in ("", "dimensionless", "1 (dimensionless)", "1 dimensionless", "1.0 dimensionless"):
        way = f'.to("{words}").magnitude' if hasattr(value, "magnitude") else f'.to("{words}").value'
        raise NotANumberError(f"is in {words}: give the number in the unit that you mean, such as {way}")
    inside = next((getattr(value, each) for each in ("magnitude", "value") if hasattr(value, each)), value)
    return value if type(inside) is kind else inside


def _find_read(kind: type) -> Read | None:
    names = (f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in kind.__mro__)
    return next((KINDS[name] for name in names if name in KINDS), None)


_read_of: Callable[[Any], Read | None] = functools.cache(_find_read)
"""The reader in KINDS for values of a class."""
