#!/bin/sh
# Creates the Python environment for the peers next to this script (ignored by git; about 6 GB, most of it torch).
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --requirement requirements.txt
