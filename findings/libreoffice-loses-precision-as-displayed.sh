#!/bin/bash
# LibreOffice 7.4 reads "Set precision as displayed" of an .xlsx (fullPrecision="0") and calculates so, but does not write it: the .xlsx that it
# saves has the values of the rounded calculation and a setting under which the same formulas give others. The next program that calculates
# the file changes every result that depends on rounding. One would expect calcPr with fullPrecision="0", which the format has.
# Needs LibreOffice 7.4 with Calc (soffice).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
soffice --version | grep -q '^LibreOffice 7\.4\.' || { echo "needs LibreOffice 7.4"; exit 1; }
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openpyxl==3.1.5
cat > "$folder/make.py" <<'PYTHON'
import sys

from openpyxl import Workbook

book = Workbook()
sheet = book.active
sheet.append([8.333, "=A1/4", "=B1*1000"])
sheet["B1"].number_format = "0.00"
book.calculation.fullPrecision = False
book.save(sys.argv[1])
PYTHON
cat > "$folder/read.py" <<'PYTHON'
import re
import sys
import zipfile

from openpyxl import load_workbook

value = load_workbook(sys.argv[1], data_only=True).active["C1"].value
setting = re.search(r"<calcPr[^>]*>", zipfile.ZipFile(sys.argv[1]).read("xl/workbook.xml").decode())[0]
print("C1:", value, setting)
sys.exit(float(sys.argv[2]) != value or "fullPrecision" in setting)
PYTHON
convert() { soffice --headless "-env:UserInstallation=file://$folder/profile" --convert-to "$1" --outdir "$2" "$3" > "$folder/log" 2>&1; }
"$folder/venv/bin/python" "$folder/make.py" "$folder/book.xlsx"
convert xlsx "$folder/first" "$folder/book.xlsx"
"$folder/venv/bin/python" "$folder/read.py" "$folder/first/book.xlsx" 2080
# Without the saved values, as any program that calculates would see it.
"$folder/venv/bin/python" -c "import openpyxl,sys; openpyxl.load_workbook(sys.argv[1]).save(sys.argv[2])" "$folder/first/book.xlsx" "$folder/again.xlsx"
convert xlsx "$folder/second" "$folder/again.xlsx"
"$folder/venv/bin/python" "$folder/read.py" "$folder/second/again.xlsx" 2083.25
