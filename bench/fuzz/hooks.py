"""Directs most generated paths to existing records; paths of random ids alone would mostly be answered with 404.

The file named by FUZZ_RECORDS holds two lists of records, each with all ids that a path may contain. Requests that end,
disable or delete something get the ids of "spent", all others those of "kept". The fuzzer's own key is never revoked.

Every other valid body is fitted to these records, which have one input and one output: JSON Schema cannot express that an
array is as long as a stored one, and a body rejected for its lengths tests nothing else. The same requests get a unique
Idempotency-Key, because generated keys are short and collide (422).
"""

import itertools
import json
import os
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

with open(os.environ["FUZZ_RECORDS"], encoding="utf-8") as file:
    RECORDS = json.load(file)

ENDING = {"updateTrial", "stopObjective", "stopObjectiveFlat"}
# One path in so many keeps its random ids.
RANDOM_PATHS = 8
COUNTER = itertools.count()


@schemathesis.hook
def map_case(context, case):
    meta = case.meta
    break_query(case, meta)
    path = case.path_parameters
    # As a text in some phases.
    if path and str(path.get("key_id")) == str(RECORDS["ownKeyId"]):
        path["key_id"] = RECORDS["kept"][0]["key_id"]
    if not path or meta is None or meta.phase.name == "stateful" or meta.is_negative_at(ParameterLocation.PATH):
        return case
    number = zlib.crc32(repr((sorted(path.items()), str(case.body), sorted(case.headers or {}))).encode())
    if number % RANDOM_PATHS == 0:
        return case
    operation = case.operation
    is_ending = operation.method == "delete" or operation.definition.raw.get("operationId") in ENDING
    records = RECORDS["spent" if is_ending else "kept"]
    record = records[number // RANDOM_PATHS % len(records)]
    for name in path:
        # Batches and evaluations are not prepared: their ids stay as generated.
        if name in record:
            path[name] = record[name]
    if number & 1 and isinstance(case.body, dict) and not meta.is_negative_at(ParameterLocation.BODY):
        case.body = fit(case.body)
        if "Idempotency-Key" in case.headers and not meta.is_negative_at(ParameterLocation.HEADER):
            case.headers["Idempotency-Key"] = f"{number}-{next(COUNTER)}"
    return case


# A valid cursor that no column of 32 bits holds, and a text that the database cannot hold: hardly ever generated.
FAR_CURSOR = 2**31
NUL_TEXT = "a\x00b"
QUERIES = itertools.count()


def break_query(case, meta):
    """Puts what databases refuse into some of the generated queries: texts where invalid values are expected, cursors elsewhere."""
    if meta is None or not isinstance(case.query, dict) or next(QUERIES) % 4:
        return
    is_negative = meta.is_negative_at(ParameterLocation.QUERY)
    for name, value in case.query.items():
        if name == "after" and not is_negative and isinstance(value, int):
            case.query[name] = FAR_CURSOR
        elif is_negative and isinstance(value, str):
            case.query[name] = NUL_TEXT


VECTORS = (
    "minimums",
    "maximums",
    "inputTypes",
    "objectives",
    "objectiveTypes",
    "initialInput",
    "initialOutput",
    "minimumBounds",
    "maximumBounds",
    "output",
)


def fit(body):
    """Fits a body to one input and one output; values stay as generated."""
    fitted = dict(body)
    for name in VECTORS:
        if isinstance(fitted.get(name), list):
            fitted[name] = fitted[name][:1]
    for low, high in (("minimums", "maximums"), ("minimumBounds", "maximumBounds")):
        if is_pair(fitted.get(low), fitted.get(high)):
            ends = sorted([fitted[low][0], fitted[high][0]])
            fitted[low], fitted[high] = ends[:1], ends[1:]
    for count in ("inputCount", "outputCount"):
        if count in fitted:
            fitted[count] = 1
    for rows in ("inputCases", "outputCases"):
        if isinstance(fitted.get(rows), list):
            fitted[rows] = [row[:1] for row in fitted[rows][:4] if isinstance(row, list) and row] or [[0]]
    return fitted


def is_pair(low, high):
    return all(isinstance(end, list) and end and isinstance(end[0], (int, float)) for end in (low, high))
