"""
Writes the tables of docs/benchmarks.md and its pictures from the recorded plays; nobody types a figure.

    python bench/public/figures.py [--check]

--check changes nothing and exits with code 1 where the page is not what the plays say. Any Python from 3.10 will do.
"""

import json
import re
import sys
from pathlib import Path

import tables
import weak
from charts import step_chart
from plays import RESULTS, read_plays

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks.md"
PICTURES = ROOT / "docs/pictures"


def published():
    file = RESULTS / "published.json"
    return json.loads(file.read_text()) if file.exists() else []


def sections():
    """Text by marker, and pictures by name."""
    grounds = {ground: read_plays(ground) for ground in ("s2mpj", "bbob", "solar", "re")}
    for ground, plays in grounds.items():
        if not plays:
            raise SystemExit(f"There are no plays of {ground}: record them with python bench/public/play.py {ground}.")
    squares, black_boxes, plant, fronts = (grounds[name] for name in grounds)
    texts = {
        "weak": weak.weak_spots(squares, black_boxes, plant, fronts),
        "s2mpj": tables.squares_table(squares),
        "s2mpj-sizes": tables.squares_by_size(squares),
        "bbob": tables.black_boxes_table(black_boxes),
        "solar": tables.plant_table(plant),
        "re": tables.fronts_table(fronts),
        "factors": tables.factors_table(grounds),
        "published": tables.published_table(published()),
        "played": tables.played_table(grounds),
    }
    pictures = {}
    for name, (title, caption, series, marks) in tables.charts(squares, black_boxes).items():
        pictures[f"benchmark-{name}.svg"] = step_chart(title, caption, series, marks)
    return texts, pictures


def filled(page, texts):
    for name, text in texts.items():
        pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not pattern.search(page):
            raise SystemExit(f"{PAGE} has no marker <!-- {name} -->.")
        page = pattern.sub(lambda found, text=text: f"{found[1]}\n{text}\n\n{found[2]}", page)
    return page


def main():
    texts, pictures = sections()
    written = {PAGE: filled(PAGE.read_text(), texts), **{PICTURES / name: text for name, text in pictures.items()}}
    if sys.argv[1:] == ["--check"]:
        stale = [path for path, text in written.items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the plays say: run python bench/public/figures.py.")
        sys.exit(len(stale) > 0)
    for path, text in written.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
