"""Tests the kinds of numbers of libraries: each is the right number wherever it is handed in, or refused with the reason and what to do."""

from __future__ import annotations

import array
import io
import json
import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backsolve import OutputError, at_most, exact, fit, levels, real, within
from backsolve._generated.models import NewOutputCases
from backsolve.problem import Failed, Space, make_problem

from .test_frameworks import need

TWO = [2.5, 3.0]
SECONDS = np.array([2500, 3000], "m8[ms]").astype("m8[ns]")
STAMPS = np.datetime64("2024-01-01", "ns") + SECONDS
NAN = math.nan


def pa() -> Any:
    return need("pyarrow")


def pl() -> Any:
    return need("polars")


def xr() -> Any:
    return need("xarray")


def pint(values: Any, unit: str) -> Any:
    return need("pint").UnitRegistry().Quantity(values, unit)


def sky(module: str) -> Any:
    need("astropy")
    import importlib

    return importlib.import_module(f"astropy.{module}")


def units() -> Any:
    return sky("units")


def matlab(**values: Any) -> Any:
    """As scipy.io.loadmat reads what MATLAB saved."""
    io_of_scipy = need("scipy.io")
    file = io.BytesIO()
    io_of_scipy.savemat(file, values)
    return io_of_scipy.loadmat(file)


NUMBERS: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "list": (lambda: TWO, TWO),
    "None in a list": (lambda: [2.5, None], [2.5, NAN]),
    "whole numbers": (lambda: [2, 2**70], [2, 2.0**70]),
    "Decimal": (lambda: [Decimal("2.5"), Decimal("NaN")], [2.5, NAN]),
    "Fraction": (lambda: [Fraction(5, 2), 3], TWO),
    "array.array": (lambda: array.array("d", TWO), TWO),
    "memoryview": (lambda: memoryview(array.array("d", TWO)), TWO),
    "float16": (lambda: np.array(TWO, np.float16), TWO),
    "longdouble": (lambda: np.array(TWO, np.longdouble), TWO),
    "uint64": (lambda: np.array([2, 3], np.uint64), [2, 3]),
    "booleans": (lambda: np.array([True, True]), [1, 1]),
    "boolean of pandas": (lambda: pd.Series([True, None], dtype="boolean"), [1, NAN]),
    "scalars of numpy": (lambda: [np.float32(2.5), np.int8(3)], TWO),
    "arrays without dimensions": (lambda: [np.array(2.5), np.array(3)], TWO),
    "(1, N)": (lambda: np.array([TWO]), TWO),
    "(N, 1)": (lambda: np.array([TWO]).T, TWO),
    "a column in Fortran order": (lambda: np.asfortranarray(np.array([TWO, TWO]))[0], TWO),
    "every second element": (lambda: np.array([2.5, 0, 3.0, 0])[::2], TWO),
    "big-endian": (lambda: np.array(TWO, ">f8"), TWO),
    "matrix": (lambda: np.matrix(TWO), TWO),
    "masked": (lambda: np.ma.array(TWO, mask=[False, True]), [2.5, NAN]),
    "masked in a list": (lambda: [2.5, np.ma.masked], [2.5, NAN]),
    "objects": (lambda: np.array([2.5, None], object), [2.5, NAN]),
    "Series": (lambda: pd.Series(TWO), TWO),
    "Index": (lambda: pd.Index(TWO), TWO),
    "Int64 with NA": (lambda: pd.Series([2, None], dtype="Int64"), [2, NAN]),
    "Float64": (lambda: pd.Series(TWO, dtype="Float64"), TWO),
    "NA among objects": (lambda: pd.Series([2.5, pd.NA], dtype=object), [2.5, NAN]),
    "categories of numbers": (lambda: pd.Series(pd.Categorical(TWO)), TWO),
    "sparse Series": (lambda: pd.Series(pd.arrays.SparseArray(TWO)), TWO),
    "pandas of pyarrow": (lambda: pa() and pd.Series([2, None], dtype="int64[pyarrow]"), [2, NAN]),
    "decimals of pyarrow": (lambda: pd.Series([Decimal("2.5"), None], dtype=pd.ArrowDtype(pa().decimal128(5, 2))), [2.5, NAN]),
    "pyarrow.Array": (lambda: pa().array([2, None]), [2, NAN]),
    "pyarrow.ChunkedArray": (lambda: pa().chunked_array([[2.5], [3.0]]), TWO),
    "scalars of pyarrow": (lambda: [pa().scalar(2.5), pa().scalar(3)], TWO),
    "polars": (lambda: pl().Series([2.5, None]), [2.5, NAN]),
    "decimals of polars": (lambda: pl().Series([Decimal("2.5"), Decimal(3)]), TWO),
    "DataArray": (lambda: xr().DataArray(TWO, dims="t", coords={"t": [5, 6]}, attrs={"units": "m"}), TWO),
    "Variable of xarray": (lambda: xr().Variable("t", TWO), TWO),
    "pint without a unit": (lambda: pint(TWO, ""), TWO),
    "DataArray of pint without a unit": (lambda: xr().DataArray(pint(TWO, ""), dims="t"), TWO),
    "astropy without a unit": (lambda: TWO * units().dimensionless_unscaled, TWO),
    "column of astropy": (lambda: sky("table").Table({"a": TWO})["a"], TWO),
    "masked column of astropy": (lambda: sky("table").MaskedColumn(TWO, mask=[False, True]), [2.5, NAN]),
    "row of MATLAB": (lambda: matlab(a=np.array([TWO]))["a"], TWO),
    "field of MATLAB": (lambda: matlab(s={"a": np.array([TWO])})["s"]["a"], TWO),
    "cell of MATLAB": (lambda: matlab(c=np.array([2.5, 3.0], object))["c"], TWO),
    "sparse of scipy": (lambda: need("scipy.sparse").csr_matrix([TWO]), TWO),
}
NUMPY_SECONDS = 'divide by the unit that you mean, such as / np.timedelta64(1, "s")'
PYTHON_SECONDS = "divide by the unit that you mean, such as / timedelta(seconds=1)"
NUMPY_SINCE = 'give the numbers since one of them, such as (t - t[0]) / np.timedelta64(1, "s")'
PYTHON_SINCE = "give the numbers since one of them, such as (t - t[0]) / timedelta(seconds=1)"
OF_ROW = "Row 1 of {} is "
TEXT = "which is not a number: convert texts with float(...), or .astype(float) of an array"
REFUSED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "timedelta64[ns]": (lambda: SECONDS, OF_ROW, NUMPY_SECONDS),
    "timedelta64[ms]": (lambda: SECONDS.astype("m8[ms]"), OF_ROW, NUMPY_SECONDS),
    "datetime64": (lambda: STAMPS, OF_ROW, NUMPY_SINCE),
    "a scalar among numbers": (lambda: [1.0, SECONDS[0]], "Row 2 of {} is ", NUMPY_SECONDS),
    "timedelta": (lambda: [timedelta(seconds=2.5)] * 2, OF_ROW, PYTHON_SECONDS),
    "datetime": (lambda: [datetime(2024, 1, 1)] * 2, OF_ROW, PYTHON_SINCE),
    "date": (lambda: [date(2024, 1, 1)] * 2, OF_ROW, PYTHON_SINCE),
    "Series of durations": (lambda: pd.Series(SECONDS), OF_ROW, NUMPY_SECONDS),
    "TimedeltaIndex": (lambda: pd.TimedeltaIndex(SECONDS), OF_ROW, NUMPY_SECONDS),
    "DatetimeIndex": (lambda: pd.DatetimeIndex(STAMPS, tz="UTC"), OF_ROW, NUMPY_SINCE),
    "PeriodIndex": (lambda: pd.period_range("2024", periods=2, freq="D"), OF_ROW, "such as (t.to_timestamp() - t.to_timestamp()[0]) / np"),
    "durations of pyarrow in pandas": (lambda: pa() and pd.Series(SECONDS).astype("duration[ns][pyarrow]"), OF_ROW, NUMPY_SECONDS),
    "durations of pyarrow": (lambda: pa().array(SECONDS), OF_ROW, NUMPY_SECONDS),
    "times of pyarrow": (lambda: pa().chunked_array([pa().array(STAMPS)]), OF_ROW, NUMPY_SINCE),
    "durations of polars": (lambda: pl().Series(SECONDS), OF_ROW, PYTHON_SECONDS),
    "times of polars": (lambda: pl().Series(STAMPS), OF_ROW, PYTHON_SINCE),
    "durations of xarray": (lambda: xr().DataArray(SECONDS, dims="t"), OF_ROW, NUMPY_SECONDS),
    "Time of astropy": (lambda: sky("time").Time(["2024-01-01", "2024-01-02"]), OF_ROW, 'such as (t - t[0]).to_value("s")'),
    "TimeDelta of astropy": (lambda: sky("time").TimeDelta(TWO, format="sec"), OF_ROW, 'such as .to_value("s")'),
    "pint": (lambda: pint(TWO, "s"), "{} is in second: ", 'such as .to("second").magnitude'),
    "pint in percent": (lambda: pint(TWO, "percent"), "{} is in percent: ", 'such as .to("percent").magnitude'),
    "list of pint": (lambda: [pint(2.5, "s"), pint(3, "min")], "Row 1 of {} is in second: ", 'such as .to("second").magnitude'),
    "DataArray of pint": (lambda: xr().DataArray(pint(TWO, "s"), dims="t"), "{} is in second: ", 'such as .to("second").magnitude'),
    "astropy": (lambda: TWO * units().km, "{} is in km: ", 'such as .to("km").value'),
    "column of astropy with a unit": (lambda: sky("table").Table({"a": TWO}, units={"a": "m"})["a"], "{} is in m: ", '.to("m").value'),
    "complex": (lambda: np.array([1j, 2]), OF_ROW, "1j, a complex number: give its .real, its .imag or abs(...)"),
    "complex without an imaginary part": (lambda: np.array(TWO, complex), OF_ROW, "give its .real, its .imag or abs(...)"),
    "texts": (lambda: ["2.5", "3"], OF_ROW, f'"2.5", {TEXT}'),
    "texts of numpy": (lambda: np.array(["2.5", "3"]), OF_ROW, f'"2.5", {TEXT}'),
    "bytes": (lambda: np.array([b"2.5", b"3"]), OF_ROW, f"b'2.5', {TEXT}"),
    "texts of pandas": (lambda: pd.Series(["2,5", "3"]), OF_ROW, f'"2,5", {TEXT}'),
    "categories of texts": (lambda: pd.Series(pd.Categorical(["a", "b"])), OF_ROW, f'"a", {TEXT}'),
    "intervals": (lambda: pd.interval_range(0, 2), OF_ROW, "Interval(0, 1, closed='right'), which is not a number"),
    "a whole number beyond the range": (lambda: [10**400, 1], OF_ROW, "which is too large for a 64-bit number"),
    "signalling NaN": (lambda: [Decimal("sNaN"), 1], OF_ROW, "which is not a number: cannot convert signaling NaN to float"),
    "several columns": (lambda: np.ones((5, 2)), "{} has 5 rows of 2 values: ", "give one column, such as a[:, 0]"),
    "rows of different lengths": (lambda: [[1.0], [2.0, 3.0], [4.0]], "{} has 3 rows of 1 or 2 values: ", "give one column"),
    "set": (lambda: {1.0, 2.0}, "{} is a set, ", "which has no order: give a list"),
}


def same(found: Any, expected: list[float]) -> bool:
    return list(map(str, found)) == list(map(str, map(float, expected)))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(("make", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_what_is_a_number(make: Callable[[], Any], expected: list[float]) -> None:
    kept = [value for value in expected if not math.isnan(value)]
    assert list(fit(make()).values) == kept
    count = len(expected)
    numbered = fit([1.0] * count, x=range(count))
    assert same(numbered.read("level", make()), expected)
    assert same(numbered.read("level", (range(count), make())), expected)
    if len(kept) == count:
        assert fit([1.0] * count, make(), x=make()).x == fit([1.0] * count, make()).sigma == tuple(expected)
        at = fit([1.0] * count, x=expected)
        assert same(at.read("level", {"x": make(), "y": make()}), expected)
    given = make()
    if not (isinstance(given, list) and None in given):
        found = Space({"a": real(0, 1)}, ("T", "cost")).read_output(given)
        assert found == expected if len(kept) == count else found == Failed("cost is nan")


@pytest.mark.parametrize(("make", "where", "advice"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(make: Callable[[], Any], where: str, advice: str) -> None:
    data = fit([1.0, 2.0], x=[0, 1])
    for what, read in (
        ("data", lambda: fit(make())),
        ("x", lambda: fit([1.0, 2.0], x=make())),
        ("sigma", lambda: fit([1.0, 2.0], make())),
        ("the output level", lambda: data.read("level", make())),
        ("the output level", lambda: data.read("level", (range(2), make()))),
        ("the grid of the output level", lambda: data.read("level", {"x": make(), "y": [1.0, 2.0]})),
    ):
        with pytest.raises((ValueError, OutputError)) as refused:
            read()
        said = str(refused.value)
        subject = where.format(f"{what[0].upper()}{what[1:]}" if where.startswith("{}") and what.startswith("the") else what)
        assert said.startswith(subject)
        assert advice in said


@pytest.mark.parametrize(("make", "where", "advice"), REFUSED.values(), ids=REFUSED)
def test_a_single_number_of_a_refused_kind_is_refused_by_its_name(make: Callable[[], Any], where: str, advice: str) -> None:
    given = make()
    if isinstance(given, set) or not where.startswith("Row 1"):
        return
    first = given.iloc[0] if isinstance(given, pd.Series) else given[0]
    advice = advice.removeprefix('divide by the unit that you mean, such as / np.timedelta64(1, "s")').removeprefix("give the numbers")
    single = Space({"a": real(0, 1)}, ("T", "cost"))
    for what, read in (
        ("The output T", lambda: single.read_output({"T": first, "cost": 1})),
        ("The output T", lambda: single.read_output([first, 1])),
        ("The output T", lambda: Space({"a": real(0, 1)}, ("T",)).read_output({"T": first})),
        ("The target", lambda: exact(first)),
        ("The tolerance", lambda: within(1, first)),
        ("The limit", lambda: at_most(first)),
        ("The maximum", lambda: real(0, first)),
        ("A level", lambda: levels(0, first)),
    ):
        with pytest.raises((ValueError, OutputError)) as refused:
            read()
        assert str(refused.value).startswith(f"{what} is ")
    with pytest.raises(ValueError, match="The input a must be .* a pair of bounds. The maximum is "):
        make_problem({"a": (0, first)}, {"T": exact(1)})


TABLES: dict[str, Callable[[], Any]] = {
    "dictionary": lambda: {"t": TWO, "h": [5.0, 7.0]},
    "pandas": lambda: pd.DataFrame({"t": TWO, "h": [5, 7]}),
    "nullable pandas": lambda: pd.DataFrame({"t": TWO, "h": [5, 7]}).convert_dtypes(),
    "pandas of pyarrow": lambda: pa() and pd.DataFrame({"t": TWO, "h": [5, 7]}).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl().DataFrame({"t": TWO, "h": [5, 7]}),
    "pyarrow": lambda: pa().table({"t": TWO, "h": [5, 7]}),
    "pyarrow.RecordBatch": lambda: pa().RecordBatch.from_pydict({"t": TWO, "h": [5, 7]}),
    "Dataset": lambda: xr().Dataset({"h": ("t", [5, 7])}, coords={"t": TWO}),
    "astropy": lambda: sky("table").Table({"t": TWO, "h": [5, 7]}),
    "structured array": lambda: np.array([(2.5, 5), (3.0, 7)], dtype=[("t", float), ("h", int)]),
    "record array": lambda: pd.DataFrame({"t": TWO, "h": [5, 7]}).to_records(index=False),
    "struct of MATLAB": lambda: matlab(out={"t": TWO, "h": [5, 7]})["out"],
    "columns of a matrix": lambda: np.array([[2.5, 5], [3.0, 7]]).T,
    "vectors of MATLAB": lambda: (np.array([TWO]), np.array([[5], [7]])),
    "pair in one row": lambda: np.array([[TWO, [5, 7]]]),
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_what_is_a_curve(make: Callable[[], Any]) -> None:
    data = fit([1.0, 1.0, 1.0], x=[2.5, 2.75, 3])
    data = type(data)(**{**vars(data), "columns": ("t", "h")})
    assert data.read("level", make()) == [5.0, 6.0, 7.0]


ONE_ROW: dict[str, Callable[[], Any]] = {
    "Series": lambda: pd.Series({"T": 1, "cost": 2}),
    "DataFrame": lambda: pd.DataFrame({"cost": [2], "T": [1.0]}),
    "polars": lambda: pl().DataFrame({"cost": [2], "T": [1.0]}),
    "pyarrow": lambda: pa().table({"cost": [2], "T": [1.0]}),
    "Dataset": lambda: xr().Dataset({"cost": 2, "T": ("t", [1.0])}),
    "structured array": lambda: np.array([(2, 1.0)], dtype=[("cost", int), ("T", float)]),
    "record": lambda: np.array([(2, 1.0)], dtype=[("cost", int), ("T", float)])[0],
    "MATLAB": lambda: matlab(T=1.0, cost=2),
    "struct of MATLAB": lambda: matlab(out={"T": 1.0, "cost": 2})["out"],
    "row of a matrix": lambda: np.array([[1.0, 2]]),
    "column of a matrix": lambda: np.array([[1.0], [2]]),
    "arrays with one element": lambda: {"T": np.array([[1.0]]), "cost": pd.Series([2])},
    "labelled arrays": lambda: [xr().DataArray(1.0), xr().DataArray([2], dims="t")],
    "quantities without a unit": lambda: {"T": pint(1.0, ""), "cost": units().Quantity(2.0)},
}


@pytest.mark.parametrize("make", ONE_ROW.values(), ids=ONE_ROW)
def test_what_is_an_output(make: Callable[[], Any]) -> None:
    assert Space({"a": real(0, 1)}, ("T", "cost")).read_output(make()) == [1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["T", "T"]), "The output has several columns T: each needs a name of its own."),
        (pd.Series([1, 2, 3], index=["T", "T", "cost"]), "The output has several values T: each needs a name of its own."),
        (
            pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("T", "K"), ("cost", "EUR")])),
            "The output has no T and no cost; it has (",
        ),
        (pd.DataFrame({"T": [1, 2], "cost": [1, 2]}), "The output T has 2 values instead of one."),
        ({"T": {"mean": 1}, "cost": 1}, "The output T is a table of mean, which is not a number."),
        (pd.Series([1, 2], index=[7, 3]), "The output has no T and no cost; it has 7, 3."),
        ({"T": None, "cost": 1}, "The output T must be a number, not None."),
        (np.ones((2, 3)), "The output T has 3 values instead of one."),
    ],
)
def test_outputs_that_are_not_plain(given: Any, message: str) -> None:
    with pytest.raises(OutputError) as refused:
        Space({"a": real(0, 1)}, ("T", "cost")).read_output(given)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("missing", [NAN, pd.NA, pd.NaT, np.ma.masked, np.float32(NAN), Decimal("NaN")])
def test_a_missing_output_is_a_failed_run(missing: Any) -> None:
    assert Space({"a": real(0, 1)}, ("T", "cost")).read_output({"T": 1, "cost": missing}) == Failed("cost is nan")


def test_tables_as_data_are_refused_with_their_columns() -> None:
    table = pd.DataFrame({"time": TWO, "level": TWO})
    with pytest.raises(ValueError, match="data must be a sequence of numbers, not a table: give one of its columns time and level"):
        fit(table)
    twice = pd.DataFrame([[1, 2, 3]], columns=["x", "y", "y"])
    with pytest.raises(OutputError, match="The output level has several columns y: each needs a name of its own"):
        fit([1.0], x=[0]).read("level", twice)


@pytest.mark.parametrize(
    "stamps",
    [
        [1_700_000_000_000_000_000 + 10 * k for k in range(6)],
        np.array([1_700_000_000_000_000_000 + 10 * k for k in range(6)]),
        np.array([1_700_000_000_000_000_000 + 10 * k for k in range(6)]).astype(float),
        [Decimal("1700000000") + Decimal(k) / 10**8 for k in range(6)],
        [Fraction(17 * 10**16 + k, 10**8) for k in range(6)],
    ],
)
def test_times_that_become_one_number_are_refused(stamps: Any) -> None:
    with pytest.raises(ValueError, match="Row 2 of x is 17.*64-bit number.*: subtract the first one from all"):
        fit([1.0] * 6, x=stamps)
    with pytest.raises(OutputError, match="Row 2 of the grid of the output level is 17.*: subtract the first one from all"):
        fit([1.0], x=[0]).read("level", (stamps, range(6)))
    since = [(each - stamps[0]) for each in stamps]
    if len(set(since)) == 6:
        assert fit([1.0] * 6, x=since).x == tuple(map(float, since))


def test_whole_numbers_as_times_must_be_exact() -> None:
    with pytest.raises(ValueError, match="Row 2 of x is 1700000000000000300, which has too many digits for a 64-bit number"):
        fit([1.0] * 2, x=[1_700_000_000_000_000_000, 1_700_000_000_000_000_300])
    assert fit([1.0] * 2, x=[1e18, 2e18]).x == (1e18, 2e18)


REQUESTS: list[tuple[Callable[[], Any], Any]] = [
    (lambda: np.array([[1, 2.5]]), [[1.0, 2.5]]),
    (lambda: [np.array([1, 2]), pd.Series([3, 4])], [[1, 2], [3, 4]]),
    (lambda: [[np.float32(1), np.int64(2)]], [[1.0, 2]]),
    (lambda: [{"T": np.float32(1)}], [{"T": 1.0}]),
    (lambda: np.array([[1, 2]], "m8[ns]"), "output_cases[0][0] is np.timedelta64(1,'ns'), a duration: divide by the unit that you mean"),
    (lambda: [[1.0, SECONDS[0]]], "output_cases[0][1] is np.timedelta64(2500000000,'ns'), a duration"),
    (lambda: [[1j]], "output_cases[0][0] is 1j, a complex number"),
    (lambda: [[pd.NA]], "output_cases[0][0] is <NA>, which is not a number"),
    (lambda: pd.DataFrame({"T": [1.0]}), "output_cases is a table of T: give its rows as lists, such as .to_numpy()"),
    (lambda: [pint(TWO, "s")], "output_cases[0] is in second: give the number in the unit that you mean"),
]


@pytest.mark.parametrize(("make", "expected"), REQUESTS)
def test_cases_in_requests(make: Callable[[], Any], expected: Any) -> None:
    if not isinstance(expected, str):
        assert NewOutputCases(output_count=2, output_cases=make()).output_cases == expected
        return
    with pytest.raises(ValueError, match="^" + re.escape(expected)):
        NewOutputCases(output_count=2, output_cases=make())


@pytest.mark.parametrize("key", ["fixed", "feasible_input", "weights", "noise"])
def test_numbers_of_a_problem(key: str) -> None:
    values = {"a": np.float32(0.5)} if key in ("fixed", "feasible_input") else {"y": np.int64(1)}
    problem = make_problem({"a": (0, 1)}, {"y": exact(1)}, **{key: values})  # type: ignore[arg-type]
    json.dumps([problem.search, problem.feasible_input])
    with pytest.raises(ValueError, match=rf"^{key}\.[ay] is np.timedelta64.*, a duration: divide by the unit"):
        make_problem({"a": (0, 1)}, {"y": exact(1)}, **{key: dict.fromkeys(values, SECONDS[0])})  # type: ignore[arg-type]


def test_answers_are_read_without_a_call_for_each() -> None:
    NewOutputCases(output_count=1, output_cases=[[1.0]])
    assert not NewOutputCases.__pydantic_custom_init__


def test_conditions_of_data() -> None:
    when = {"T": np.int64(280), "p": np.float32(0.5), "wet": np.True_, "gas": np.str_("He")}
    made = make_problem({"a": (0, 1)}, {"y": fit([1.0], when=when)})
    assert json.loads(json.dumps(made.points))["y"][1] == {"T": 280, "p": 0.5, "wet": True, "gas": "He"}
    with pytest.raises(ValueError, match="The condition t is np.timedelta64.*, a duration"):
        fit([1.0], when={"t": SECONDS[0]})
    with pytest.raises(ValueError, match="The condition t must be a number, a text, True or False, not Timestamp"):
        fit([1.0], when={"t": pd.Timestamp("2024")})


def test_durations_are_seconds_once_they_are_divided() -> None:
    """Following the messages works."""
    assert fit(SECONDS / np.timedelta64(1, "s")).values == (2.5, 3.0)
    assert fit(pd.Series(SECONDS) / np.timedelta64(1, "s")).values == (2.5, 3.0)
    assert fit((STAMPS - STAMPS[0]) / np.timedelta64(1, "s")).values == (0.0, 0.5)
    days = pd.period_range("2024", periods=2, freq="D")
    assert fit((days.to_timestamp() - days.to_timestamp()[0]) / np.timedelta64(1, "s")).values == (0.0, 86400.0)


def test_durations_of_other_libraries_are_seconds_once_they_are_divided() -> None:
    assert fit(pl().Series(SECONDS) / timedelta(seconds=1)).values == (2.5, 3.0)
    assert fit(pd.Series(pa().array(SECONDS)) / np.timedelta64(1, "s")).values == (2.5, 3.0)
    assert fit(pint(TWO, "minute").to("second").magnitude).values == (150.0, 180.0)
    assert fit((TWO * units().km).to("m").value).values == (2500.0, 3000.0)
    times = sky("time").Time(["2024-01-01", "2024-01-02"])
    assert fit((times - times[0]).to_value("s")).values == pytest.approx((0.0, 86400.0))


def test_a_memory_mapped_file(tmp_path: Any) -> None:
    np.save(tmp_path / "level.npy", np.array(TWO))
    assert fit(np.load(tmp_path / "level.npy", mmap_mode="r")).values == tuple(TWO)
