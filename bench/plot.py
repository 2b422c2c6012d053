# SPDX-License-Identifier: Apache-2.0
"""A leg's figures as bars: requests a second and CPU time of each contestant, as SVG."""
from xml.sax.saxutils import escape

WIDTH = 900
LABEL_WIDTH = 230
GAP_WIDTH = 40
BAR_HEIGHT = 16
ROW_HEIGHT = 26
TOP = 64
VALUE_WIDTH = 70
OURS, THEIRS = "#2f6f4f", "#9aa5b1"
STYLE = ("text{font:12px sans-serif;fill:#24292f}.title{font-weight:bold;font-size:13px}"
         "@media(prefers-color-scheme:dark){text{fill:#d0d7de}}")


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def bars(x, title, lines, figure, most, ours):
    """One column of bars; the longest is as wide as the column."""
    width = (WIDTH - LABEL_WIDTH - GAP_WIDTH) / 2 - VALUE_WIDTH
    parts = [f'<text class="title" x="{x:.0f}" y="{TOP - 14}">{escape(title)}</text>']
    for place, line in enumerate(lines):
        y = TOP + place * ROW_HEIGHT
        length = max(1.0, width * line[figure] / most) if most else 1.0
        color = OURS if line["contestant"] in ours else THEIRS
        parts.append(f'<rect x="{x:.0f}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}" rx="2" '
                     f'fill="{color}"/>')
        parts.append(f'<text x="{x + length + 5:.0f}" y="{y + 13}">{number(line[figure])}</text>')
    return parts


def svg(result, ours):
    """`ours` are the names of the contestants that are Quern's own."""
    lines, unit = result["summary"], result["unit"]
    height = TOP + len(lines) * ROW_HEIGHT + 12
    second = LABEL_WIDTH + (WIDTH - LABEL_WIDTH - GAP_WIDTH) / 2 + GAP_WIDTH
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}">', f"<style>{STYLE}</style>",
             f'<text class="title" x="8" y="22">{escape(result["leg"] + ": " + result["title"])}</text>']
    for place, line in enumerate(lines):
        parts.append(f'<text x="8" y="{TOP + place * ROW_HEIGHT + 13}">{escape(line["contestant"])}</text>')
    for x, title, figure in ((LABEL_WIDTH, f"{unit}s a second", "requests_per_second"),
                             (second, f"CPU µs a {unit}", "cpu_us_per_request")):
        parts += bars(x, title, lines, figure, max(line[figure] for line in lines), ours)
    return "\n".join([*parts, "</svg>"]) + "\n"
