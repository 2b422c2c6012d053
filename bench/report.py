# SPDX-License-Identifier: Apache-2.0
"""The page of results: a leg's table, and where it goes."""
import math


def ratio_text(ratio):
    return f"{ratio['ratio']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})" if ratio else "1"


def latency_text(microseconds):
    return "" if math.isnan(microseconds) else f"{microseconds:.0f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def heading(leg):
    cells = ["contestant", f"CPU µs/{leg.unit}", "ratio (95 %)", f"{leg.unit}s/s", "ratio (95 %)"]
    if not leg.is_programs:
        cells += ["p50 µs", "p99 µs"]
    return [row(cells), "|---|" + "---:|" * (len(cells) - 1)]


def cells(leg, line):
    """One contestant. Programs do short work, so their microseconds have a digit more."""
    found = [line["contestant"], f"{line['cpu_us_per_request']:.{3 if leg.is_programs else 2}f}",
             ratio_text(line.get("cpu_ratio")), f"{line['requests_per_second']:.0f}",
             ratio_text(line.get("throughput_ratio"))]
    if not leg.is_programs:
        found += [latency_text(line.get(name, math.nan)) for name in ("latency_p50_us", "latency_p99_us")]
    return found


def table(leg, result):
    about = result["circumstances"]
    load = "" if leg.is_programs else f", `wrk {' '.join(leg.wrk)}`"
    lines = [f"### {leg.name}: {leg.title}", "", *heading(leg)]
    lines += [row(cells(leg, line)) for line in result["summary"]]
    lines += ["", f"{len(result['pairs'])} pairs of {leg.seconds} s{load}; "
              f"{len(result['voids'])} void. {about['machine']}. {about['date']}, commit {about['commit']}. "
              f"`{about['command']}`"]
    return "\n".join(lines) + "\n"


def replace_between(text, name, fresh):
    """The page with the part between the leg's markers replaced; a new leg goes behind the last one."""
    begin, end = f"<!-- leg {name} -->\n", f"<!-- end of leg {name} -->\n"
    if begin in text:
        head, rest = text.split(begin, 1)
        return head + begin + fresh + end + rest.split(end, 1)[1]
    last = text.rfind("<!-- end of leg ")
    at = text.index("\n", last) + 1 if last >= 0 else len(text)
    return text[:at] + "\n" + begin + fresh + end + text[at:]
