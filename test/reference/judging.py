"""Reference for how outputs are judged, written from the judging table of docs/judging.md.

Writes judging.json beside this file. Needs Python 3.10 or newer, nothing else:

    python3 test/reference/judging.py

Verdicts use IEEE doubles with the operations in the order of the table. Errors are computed with fractions and rounded
once. Every verdict is also computed in exact arithmetic; where rounding makes the two differ, the note of the row must
begin with "rounding:", or the script stops. Intervals are found by bisection over the doubles, judged by the verdict
alone.
"""

import json
import math
import struct
from fractions import Fraction
from pathlib import Path

MAX = 1.7976931348623157e308
TINY = 5e-324
EPS = 2.220446049250313e-16
DEFAULT_CONVERGENCE = 1e-6
ONE_SIDED = {
    "lessthan": ("upper", True),
    "lessthan_equal": ("upper", False),
    "minimize": ("upper", False),
    "greaterthan": ("lower", True),
    "greaterthan_equal": ("lower", False),
    "maximize": ("lower", False),
}


def clamp(x):
    """A fraction as the nearest double, never infinite."""
    x = Fraction(x)
    if x > Fraction(MAX):
        return MAX
    if x < -Fraction(MAX):
        return -MAX
    return float(x)


def percent_in_doubles(y, t):
    """100 (y - t) / |t| with doubles; the exponent is taken out first so that no step overflows."""
    _, e = math.frexp(max(abs(y), abs(t)))
    shift = 0 if e < 900 else 900 - e
    numerator = 100.0 * (math.ldexp(y, shift) - math.ldexp(t, shift))
    denominator = abs(math.ldexp(t, shift))
    if denominator == 0.0:
        return math.copysign(math.inf, numerator)
    quotient = Fraction(numerator) / Fraction(denominator)
    if abs(quotient) > Fraction(MAX):
        return math.copysign(math.inf, numerator)
    return float(quotient)


def threshold_of(targets, convergence, desired):
    scale = min(MAX, sum(abs(t) for t in targets))
    return max(desired, min(MAX, convergence * (scale if scale != 0 else 1.0)))


def holds(kind, t, lo, hi, y, threshold):
    if kind == "exact":
        return abs(y - t) <= threshold
    if kind == "percent":
        return lo <= percent_in_doubles(y, t) <= hi
    if kind == "value":
        return t + lo <= y <= t + hi
    return {
        "lessthan": y < t,
        "lessthan_equal": y <= t,
        "minimize": y <= t,
        "greaterthan": y > t,
        "greaterthan_equal": y >= t,
        "maximize": y >= t,
    }[kind]


def holds_exactly(kind, t, lo, hi, y, convergence, desired):
    t, y = Fraction(t), Fraction(y)
    if kind == "exact":
        return abs(y - t) <= max(Fraction(desired), Fraction(convergence) * (abs(t) if t != 0 else 1))
    if kind == "percent":
        return Fraction(lo) <= 100 * (y - t) / abs(t) <= Fraction(hi)
    if kind == "value":
        return t + Fraction(lo) <= y <= t + Fraction(hi)
    return holds(kind, t, lo, hi, y, 0)


def error_of(kind, t, y):
    t, y = Fraction(t), Fraction(y)
    if kind == "percent":
        return clamp(100 * abs(y - t) / abs(t))
    if kind in ("exact", "value"):
        return clamp(abs(y - t))
    if ONE_SIDED[kind][0] == "upper":
        return clamp(max(Fraction(0), y - t))
    return clamp(max(Fraction(0), t - y))


def key(x):
    """Doubles as ordered integers."""
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(x)))
    return -bits if x < 0 else bits


def unkey(k):
    (x,) = struct.unpack("<d", struct.pack("<q", abs(k)))
    return -x if k < 0 else x


def last_true(good, start, stop):
    """The last ordered integer from start towards stop for which good holds; good(start) must hold."""
    if good(unkey(stop)):
        return stop
    inside, outside = start, stop
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if good(unkey(middle)):
            inside = middle
        else:
            outside = middle
    return inside


def interval_of(kind, t, lo, hi):
    """[lower, upper, lowerOpen, upperOpen], with None for an infinite end; None when no double satisfies."""
    if kind in ONE_SIDED:
        side, is_open = ONE_SIDED[kind]
        return [None, t, False, is_open] if side == "upper" else [t, None, is_open, False]
    good = lambda y: holds(kind, t, lo, hi, y, 0)
    middle = clamp(Fraction(t) + (Fraction(lo) + Fraction(hi)) / 2 * (abs(Fraction(t)) / 100 if kind == "percent" else 1))
    seeds = [x for x in (middle, t, -MAX, MAX, 0.0) if good(x)]
    if not seeds:
        return None
    start = key(seeds[0])
    lower = last_true(good, start, key(-MAX))
    upper = last_true(good, start, key(MAX))
    return [unkey(lower) + 0.0, unkey(upper) + 0.0, False, False]


rows = []


def row(kind, t, y, lo=None, hi=None, convergence=DEFAULT_CONVERGENCE, desired=0.0, note=""):
    t, y = float(t), float(y)
    lo = None if lo is None else float(lo)
    hi = None if hi is None else float(hi)
    threshold = threshold_of([t], convergence, desired)
    satisfied = holds(kind, t, lo, hi, y, threshold)
    exactly = holds_exactly(kind, t, lo, hi, y, convergence, desired)
    if satisfied != exactly and not note.startswith("rounding:"):
        raise SystemExit(f"rounding decides this row but it is not marked: {kind} {t!r} {y!r} {lo!r} {hi!r}")
    if satisfied == exactly and note.startswith("rounding:"):
        raise SystemExit(f"marked as decided by rounding but it is not: {kind} {t!r} {y!r} {lo!r} {hi!r}")
    rows.append(
        {
            "type": kind,
            "target": t,
            "lo": lo,
            "hi": hi,
            "y": y,
            "convergence": convergence,
            "desiredL1Norm": desired,
            "satisfied": satisfied,
            "error": error_of(kind, t, y),
            "interval": None if kind == "exact" else interval_of(kind, t, lo, hi),
            "note": note,
        }
    )


def up(x, steps=1):
    return unkey(key(float(x)) + steps)


def down(x, steps=1):
    return unkey(key(float(x)) - steps)


TARGETS = [0.0, 1.0, -1.0, 3.5, -1e6, 0.1, 1e-300, -1e-300, 1e300, -1e300, TINY, MAX, -MAX]

for kind in ONE_SIDED:
    for t in TARGETS:
        row(kind, t, t, note="on the target")
        if t != MAX:
            row(kind, t, up(t), note="one double above")
        if t != -MAX:
            row(kind, t, down(t), note="one double below")
    row(kind, 5, 7)
    row(kind, 5, 3)
    row(kind, -5, -7)
    row(kind, -5, -3)
    row(kind, 0, -0.0, note="-0 equals 0")
    row(kind, MAX, -MAX, note="the difference overflows")
    row(kind, -MAX, MAX, note="the difference overflows")

for t in (10.0, -10.0, 250.0, -0.5, 2.0**-40, -(2.0**70)):
    width = abs(t) / 4
    for y in (t - width, down(t - width), up(t - width), t, t + width, up(t + width), down(t + width), 0.0, -t):
        if y < t or abs(y - (t - width)) <= abs(t) * EPS:
            row("value", t, y, -width, 2 * width)
        else:
            row("value", t, y, -2 * width, width)
row("value", 10, 12, 1, 3, note="both bounds above the target")
row("value", 10, 10, 1, 3, note="the target itself lies outside its range")
row("value", 10, 10.5, 1, 3)
row("value", 10, 13, 1, 3)
row("value", 10, 7, -3, -1, note="both bounds below the target")
row("value", 10, 9, -3, -1)
row("value", 10, 9.5, -3, -1)
row("value", 0, 0, -1, 1, note="target 0 is fine for value")
row("value", 0, -1, -1, 1)
row("value", 0, 1, -1, 1)
row("value", 0, up(1), -1, 1)
row("value", 0, -0.0, 0, 1, note="-0 equals 0")
row("value", 5, 5, 0, 1, note="closed at the target")
row("value", 5, 5, -1, 0, note="closed at the target")
row("value", 5, down(5), 0, 1)
row("value", 0.1, 0.3, -0.2, 0.2, note="0.1 + 0.2 is above 0.3")
row("value", 0.1, up(0.3), -0.2, 0.2, note="rounding: 0.1 + 0.2 rounds up to this double")
row("value", 1e20, 1e20, 1, 2, note="rounding: the offsets vanish beside the target")
row("value", 1e20, up(1e20), 1, 2)
row("value", 1e20, 1e20, -1, 1)
row("value", 1e308, MAX, -1e308, 1e308, note="the upper end lies beyond the doubles")
row("value", 1e308, 0, -1e308, 1e308)
row("value", 1e308, down(0), -1e308, 1e308)
row("value", 1e308, MAX, 1e308, 1.5e308, note="no double reaches the range")
row("value", -1e308, -MAX, -1.5e308, -1e308, note="no double reaches the range")
row("value", -1e308, MAX, -1e308, MAX, note="the difference overflows")
row("value", TINY, 0, -TINY, TINY)
row("value", TINY, 3 * TINY, -TINY, TINY)
row("value", 0, MAX, -MAX, MAX, note="everything is allowed")
row("value", 0, -MAX, -MAX, MAX, note="everything is allowed")

for t in (100.0, -100.0, 200.0, -50.0, 6.25, 2.0**-60, -(2.0**200)):
    for percent in (-25.0, -10.0, 0.0, 10.0, 25.0):
        row("percent", t, float(Fraction(t) + Fraction(percent) / 100 * abs(Fraction(t))), -10, 10)
    row("percent", t, 0, -100, 0, note="0 is 100 percent off")
    row("percent", t, -t, -200, 200, note="200 percent off, one-sided")
for y, note in ((110, ""), (up(110), ""), (90, ""), (down(90), ""), (100, "on the target")):
    row("percent", 100, y, -10, 10, note=note)
row("percent", -100, -110, -10, 10, note="negative targets count in |t|")
row("percent", -100, down(-110), -10, 10)
row("percent", -100, -90, -10, 10)
row("percent", -100, up(-90), -10, 10)
row("percent", -100, -105, -10, -1, note="below a negative target is a negative deviation")
row("percent", -100, -95, -10, -1)
row("percent", -100, -95, 1, 10)
row("percent", 100, 105, 1, 10)
row("percent", 100, 100, 1, 10, note="the target itself lies outside its range")
row("percent", 100, 101, 1, 10)
row("percent", 100, 110, 1, 10)
row("percent", 0.1, 0.09, -10, 10, note="0.09 is a little more than 10 percent below 0.1 as doubles")
row("percent", 0.1, 0.11, -10, 10)
row("percent", 0.3, 0.33, -10, 10)
row("percent", 3, 3.3, -10, 10)
row("percent", 1, down(0), -100, 100, note="rounding: y - t loses an output this far below t")
row("percent", 1, -1e-17, -100, 100, note="rounding: y - t loses an output this far below t")
row("percent", 1, -1e-15, -100, 100)
row("percent", 1, 1, 1e-20, 2e-20, note="no double lies that near")
row("percent", 1, up(1), 1e-20, 2e-20)
row("percent", 1, up(1), -1e-13, 1e-13)
row("percent", 1e308, 1.7e308, -80, 80, note="100 (y - t) overflows")
row("percent", 1e308, 1.7e308, -60, 60)
row("percent", 1e308, -1.7e308, -300, 300)
row("percent", 1e308, -1.7e308, -200, 300)
row("percent", 1e308, MAX, 100, 200, note="no double reaches the range")
row("percent", -1e308, -MAX, -200, -100, note="no double reaches the range")
row("percent", MAX, -MAX, -200, 200, note="y - t overflows")
row("percent", MAX, -MAX, -199, 200)
row("percent", 1e-300, 1e300, -10, 10, note="the deviation overflows")
row("percent", 1e-300, 1e300, -10, 1e308, note="the deviation overflows")
row("percent", 1e-300, 1.05e-300, -10, 10)
row("percent", TINY, 0, -100, 100)
row("percent", TINY, 2 * TINY, -100, 100)
row("percent", TINY, 3 * TINY, -100, 100)
row("percent", 1e300, 1e300, -1e-10, 1e-10)

for t in (2.0, -2.0, 0.0, 2.0**40, -(2.0**-40)):
    limit = threshold_of([t], 0.25, 0.0)
    for y in (t, t + limit, t - limit, up(t + limit), down(t - limit), t + 2 * limit):
        row("exact", t, y, convergence=0.25)
row("exact", 0, 1e-6, note="zero target: the criterion counts of 1")
row("exact", 0, up(1e-6))
row("exact", 0, 0, convergence=TINY)
row("exact", 0, TINY, convergence=TINY)
row("exact", 0, 2 * TINY, convergence=TINY)
row("exact", 10, 10.5, desired=0.5, note="the desired norm is the larger one")
row("exact", 10, up(10.5), desired=0.5)
row("exact", 10, 10.5, convergence=0.25, desired=0.5, note="the relative criterion is the larger one")
row("exact", 10, 12.5, convergence=0.25, desired=0.5)
row("exact", 10, up(12.5), convergence=0.25, desired=0.5)
row("exact", -10, -12.5, convergence=0.25, desired=0.5)
row("exact", -10, down(-12.5), convergence=0.25, desired=0.5)
row("exact", 1e300, 1e300, desired=0)
row("exact", 1e300, 1.0000005e300, desired=0)
row("exact", 1e300, 1.000002e300, desired=0)
row("exact", MAX, -MAX, desired=MAX, note="the difference overflows")
row("exact", 1e-300, -1e-300, desired=0)
row("exact", 1e-300, -1e-300, desired=2e-300)
row("exact", 0.1, 0.3, desired=0.2, note="0.3 - 0.1 is below 0.2")

vectors = []


def distance(kind, t, lo, hi, y):
    """Exact distance of y from its satisfied interval."""
    t, y = Fraction(t), Fraction(y)
    if kind == "exact":
        return abs(y - t)
    if kind in ONE_SIDED:
        return Fraction(error_of(kind, t, y))
    lo, hi = Fraction(lo), Fraction(hi)
    if kind == "percent":
        lo, hi = lo * abs(t) / 100, hi * abs(t) / 100
    return max(Fraction(0), t + lo - y, y - (t + hi))


def vector(types, targets, outputs, lo=(), hi=(), convergence=DEFAULT_CONVERGENCE, desired=0.0, note=""):
    targets, outputs = [float(t) for t in targets], [float(y) for y in outputs]
    lo, hi = [float(b) for b in lo], [float(b) for b in hi]
    count = len(targets)
    types = [types] * count if isinstance(types, str) else list(types)
    threshold = threshold_of(targets, convergence, desired)
    at = lambda bounds, j: bounds[j] if bounds else None
    if types[0] == "exact":
        total = 0.0
        for t, y in zip(targets, outputs):
            total += abs(y - t)
        verdicts = [total <= threshold] * count
    else:
        verdicts = [holds(types[j], targets[j], at(lo, j), at(hi, j), outputs[j], 0) for j in range(count)]
    errors = [error_of(types[j], targets[j], outputs[j]) for j in range(count)]
    norm = Fraction(0)
    away = Fraction(0)
    for j in range(count):
        gap = abs(Fraction(outputs[j]) - Fraction(targets[j]))
        norm += gap if types[j] in ("exact", "percent", "value") else Fraction(errors[j])
        away += distance(types[j], targets[j], at(lo, j), at(hi, j), outputs[j])
    scale = sum(abs(Fraction(t)) for t in targets) or Fraction(1)
    vectors.append(
        {
            "types": types,
            "targets": targets,
            "lo": lo,
            "hi": hi,
            "outputs": outputs,
            "convergence": convergence,
            "desiredL1Norm": desired,
            "satisfied": verdicts,
            "errors": errors,
            "l1Norm": clamp(norm),
            "stepConvergence": clamp(Fraction(clamp(away)) / Fraction(clamp(scale))),
            "threshold": threshold if types[0] == "exact" else None,
            "note": note,
        }
    )


vector("exact", [1, 2, 3], [1, 2, 3])
vector("exact", [1, 2, 3], [1.25, 2, 3], desired=0.25, note="one output takes the whole allowance")
vector("exact", [1, 2, 3], [1.25, 2.25, 3], desired=0.25, note="each within, the sum is not")
vector("exact", [1, 2, 3], [1.25, 1.75, 3], desired=0.5, note="signs do not cancel")
vector("exact", [1, 2, 3], [1.25, 1.75, 3], desired=0.49)
vector("exact", [1, -1], [1.5, -1], convergence=0.25, note="the scale sums absolute targets")
vector("exact", [1, -1], [1.5, -1.25], convergence=0.25)
vector("exact", [0, 0], [0.125, 0.125], convergence=0.25, note="zero sum: the criterion counts of 1")
vector("exact", [0, 0], [0.125, 0.25], convergence=0.25, note="zero sum: the criterion counts of 1")
vector("exact", [0, 0, 0], [0, 0, 0])
vector("exact", [1e300, 1e-300], [1e300, 0], note="a small target drowns in the scale of a large one")
vector("exact", [MAX, MAX], [-MAX, -MAX], desired=1, convergence=TINY, note="every sum overflows")
vector("exact", [0, 0, 0], [0.1, 0.1, 0.1], desired=0.3, note="0.1 + 0.1 + 0.1 is above 0.3 in doubles")
vector("exact", [100, 200, 300, 400], [100.0001, 200.0001, 300.0001, 400.0001], convergence=1e-6)
vector("exact", [100, 200, 300, 400], [100.0003, 200.0003, 300.0003, 400.0003], convergence=1e-6)
vector("exact", [-4, 4], [4, -4], desired=16)
vector("exact", [-4, 4], [4, -4], desired=15.999)
vector("lessthan", [1, 2], [0, 2], note="equal is not less")
vector("lessthan_equal", [1, 2], [1, 2])
vector("greaterthan", [1, 2], [2, 2])
vector("greaterthan_equal", [0, 0], [-1, 1], note="zero sum: the distance counts of 1")
vector("minimize", [-3, 4], [-4, 5])
vector("maximize", [-3, 4], [-2, 5])
vector(["value", "lessthan"], [10, 5], [11, 4], [-2, 0], [2, 1], note="bounds of a type without bounds mean nothing")
vector(["value", "lessthan"], [10, 5], [13, 7], [-2, 0], [2, 1])
vector(["percent", "minimize", "maximize"], [200, 3, -7], [230, 4, -9], [-10, 0, 0], [10, 1, 1])
vector(["percent", "minimize", "maximize"], [200, 3, -7], [219, 3, -7], [-10, 0, 0], [10, 1, 1])
vector(["percent", "value"], [-200, -8], [-230, -11], [-10, -2], [10, 2])
vector(["percent", "value"], [-200, 0], [-200, 1], [-10, 2], [10, 3])
vector(["value", "value"], [0, 0], [5, -5], [-1, -1], [1, 1], note="zero sum: the distance counts of 1")
vector(["lessthan", "greaterthan"], [0, 0], [MAX, -MAX], note="the distances overflow in sum")
vector(["greaterthan_equal", "lessthan_equal"], [-MAX, MAX], [MAX, -MAX])
vector(["minimize"], [TINY], [1], note="a tiny scale")
vector(["minimize"], [TINY], [MAX], note="relative to a tiny scale the distance overflows")
vector(["percent", "lessthan"], [50, -20], [54, -19], [-8, -1], [8, 1])
vector(["percent", "lessthan"], [50, -20], [55, -21], [-8, -1], [8, 1])


def lines(entries):
    return ",\n".join("    " + json.dumps(entry, allow_nan=False) for entry in entries)


text = '{\n  "rows": [\n' + lines(rows) + '\n  ],\n  "vectors": [\n' + lines(vectors) + "\n  ]\n}\n"
Path(__file__).with_suffix(".json").write_text(text)
print(f"{len(rows)} rows, {len(vectors)} vectors, {sum(r['satisfied'] for r in rows)} satisfied")
