#!/bin/bash
# openpyxl 3.1.5 says fullCalcOnLoad=True of a workbook whose calcPr has no such attribute, for which the format's default is false
# (ECMA-376 part 1, 18.2.2), as files of LibreOffice and Excel are. A program that asks whether the values in the file count is told that they do
# not. One would expect None or False; the other attributes that are missing are None.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openpyxl==3.1.5
cat > "$folder/play.py" <<'PYTHON'
import re
import sys
import zipfile

from openpyxl import Workbook, load_workbook

made, plain = sys.argv[1:]
Workbook().save(made)
with zipfile.ZipFile(made) as old, zipfile.ZipFile(plain, "w") as new:
    for part in old.namelist():
        text = old.read(part)
        if part == "xl/workbook.xml":
            text = re.sub(rb"<calcPr[^>]*/>", b'<calcPr iterateCount="100" refMode="A1" iterate="false" iterateDelta="0.001"/>', text)
        new.writestr(part, text)
found = load_workbook(plain).calculation
print("fullCalcOnLoad:", found.fullCalcOnLoad, "calcMode:", found.calcMode, "iterate:", found.iterate)
sys.exit((found.fullCalcOnLoad, found.calcMode, found.iterate) != (True, None, False))
PYTHON
"$folder/venv/bin/python" "$folder/play.py" "$folder/made.xlsx" "$folder/plain.xlsx"
