"""Writes the files of numpy and pandas in this folder: python test/runner/outputs/make.py. Needs tabulate too; programs.json has versions."""

from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
ROWS = np.array([[0.0, 10.0, 60.0], [1.0, 11.5, 61.5], [2.0, 12.25, 62.5]])
FRAME = pd.DataFrame(ROWS[:, :2], columns=["time", "mass"])


def write(name: str, text: str) -> None:
    (HERE / name).write_text(text, newline="")


def save(name: str, rows: np.ndarray, **options: object) -> None:
    np.savetxt(HERE / name, rows, **options)


save("numpy-header.txt", ROWS[:, :2], header="time mass")
save("numpy-two-lines.txt", ROWS[:, :2], header="run 7, steel\ntime mass")
save("numpy-tabs.txt", ROWS[:, :2], header="time\tmass", delimiter="\t")
save("numpy-commas.csv", ROWS[:, :2], header="time,mass", delimiter=",", fmt="%g")
save("numpy-title-missing.txt", ROWS, header="time mass", fmt="%g")
save("numpy-mark-touches.txt", ROWS[:, :2], header="time mass", comments="#")
save("numpy-percent.txt", ROWS[:, :2], header="time mass", comments="% ")
save("numpy-plain-title.txt", ROWS, header="time mass", comments="", fmt="%g")
save("numpy-blanks-in-titles.txt", ROWS[:, :2], header="time (s) mass (kg)", fmt="%g")
save("numpy-title-twice.txt", ROWS, header="time mass mass", fmt="%g")
save("numpy-commas-over-blanks.txt", ROWS[:, :2], header="time, mass", fmt="%g")
save("numpy-nan.txt", np.array([[0, 10.0], [1, np.nan]]), header="time mass", fmt="%g")
write("pandas-to-string.txt", FRAME.to_string() + "\n")
write("pandas-no-index.txt", FRAME.to_string(index=False) + "\n")
write("pandas-named-index.txt", FRAME.set_index("time").to_string() + "\n")
write("pandas-wide-values.txt", FRAME.assign(mass=[1e10, -2.5, 1e-12]).to_string() + "\n")
FRAME.to_csv(HERE / "pandas.csv", lineterminator="\n")
FRAME.to_csv(HERE / "pandas-no-index.csv", index=False, lineterminator="\n")
FRAME.to_csv(HERE / "pandas-decimal-comma.csv", index=False, sep=";", decimal=",", lineterminator="\n")
FRAME.to_csv(HERE / "pandas-decimal-comma-blanks.txt", index=False, sep=" ", decimal=",", lineterminator="\n")
FRAME.to_csv(HERE / "pandas-append.csv", index=False, lineterminator="\n")
FRAME.to_csv(HERE / "pandas-append.csv", index=False, mode="a", lineterminator="\n")
pd.DataFrame(ROWS, columns=["time", "mass", "mass"]).to_csv(HERE / "pandas-title-twice.csv", index=False, lineterminator="\n")
save("numpy-no-titles.txt", ROWS[:, :2], fmt="%g")
units = pd.MultiIndex.from_tuples([("time", "s"), ("mass", "kg")])
write("pandas-units.csv", pd.DataFrame(ROWS[:, :2], columns=units).to_csv(index=False))
write("pandas-below-a-line.csv", "written on Monday\n\n" + FRAME.to_csv(index=False))

PAIRS = ROWS[:, :2]
save("numpy-units-in-titles.txt", ROWS, header="time (s) mass", fmt="%g")
save("numpy-footer.txt", PAIRS, header="time mass", footer="end of run", fmt="%g")
save("numpy-crlf.txt", PAIRS, header="time mass", newline="\r\n", fmt="%g")
save("numpy-widths.txt", PAIRS, header="time mass", fmt=["%6.2f", "%10.4e"])
save("numpy-semicolons.csv", PAIRS, header="time;mass", delimiter=";", comments="", fmt="%g")
save("numpy-inf.txt", np.array([[0, 10.0], [1, np.inf]]), header="time mass", fmt="%g")
save("numpy-complex.txt", np.array([1.5 - 0.25j, 2 + 1j]))
save("numpy-one.txt", np.array([61.5]))
save("numpy-units-line.txt", PAIRS, header="time mass\ns kg", fmt="%g")
save("numpy-touching.txt", np.array([[1.5, -1000.25], [2.5, -100000.25]]), fmt="%8.3f", delimiter="", header="x y", comments="")
with (HERE / "numpy-appended.txt").open("w") as f:
    np.savetxt(f, PAIRS, header="time mass", fmt="%g")
    np.savetxt(f, PAIRS + 1, header="time mass", fmt="%g")
with (HERE / "numpy-two-tables.txt").open("w") as f:
    np.savetxt(f, PAIRS, header="time mass", fmt="%g")
    f.write("\n")
    np.savetxt(f, PAIRS[:, ::-1], header="mass time", fmt="%g")
write("numpy-print.txt", str(PAIRS) + "\n")
write("numpy-repr.txt", repr(PAIRS) + "\n")
write("numpy-print-value.txt", f"mass = {np.float64(61.5)!r}\ntilt = {np.float64(2.55e-4)}\n")
write("numpy-array2string.txt", np.array2string(PAIRS[:, 1], separator=", ") + "\n")
PAIRS.tofile(HERE / "numpy-tofile.txt", sep=" ")
PLAIN = {"index": False, "lineterminator": "\n"}
FRAME.to_csv(HERE / "pandas-tabs.txt", sep="\t", **PLAIN)
FRAME.to_csv(HERE / "pandas-crlf.csv", index=False, lineterminator="\r\n")
FRAME.to_csv(HERE / "pandas-bom.csv", encoding="utf-8-sig", **PLAIN)
FRAME.to_csv(HERE / "pandas-float-format.csv", float_format="%.3e", **PLAIN)
FRAME.to_csv(HERE / "pandas-quoted.csv", quoting=1, **PLAIN)
FRAME.to_csv(HERE / "pandas-no-header.csv", header=False, **PLAIN)
FRAME.assign(mass=[10, np.nan, 12.25]).to_csv(HERE / "pandas-missing.csv", **PLAIN)
FRAME.assign(mass=[10, np.nan, 12.25]).to_csv(HERE / "pandas-na-rep.csv", na_rep="NA", **PLAIN)
FRAME.assign(mass=[10, np.inf, 12.25]).to_csv(HERE / "pandas-inf.csv", **PLAIN)
FRAME.assign(note=["steel, 5", '"cast"', "two\nlines"]).to_csv(HERE / "pandas-notes.csv", **PLAIN)
FRAME.assign(mass=["1,010.0", "1,011.5", "1,012.25"]).to_csv(HERE / "pandas-thousands.csv", **PLAIN)
FRAME.assign(mass=["10 kg", "11.5 kg", "12.25 kg"]).to_csv(HERE / "pandas-units-in-cells.csv", **PLAIN)
FRAME.assign(mass=["10%", "11.5%", "12.25%"]).to_csv(HERE / "pandas-percent.csv", **PLAIN)
FRAME.rename(columns={"time": "time (s)", "mass": "mass, dry"}).to_csv(HERE / "pandas-comma-in-title.csv", **PLAIN)
FRAME.rename(columns={"time": "time [s]", "mass": "mass [kg]"}).to_csv(HERE / "pandas-brackets.csv", **PLAIN)
FRAME.rename(columns={"time": " time", "mass": " mass"}).to_csv(HERE / "pandas-blank-titles.csv", **PLAIN)
FRAME.assign(time=pd.date_range("2026-01-01", periods=3)).to_csv(HERE / "pandas-dates.csv", **PLAIN)
FRAME.set_index("time").to_csv(HERE / "pandas-named-index.csv", lineterminator="\n")
FRAME.T.to_csv(HERE / "pandas-transposed.csv", lineterminator="\n")
FRAME.describe().to_csv(HERE / "pandas-describe.csv", lineterminator="\n")
FRAME.assign(empty="").to_csv(HERE / "pandas-trailing-comma.csv", **PLAIN)
write("pandas-describe.txt", FRAME.describe().to_string() + "\n")
write("pandas-series.txt", FRAME.mass.to_string() + "\n")
write("pandas-print-series.txt", str(FRAME.mass) + "\n")
write("pandas-markdown.txt", FRAME.to_markdown(index=False) + "\n")
for orient in ["records", "split", "columns", "values", "table"]:
    write(f"pandas-{orient}.json", FRAME.to_json(orient=orient))
write("pandas-lines.txt", FRAME.to_json(orient="records", lines=True))
write("pandas-nan.json", FRAME.assign(mass=[10, np.nan, 12.25]).to_json(orient="columns"))
write("pandas-missing.txt", FRAME.assign(mass=[10, np.nan, 12.25]).to_string(index=False, na_rep="") + "\n")
write("pandas-truncated.txt", pd.DataFrame({"time": np.arange(100.0), "mass": np.arange(100.0) * 2}).to_string(max_rows=6) + "\n")
write(
    "pandas-wrapped.txt",
    pd.DataFrame(np.arange(24.0).reshape(2, 12) * 1e5 + 0.123, columns=[f"output{i}" for i in range(12)]).to_string(line_width=60) + "\n",
)
write("pandas-comment-amid.csv", "time,mass\n0,10\n# restarted\n1,11.5\n2,12.25\n")
