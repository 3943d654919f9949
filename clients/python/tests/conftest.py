"""One real service for the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backsolve import Backsolve

from .service_process import Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


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
