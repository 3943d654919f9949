"""
Tries what is installed on a system that the tests do not run on: the command solves its example in a path with a space and an umlaut, and
so does `solve`, unless --command-only says that the command of npm is installed without the Python client.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def command(*arguments: str) -> str:
    program = shutil.which("backsolve")
    assert program is not None, "there is no command backsolve"
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    print(done.stdout, flush=True)
    assert done.returncode == 0, f"backsolve {' '.join(arguments)} ended with {done.returncode}"
    return done.stdout


def box(width: float, height: float) -> dict:
    return {"mass": 7.85 * width * height, "sag": 240 / (width * height**3)}


def main() -> None:
    os.chdir(tempfile.mkdtemp(prefix="Prüf stand "))
    command("--version")
    command("init", "--example")
    assert "Solved: everything is met" in command("run", "bracket.yaml")
    Path("campaign").write_text(command("export", "--campaign", "--problem", "bracket.yaml"), encoding="utf-8", newline="\n")
    assert "the same bit for bit" in command("replay", "campaign")
    if "--command-only" in sys.argv:
        return
    from backsolve import solve, within

    inputs = {"width": (1, 10), "height": (1, 10)}
    result = solve(box, inputs=inputs, goals={"mass": within(50, percent=1), "sag": within(2, percent=2)})
    print(result)
    assert "meets every target" in str(result)


if __name__ == "__main__":
    main()
