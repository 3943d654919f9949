"""Writes the files of numpy and pandas in this folder: python test/runner/outputs/make.py. Made with numpy 2.4.6 and pandas 3.1.1."""

from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
ROWS = np.array([[0.0, 10.0, 60.0], [1.0, 11.5, 61.5], [2.0, 12.25, 62.5]])
FRAME = pd.DataFrame(ROWS[:, :2], columns=["time", "mass"])


def write(name: str, text: str) -> None:
    (HERE / name).write_text(text, newline="\n")


def save(name: str, rows: np.ndarray, **options: str) -> None:
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
