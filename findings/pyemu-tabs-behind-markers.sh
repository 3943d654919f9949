#!/usr/bin/env bash
# pyemu 1.7.0 joins numbers that tabs separate, where a marker stands before them.
#
# An instruction file finds a line by a marker and reads the first number behind it. The line is "level", tab, 1, tab, 2.
# Expected: 1, as PEST++ 5.2.23 reads it, and as pyemu reads it behind a line advance.
# Seen: 12, a number that is not in the file, without an error. Behind a primary marker pyemu deletes the tabs of a line before it looks
# for the end of a number (InstructionFile._execute_ins_line).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyemu==1.7.0
printf 'level\t1\t2\n' > model.out
printf 'pif ~\n~level~ !first!\n' > marker.ins
printf 'pif ~\nl1 !dum! !first!\n' > lines.ins
venv/bin/python -W ignore - <<'PYTHON'
import sys

from pyemu.pst.pst_utils import InstructionFile

read = {name: float(InstructionFile(f"{name}.ins").read_output_file("model.out").obsval["first"]) for name in ("marker", "lines")}
print(f"behind a marker: {read['marker']:g}, behind a line advance: {read['lines']:g}; in the file: 1 and 2")
sys.exit(read != {"marker": 12, "lines": 1})
PYTHON
