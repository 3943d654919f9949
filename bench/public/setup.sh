#!/bin/sh
# Creates the Python environment of the public grounds next to this script (ignored by git; about 6 GB, most of it torch). Python 3.11 or later, make and a
# C++ compiler for SOLAR.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --requirement requirements.txt
