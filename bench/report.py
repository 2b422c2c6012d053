# SPDX-License-Identifier: Apache-2.0
"""The page of results: a leg's table, and where it goes. Everything in it comes from the leg's JSON."""
import math


def ratio_text(ratio):
    return f"{ratio['ratio']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})" if ratio else "1"


def rounded(value, digits=0):
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def is_timed(result):
    """Somebody waited for the answers, or a program kept the time of each operation itself."""
    return result["unit"] == "request" or any("latency_p50_us" in line for line in result["summary"])


def heading(served, timed, unit):
    cells = ["contestant", f"CPU µs/{unit}"]
    cells += ["user + system"] if served else []
    cells += ["ratio (95 %)", f"{unit}s/s", "ratio (95 %)"]
    cells += ["p50 µs", "p99 µs"] if timed else []
    cells.append("peak MiB")
    return [row(cells), "|---|" + "---:|" * (len(cells) - 1)]


def cells(served, timed, line):
    """One contestant. Programs do short work, so their microseconds have a digit more."""
    found = [line["contestant"], rounded(line["cpu_us_per_request"], 2 if served else 3)]
    if served:
        user, system = line.get("user_us_per_request"), line.get("system_us_per_request")
        found.append("" if user is None else f"{user:.1f} + {system:.1f}")
    found += [ratio_text(line.get("cpu_ratio")), rounded(line["requests_per_second"]),
              ratio_text(line.get("throughput_ratio"))]
    if timed:
        digits = 0 if served else 1
        found += [rounded(line.get(name), digits) for name in ("latency_p50_us", "latency_p99_us")]
    memory = line.get("peak_memory_kib")
    return [*found, "" if memory is None else f"{memory / 1024:.1f}"]


def version_text(versions):
    """One line a rival: its parts and flags."""
    lines = []
    for name, told in versions.items():
        parts = ", ".join(f"{part} {version}" for part, version in told["versions"].items())
        lines.append(f"{name}: {parts}" + (f"; {told['flags']}" if told["flags"] else ""))
    return lines


def notes(result):
    """What stands below the table, one remark a line of a list."""
    lines = [f"{line['contestant']}: {line['note']}" for line in result["summary"] if line.get("note")]
    lines += [f"{name} is absent: {reason}" for name, reason in result.get("absent", [])]
    lines += version_text(result.get("versions", {}))
    return [f"- {line}." for line in lines]


def table(result):
    about = result["circumstances"]
    served, timed = result["unit"] == "request", is_timed(result)
    load = f", `{result['load']}`" if served else ""
    lines = [f"### {result['leg']}: {result['title']}", "", *heading(served, timed, result["unit"])]
    lines += [row(cells(served, timed, line)) for line in result["summary"]]
    lines += ["", f"{len(result['pairs'])} pairs of {result['seconds']} s{load}; "
              f"{len(result['voids'])} void. {about['machine']}. {about['date']}, commit {about['commit']}. "
              f"`{about['command']}`"]
    lines += [f"[Bars](results/{result['leg']}.svg), [every round](results/{result['leg']}.json)."]
    if result.get("goal"):
        lines += ["", f"Goal: {result['goal']}."]
    if found := notes(result):
        lines += ["", *found]
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
