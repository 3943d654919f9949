"""Chooses the service that a program uses: one at an address, or that of a folder on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable
from os import environ
from pathlib import Path

from ._exchange import Retry
from ._local import open_local
from ._local_proof import ProvenSyncTransport
from .client import Backsolve

PATIENCE_SECONDS = 900.0
"""Time to wait for a service that does not answer; one on this machine does not come back by itself."""
LOCAL_PATIENCE_SECONDS = 20.0
CONNECT_SECONDS = 10.0
"""The same where nothing has ever answered: the address may be wrong."""
WARNED = 6
"""Attempts of a request after which a user who sees no progress is told what is waited for: some seconds."""
LOG = logging.getLogger("backsolve")


def address_of(local: bool | None, url: str | None) -> str | None:
    """The address of a service; None for the one on this machine. Raises ValueError for arguments that contradict each other."""
    if local and url is not None:
        raise ValueError("local=True starts a service on this machine: leave out url, or local.")
    address = None if local else url or environ.get("BACKSOLVE_URL")
    if local is False and address is None:
        raise ValueError("Give the url of the service, or set BACKSOLVE_URL.")
    return address


def connect(address: str | None, api_key: str | None, folder: Path, note: Callable[[str], None]) -> Backsolve:
    """A client of the service at the address; without one that of the folder, which is started if it does not run."""
    if address is not None:
        return Backsolve(
            address,
            api_key,
            maximum_retries=1000,
            retry_for=PATIENCE_SECONDS,
            connect_for=CONNECT_SECONDS,
            on_retry=teller(note, LOG.warning),
        )
    url, key = open_local(folder, note)
    client = Backsolve(url, key, maximum_retries=1000, retry_for=LOCAL_PATIENCE_SECONDS, on_retry=teller(note, LOG.warning))
    client._http = ProvenSyncTransport(client._http, key)
    return client


def teller(note: Callable[[str], None], warn: Callable[[str], None]) -> Callable[[Retry], None]:
    """Notes every retry, and warns once of a request that is retried for long."""

    def tell(retry: Retry) -> None:
        (warn if retry.attempt == WARNED else note)(_words(retry))

    return tell


def _words(retry: Retry) -> str:
    return f"retrying in {retry.delay:.1f} s: {retry.error}"
