"""Step charts as SVG text: the share of plays, up to 1, over an effort on a logarithmic axis."""

import math

from plays import OURS
from tables import NAMES

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 560, 30, 345
OWN = "#c1121f"
COLOURS = ("#003f88", "#2a9d8f", "#e9a03b", "#7b2cbf", "#6c757d", "#5c9ead", "#8ab17d")


def step_chart(title, caption, series, marks):
    """@param series values by name; what is infinite never counts. marks: the ticks of the axis, from its first to its last value."""
    first, last = marks[0], marks[-1]

    def x_of(value):
        share = math.log(min(last, max(first, value)) / first) / math.log(last / first)
        return f"{LEFT + share * (RIGHT - LEFT):.1f}"

    def y_of(share):
        return f"{BOTTOM - share * (BOTTOM - TOP):.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="18">{title}</text>',
        f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 42}" text-anchor="middle">{caption}</text>',
    ]
    for mark in marks:
        lines.append(f'<line x1="{x_of(mark)}" y1="{TOP}" x2="{x_of(mark)}" y2="{BOTTOM}" stroke="#ddd"/>')
        lines.append(f'<text x="{x_of(mark)}" y="{BOTTOM + 20}" text-anchor="middle">{mark:g}</text>')
    for percent in (0, 25, 50, 75, 100):
        y = y_of(percent / 100)
        lines.append(f'<line x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{percent} %</text>')
    colours = dict(zip((name for name in series if name != OURS), COLOURS, strict=False))
    for rank, (name, values) in enumerate(series.items()):
        colour, width = (OWN, 3) if name == OURS else (colours[name], 1.5)
        y = TOP + 14 + 22 * rank
        lines.append(f'<path d="{steps(values, last, x_of, y_of)}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        lines.append(f'<line x1="{RIGHT + 14}" y1="{y}" x2="{RIGHT + 40}" y2="{y}" stroke="{colour}" stroke-width="{width}"/>')
        lines.append(f'<text x="{RIGHT + 46}" y="{y + 4}">{NAMES[name].strip("*")}</text>')
    return "\n".join([*lines, "</svg>\n"])


def steps(values, last, x_of, y_of):
    path = f"M{LEFT} {y_of(0)}"
    reached = sorted(value for value in values if value <= last)
    for number, value in enumerate(reached, 1):
        if number == len(reached) or reached[number] > value:
            path += f"H{x_of(value)}V{y_of(number / len(values))}"
    return f"{path}H{RIGHT}"
