#!/bin/sh
# Creates the Python environment of the public grounds next to this script (ignored by git; about 6 GB, most of it torch). It takes Python
# 3.11 or later, and for SOLAR make and a C++ compiler.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --requirement requirements.txt
