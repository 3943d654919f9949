"""PEtab problems as Backsolve reads them, and what follows for their likelihood."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

from .origins import ROOT


def read_files(files: list[Path]) -> list[dict[str, Any]]:
    npx = shutil.which("npx")
    assert npx is not None
    words = [npx, "node", str(ROOT / "test" / "support" / "read-petab.ts"), *map(str, files)]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def points_of(read: dict[str, Any]) -> list[tuple[dict[str, Any], float, float, float]]:
    """Each measurement with its transformed value, its simulated one and its error."""
    points = []
    nominal = {one["id"]: one["nominal"] for one in read["parameters"]}
    for one in read["sets"]:
        assert one["reading"]["kind"] == "output", one
        data, simulated = one["fit"]["data"], one["reading"]["output"]
        noise = one["noise"]
        sigma = noise["factor"] * nominal[noise["parameter"]] if isinstance(noise, dict) else one["fit"]["sigma"]
        sigmas = sigma if isinstance(sigma, list) else [sigma] * len(data)
        points += [(one, *point) for point in zip(data, simulated, sigmas, strict=True)]
    return points


def chi2_of(read: dict[str, Any]) -> float:
    return sum(((value - simulated) / sigma) ** 2 for _, value, simulated, sigma in points_of(read))


def llh_of(read: dict[str, Any]) -> float:
    llh = 0.0
    for one, value, simulated, sigma in points_of(read):
        residual = (value - simulated) / sigma
        llh -= 0.5 * math.log(2 * math.pi * sigma**2) + residual**2 / 2
        llh -= {"lin": 0, "log": value, "log10": value * math.log(10) + math.log(math.log(10))}[one["transformation"]]
    return llh
