"""Points most of the generated paths at records that exist; a path of random ids alone would mostly be 404.

The file named by FUZZ_RECORDS holds two lists of records, each record with all ids that a path may have. What ends,
disables or deletes something gets the ids of "spent", everything else those of "kept". The key that asks is left alone.

Every other valid body is fitted to these records, which have one input and one output: JSON Schema cannot say that arrays
are as long as something stored, and a body that is refused for its lengths goes no further. In the same cases the
Idempotency-Key is one of its own, because keys that are generated are short and meet each other (422).
"""

import itertools
import json
import os
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

with open(os.environ["FUZZ_RECORDS"], encoding="utf-8") as file:
    RECORDS = json.load(file)

ENDING = {"updateTrial", "stopObjective"}
# One in so many paths keeps its random ids.
RANDOM_PATHS = 8
COUNTER = itertools.count()


@schemathesis.hook
def map_case(context, case):
    meta = case.meta
    path = case.path_parameters
    if path and path.get("key_id") == RECORDS["ownKeyId"]:
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
        path[name] = record[name]
    if number & 1 and isinstance(case.body, dict) and not meta.is_negative_at(ParameterLocation.BODY):
        case.body = fit(case.body)
        if "Idempotency-Key" in case.headers and not meta.is_negative_at(ParameterLocation.HEADER):
            case.headers["Idempotency-Key"] = f"{number}-{next(COUNTER)}"
    return case


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
    """The same body for one input and one output; values stay as they were generated."""
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
