#!/bin/bash
# IronCalc 0.9.1 (Python wheel) gives numbers, no errors, for two constructs of ordinary workbooks that it does not calculate:
#   =SUM(COUNTIF(A1:A4,{">2","<0"}))   counts with an array of criteria: 0
#   =SUM(pair)                         a name of two ranges, S!$A$1,S!$A$3: the first range only
# One would expect the sums that the file format defines (3 and 1), or an error such as the #N/IMPL! that IronCalc has for functions it lacks.
# The same array of criteria is #N/IMPL! within SUM(SUMIF(...)), so the silent 0 depends on the function. Needs no other program.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ironcalc==0.9.1 openpyxl==3.1.5
cat > "$folder/play.py" <<'PYTHON'
import sys

import ironcalc
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName

book = Workbook()
sheet = book.active
sheet.title = "S"
for row, value in enumerate([2, 3, -1, 9], 1):
    sheet.cell(row, 1).value = value
sheet["B1"] = '=SUM(COUNTIF(A1:A4,{">2","<0"}))'
sheet["B2"] = "=SUM(pair)"
sheet["B3"] = "=SUM(A1,A3)"
book.defined_names["pair"] = DefinedName("pair", attr_text="S!$A$1,S!$A$3")
book.save(sys.argv[1])
model = ironcalc.load_from_xlsx(sys.argv[1], "en", "UTC", "en")
model.evaluate()
found = [model.get_cell_value(0, row, 2) for row in (1, 2, 3)]
print("SUM(COUNTIF(A1:A4,{...})), SUM(pair), SUM(A1,A3):", found, "- right: [3, 1, 1]")
sys.exit(found != [0, 2, 1])
PYTHON
"$folder/venv/bin/python" "$folder/play.py" "$folder/book.xlsx"
