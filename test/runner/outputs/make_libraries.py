"""
Writes the files of Python libraries in this folder, each function those of one: python test/runner/outputs/make_libraries.py [NAME ...].
programs.json has the versions. h5dump and ncdump are programs that print what a library wrote.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

T = [0.0, 1.0, 2.0]
M = [10.0, 11.5, 12.25]
NET = """[JUNCTIONS]
 J1 10 5
 J2 5 10
[RESERVOIRS]
 R 60
[PIPES]
 P1 R J1 1000 300 100 0 Open
 P2 J1 J2 500 200 100 0 Open
[TIMES]
 DURATION 2:00
 HYDRAULIC TIMESTEP 1:00
 PATTERN TIMESTEP 1:00
[PATTERNS]
 1 1.0 1.5 0.5
[OPTIONS]
 UNITS LPS
 HEADLOSS H-W
[REPORT]
 STATUS YES
 SUMMARY NO
 PAGE 0
 NODES ALL
 LINKS ALL
[END]
"""
RAIN = """[OPTIONS]
FLOW_UNITS CMS
INFILTRATION HORTON
FLOW_ROUTING KINWAVE
START_DATE 01/01/2020
START_TIME 00:00:00
END_DATE 01/01/2020
END_TIME 02:00:00
REPORT_STEP 00:15:00
WET_STEP 00:05:00
DRY_STEP 01:00:00
ROUTING_STEP 20
[RAINGAGES]
R INTENSITY 0:15 1.0 TIMESERIES T
[SUBCATCHMENTS]
S R J 1 50 100 0.5 0
[SUBAREAS]
S 0.01 0.1 0.05 0.05 25 OUTLET
[INFILTRATION]
S 3 0.5 4 7 0
[JUNCTIONS]
J 10 3 0 0 0
[OUTFALLS]
O 8 FREE NO
[CONDUITS]
C J O 100 0.01 0 0 0 0
[XSECTIONS]
C CIRCULAR 0.5 0 0 0 1
[TIMESERIES]
T 0:00 10
T 0:15 30
T 0:30 0
[REPORT]
NODES ALL
LINKS ALL
"""
LIBRARIES: dict[str, Callable[[], None]] = {}


def library(function: Callable[[], None]) -> Callable[[], None]:
    LIBRARIES[function.__name__.removeprefix("write_")] = function
    return function


def write(name: str, text: str) -> None:
    Path(name).write_text(text, newline="")


@library
def write_polars() -> None:
    import polars as pl

    d = pl.DataFrame({"time": T, "mass": M})
    d.write_csv("polars.csv")
    d.write_csv("polars-bom.csv", include_bom=True)
    d.write_csv("polars-tabs.txt", separator="\t")
    d.write_csv("polars-no-header.csv", include_header=False)
    d.write_csv("polars-crlf.csv", line_terminator="\r\n")
    d.write_csv("polars-quoted.csv", quote_style="always")
    d.write_csv("polars-decimal-comma.csv", separator=";", decimal_comma=True)
    d.with_columns(pl.Series("mass", [10.0, None, 12.25])).write_csv("polars-null.csv")
    d.with_columns(pl.Series("mass", [10.0, float("nan"), 12.25])).write_csv("polars-nan.csv")
    write("polars-print.txt", str(d) + "\n")
    d.write_csv("polars-scientific.csv", float_scientific=True)


@library
def write_pyarrow() -> None:
    import pyarrow as pa, pyarrow.csv as c

    t = pa.table({"time": T, "mass": M})
    c.write_csv(t, "pyarrow.csv")
    c.write_csv(t, "pyarrow-no-quotes.csv", c.WriteOptions(quoting_style="none", delimiter=";"))
    write("pyarrow-print.txt", str(t) + "\n")
    c.write_csv(pa.table({"time": T, "mass": [10.0, None, 12.25]}), "pyarrow-null.csv")


@library
def write_xarray() -> None:
    import xarray as xr

    d = xr.Dataset({"mass": ("time", M)}, coords={"time": T})
    write("xarray-print.txt", str(d) + "\n")
    d.to_dataframe().to_csv("xarray.csv", lineterminator="\n")
    write("xarray-dict.json", json.dumps(d.to_dict()))


@library
def write_astropy() -> None:
    from astropy.table import Table
    from astropy.io import ascii
    import astropy.units as u

    t = Table({"time": T * u.s, "mass": M * u.kg})
    for n, f in [
        ("ecsv", "ecsv"),
        ("fixed-width", "fixed_width"),
        ("two-line", "fixed_width_two_line"),
        ("commented", "commented_header"),
        ("basic", "basic"),
        ("ipac", "ipac"),
        ("rst", "rst"),
        ("tab", "tab"),
        ("no-header", "no_header"),
        ("csv", "csv"),
    ]:
        ascii.write(t, f"astropy-{n}.txt", format=f, overwrite=True)
    write("astropy-print.txt", "\n".join(t.pformat(show_unit=True)) + "\n")
    q = 61.5 * u.kg
    write("astropy-quantity.txt", f"mass = {q}\n")


@library
def write_scipy() -> None:
    from scipy import stats, optimize
    import numpy as np

    write("scipy-minimize.txt", str(optimize.minimize(lambda p: (p[0] - 3) ** 2 + (p[1] + 0.5) ** 2, [0, 0], method="BFGS")) + "\n")
    write("scipy-linregress.txt", str(stats.linregress(T, M)) + "\n")
    write(
        "scipy-ode.txt",
        str(__import__("scipy.integrate", fromlist=["x"]).solve_ivp(lambda t, y: -y, (0, 1), [1.0], t_eval=[0, 0.5, 1])) + "\n",
    )


@library
def write_lmfit() -> None:
    import lmfit, numpy as np

    m = lmfit.models.LinearModel()
    r = m.fit(np.array([10, 11.5, 12.25, 13.5]), x=np.array([0, 1, 2, 3.0]), slope=1, intercept=9)
    write("lmfit-report.txt", r.fit_report() + "\n")
    write("lmfit-params.txt", r.params.pretty_repr() + "\n")
    with contextlib.redirect_stdout(io.StringIO()) as o:
        r.params.pretty_print()
    write("lmfit-pretty.txt", o.getvalue())
    write(
        "lmfit-summary.json",
        json.dumps({k: v for k, v in r.summary().items() if k in ("chisqr", "redchi", "nfev", "best_values", "params")}),
    )


@library
def write_statsmodels() -> None:
    import statsmodels.api as sm, numpy as np

    r = sm.OLS(np.array([10, 11.5, 12.25, 13.5, 14.25]), sm.add_constant(np.arange(5.0))).fit()
    t = r.summary().as_text().splitlines()
    t = [x for x in t if not x.startswith(("Date", "Time"))]
    write("statsmodels-summary.txt", "\n".join(t) + "\n")
    write("statsmodels-params.txt", str(r.params) + "\n")


@library
def write_sympy() -> None:
    import sympy as s

    x = s.symbols("x")
    write(
        "sympy-print.txt",
        f"root = {s.sqrt(2)}\nvalue = {s.sqrt(2).evalf()}\nsmall = {s.Float('2.55e-40')}\nthird = {s.Rational(1, 3)}\nz = {s.N(s.sqrt(-2))}\n",
    )
    write("sympy-pretty.txt", s.pretty(s.Rational(1, 3) + x) + "\n")
    write("sympy-c.txt", s.ccode(s.Float("61.5") * x, assign_to="mass") + "\n")


@library
def write_tabulate() -> None:
    from tabulate import tabulate as t

    r = list(zip(T, M))
    for f in ["simple", "plain", "github", "psql", "tsv", "orgtbl", "presto"]:
        write(f"tabulate-{f}.txt", t(r, headers=["time", "mass"], tablefmt=f) + "\n")
    write(
        "tabulate-thousands.txt",
        t([(0, "1,061.5"), (1, "2,061.5")], headers=["time", "mass"], tablefmt="plain", disable_numparse=True) + "\n",
    )
    write("tabulate-missing.txt", t([(0.0, 10.0), (1.0, None), (2.0, 12.25)], headers=["time", "mass"], tablefmt="plain") + "\n")


@library
def write_prettytable() -> None:
    import prettytable as p

    t = p.PrettyTable(["time", "mass"])
    t.add_rows(list(zip(T, M)))
    write("prettytable.txt", str(t) + "\n")
    t.border = False
    write("prettytable-no-border.txt", str(t) + "\n")
    write("prettytable.csv", t.get_csv_string(lineterminator="\n"))


@library
def write_duckdb() -> None:
    import duckdb

    duckdb.sql("create table d as select * from (values (0.0,10.0),(1.0,11.5),(2.0,12.25)) v(time,mass)")
    duckdb.sql("copy d to 'duckdb.csv'")
    duckdb.sql("copy d to 'duckdb-pipe.csv' (delimiter '|')")
    duckdb.sql("copy d to 'duckdb.json' (array true)")
    duckdb.sql("copy d to 'duckdb-lines.json'")


@library
def write_skrf() -> None:
    import skrf, numpy as np

    f = skrf.Frequency(1, 3, 3, "ghz")
    n = skrf.Network(frequency=f, s=np.array([[[0.5 + 0.1j]], [[0.25 - 0.2j]], [[0.125 + 0.3j]]]), z0=50, name="a")
    n.write_touchstone("skrf-ri", form="ri")
    n.write_touchstone("skrf-db", form="db")
    os.rename("skrf-ri.s1p", "skrf-ri.txt")
    os.rename("skrf-db.s1p", "skrf-db.txt")


@library
def write_casadi() -> None:
    import casadi as c

    write("casadi-dm.txt", f"x = {c.DM([3, -0.5])}\nf = {c.DM(61.5)}\nsmall = {c.DM(2.55e-10)}\n")
    c.DM([[0, 10], [1, 11.5], [2, 12.25]]).to_file("casadi-file.txt", "txt")


@library
def write_cantera() -> None:
    import cantera as ct

    g = ct.Solution("air.yaml")
    g.TP = 500, 101325
    write("cantera-report.txt", g.report() + "\n")
    a = ct.SolutionArray(g, 3)
    a.TP = [300, 400, 500], 101325
    a.save("cantera-states.csv", overwrite=True, basis="mole")


@library
def write_openmm() -> None:
    import openmm as mm, openmm.app as app
    from openmm import unit

    s = mm.System()
    s.addParticle(39.9)
    s.addParticle(39.9)
    b = mm.HarmonicBondForce()
    b.addBond(0, 1, 0.3, 1000.0)
    s.addForce(b)
    t = app.Topology()
    c = t.addChain()
    r = t.addResidue("A", c)
    [t.addAtom("A", app.Element.getBySymbol("Ar"), r) for _ in "12"]
    sim = app.Simulation(t, s, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName("Reference"))
    sim.context.setPositions([[0, 0, 0], [0.35, 0, 0]])
    for n, k in [
        ("openmm.csv", {}),
        ("openmm-tabs.txt", {"separator": "\t"}),
        ("openmm-blanks.txt", {"separator": " "}),
        ("openmm-speed.csv", {"speed": True, "progress": True, "totalSteps": 30, "remainingTime": True}),
    ]:
        sim.reporters.append(app.StateDataReporter(n, 10, step=True, potentialEnergy=True, temperature=True, **k))
    sim.step(30)


@library
def write_iminuit() -> None:
    from iminuit import Minuit

    m = Minuit(lambda x, y: (x - 3) ** 2 + (y + 0.5) ** 2, x=0, y=0)
    m.migrad()
    write("iminuit-print.txt", str(m.params) + "\n")


@library
def write_pint() -> None:
    import pint

    q = 61.5 * pint.UnitRegistry().kg
    write("pint.txt", f"mass = {q}\nshort = {q:~}\npretty = {(q * 1e6):~P}\ncompact = {(q * 1e-6).to_compact():~}\n")


@library
def write_h5py() -> None:
    import h5py, subprocess

    with h5py.File("a.h5", "w") as f:
        f["mass"] = M
        f["cost"] = 61.5
    write("h5dump.txt", subprocess.run(["h5dump", "a.h5"], capture_output=True, text=True).stdout)


@library
def write_netcdf() -> None:
    import subprocess
    from scipy.io import netcdf_file

    f = netcdf_file("a.nc", "w")
    f.createDimension("time", 3)
    v = f.createVariable("mass", "d", ("time",))
    v[:] = M
    v.units = b"kg"
    f.close()
    write("ncdump.txt", subprocess.run(["ncdump", "a.nc"], capture_output=True, text=True).stdout)


@library
def write_wntr() -> None:
    import wntr

    Path("net.inp").write_text(NET)
    water = wntr.sim.EpanetSimulator(wntr.network.WaterNetworkModel("net.inp")).run_sim()
    water.node["pressure"].to_csv("wntr-pressure.csv", lineterminator="\n")
    write("wntr-print.txt", f"{water.node['pressure']}\n")
    from wntr.epanet.toolkit import ENepanet

    engine = ENepanet("net.inp", "epanet-report.txt", "net.bin")
    engine.ENopen("net.inp", "epanet-report.txt", "net.bin")
    engine.ENsolveH()
    engine.ENsaveH()
    engine.ENreport()
    engine.ENclose()


@library
def write_pyswmm() -> None:
    from pyswmm import Simulation

    Path("rain.inp").write_text(RAIN)
    with Simulation("rain.inp", "swmm-report.txt", "rain.out") as steps:
        for _ in steps:
            pass


if __name__ == "__main__":
    here = Path(__file__).parent
    os.chdir(tempfile.mkdtemp())
    for name in sys.argv[1:] or LIBRARIES:
        LIBRARIES[name]()
    for file in Path.cwd().iterdir():
        if file.suffix in {".txt", ".csv", ".json"}:
            (here / file.name).write_bytes(file.read_bytes())
