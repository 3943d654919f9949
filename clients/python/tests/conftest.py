"""One real service for the session, started from this repository on an embedded PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from backsolve import Backsolve

ROOT = Path(__file__).parents[3]
COMMAND = ROOT / "bin" / "backsolve.js"


class Service(NamedTuple):
    url: str
    key: str


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data = tmp_path_factory.mktemp("service")
    node = shutil.which("node")
    assert node is not None, "Node.js is needed to start the service"
    settings = {"DATA_DIR": str(data / "data"), "PORT": "0", "RATE_LIMIT_PER_MINUTE": "0", "ENGINE_THREADS": "1"}
    errors = (data / "errors").open("w")
    process = subprocess.Popen(
        [node, str(COMMAND), "start"], cwd=data, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    assert process.stdout is not None
    try:
        url = key = ""
        for line in process.stdout:
            found = re.search(r"ready at (\S+)", line)
            url = found[1] if found else url
            found = re.search(r"(bks_\w{20,})", line)
            if found:
                key = found[1]
                break
        assert url, (data / "errors").read_text()
        # Nobody else reads its log, and a full pipe would stop it.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield Service(url, key)
    finally:
        process.terminate()
        process.wait(60)
        errors.close()
        process.stdout.close()


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    """Every test has a folder of its own, and finds the service as a user would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKSOLVE_URL", service.url)
    monkeypatch.setenv("BACKSOLVE_API_KEY", service.key)


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[Backsolve]:
    with Backsolve(*service) as client:
        yield client
