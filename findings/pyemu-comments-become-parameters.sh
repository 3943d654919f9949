#!/usr/bin/env bash
# pyemu 1.7.0 takes a comment in an external file of a control file of version 2 for a parameter.
#
# par.csv has one parameter and, before it, a line that begins with #. PEST++ 5.2.23 skips such a line (ExternalCtlFile::read_file: "skipping
# comment line in external file").
# Expected: one parameter, k.
# Seen: two. The other one is called "# measured in 2019" and is estimated between 1.1e-10 and 1.1e+10, from default values.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyemu==1.7.0
printf '%s\n' 'parnme,partrans,parchglim,parval1,parlbnd,parubnd,pargp,scale,offset,dercom' '# measured in 2019' \
  'k,log,factor,3.0,0.5,10,g,1,0,1' > par.csv
printf '%s\n' 'obsnme,obsval,weight,obgnme' 'h1,6.0,1.0,level' > obs.csv
printf '%s\n' 'pcf version=2' '* control data keyword' 'noptmax 0' '* parameter data external' par.csv '* observation data external' obs.csv \
  '* model command line' 'python3 model.py' '* model input' 'm.tpl m.in' '* model output' 'm.ins m.out' > case.pst
venv/bin/python -W ignore - <<'PYTHON'
import sys

import pyemu

data = pyemu.Pst("case.pst").parameter_data
print(data[["partrans", "parval1", "parlbnd", "parubnd"]].to_string())
sys.exit(list(data.index) != ["# measured in 2019", "k"] or not 1e-10 < data.parlbnd.iloc[0] < 1.2e-10)
PYTHON
