"""
The process of one run of an FMU. Simulations that repeat in one process leak or crash (issue 343 of FMPy), and a crash of an FMU ends its
process. It reads a job and prints a result, each one line of JSON. It imports nothing of this package, because it starts with every run.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

import numpy as np  # noqa: F401 - loaded before there is a job
from fmpy.model_description import read_model_description
from fmpy.simulation import simulate_fmu


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What the FMU prints goes to the log.
    os.dup2(2, 1)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        result = _simulate(json.loads(line))
    except Exception as error:
        result = {"failed": str(error) or type(error).__name__}
    told.write(json.dumps(result))
    told.flush()
    # Some FMUs crash when they are unloaded; the result is there.
    sys.stdout.flush()
    os._exit(0)


def _end_with_input() -> None:
    """Also when whoever started it was killed."""
    sys.stdin.buffer.read()
    os._exit(1)


def _simulate(job: dict[str, Any]) -> dict[str, Any]:
    result = simulate_fmu(
        job["folder"],
        validate=False,
        model_description=read_model_description(job["folder"], validate=False),
        remote_platform=None,
        start_time=job["start"],
        stop_time=job["stop"],
        fmi_type=job["type"],
        solver=job["solver"],
        relative_tolerance=job["tolerance"],
        output_interval=job["step"],
        step_size=job["step"],
        start_values=job["values"],
        output=job["outputs"],
    )
    return {name: result[name].tolist() for name in ["time", *job["outputs"]]}


if __name__ == "__main__":
    main()
