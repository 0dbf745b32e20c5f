"""What was done in each part, and what there is to know about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Part = dict[str, Any]


def _kills(part: Part) -> str:
    return (
        "Each process records one run after the other, of 0 to 2,000 steps with thinning, and is "
        "killed (`SIGKILL`) within 0.3 s. All traces it has left are opened and read whole: "
        f"{part['traces']:,} of them, {part['empty']:,} empty: runs without steps, or killed "
        f"before the first were written. Refused: {part['refused']}."
    )


def _hiccups(part: Part) -> str:
    calm = part["none"]
    return (
        "A loop records a frame and a loss every millisecond, now and then an event or an epoch, "
        f"for which a training may wait. In its middle the file is locked for {part['seconds']:g} "
        "s by another connection, or the disk is full: a real one, of a sandbox. What comes "
        "meanwhile is kept in memory and written later. Without any hiccup the longest step took "
        f"{calm['longest_ms']:.1f} ms of the recording."
    )


def _mutants(part: Part) -> str:
    bombs = part["bombs"]
    problems = "".join(f"\n- {count} × {name}" for name, count in part["problems"].items())
    open_ones = "".join(f"\n- {name}: {said}" for name, said in bombs["not_refused"].items())
    return (
        "Bytes and structures of traces, settings, outcomes, studies, trials, records and "
        f"checkpoints are changed at random. {part['refused']:,} were refused with one clear error "
        f"and {part['read']:,} could be read; the slowest took {part['longest']:.2f} s.{problems}"
        "\n\nThe files that ask for much are up to "
        f"{bombs['largest'] / 2**20:.0f} MB: a trace of 20 MB whose table would have 1.3 GB, JSON "
        "of millions of empty lists, deep nesting, numbers of millions of digits, headers that "
        f"claim a terabyte. The slowest was {bombs['slowest']}.{open_ones}"
    )


def _server(part: Part) -> str:
    rows = "\n".join(f"| {name} | {seconds:.3f} |" for name, seconds in part["seconds"].items())
    return (
        "One third of the half-open connections sends nothing, one half a request, one goes on "
        "byte for byte; a run grows all the time. Somebody asks for pages meanwhile. The machine "
        f"did other work, too: things took {part['slowness']:.1f} times as long as on an idle one."
        "\n\n"
        f"| asked for | worst, s |\n| --- | --- |\n{rows}"
    )


def _effects(part: Part) -> str:
    skipped = [f"{how}: {one['skipped']}" for how, one in part.items() if "skipped" in one]
    changed = [
        f"\n- {how}, {end}: {', '.join(one['names'])}"
        for how, ends in part.items()
        for end, one in ends.items()
        if isinstance(one, dict) and one.get("names")
    ]
    left_out = f" Not tried here: {'; '.join(skipped)}." if skipped else ""
    return (
        "Where its patch is tried, the program overwrites checkpoints and a file of 21 MB, writes "
        "through symbolic links, to `../data`, to absolute paths, to the home and to temporary "
        "folders, deletes, renames, links and touches files, removes a folder, changes directory, "
        "opens a database and a socket, starts a shell and a daemon, and kills another process. "
        "Its project has 1,000 data files. `paramedic run --fix` comes to its end, or is ended in "
        "the middle. Then every file of the tree and the home is compared by content, rights and "
        f"time, and processes and connections are counted.{left_out}{''.join(changed)}"
    )


def _memory(part: Part) -> str:
    return (
        "The most memory of a whole process (`ru_maxrss`), medians of three; what is more includes "
        "the package itself. The allocator of the system is told to give back what is freed, so "
        "that what a process has is what it holds."
    )


def _gate(part: Part) -> str:
    def listed(found: dict[str, str]) -> str:
        return "".join(f"\n- {case}: {why}" for case, why in found.items())

    left_out, differences = listed(part["left_out"]), listed(part["differences"])
    failed = "".join(f"\n- {one}" for one in part["others_failed"])
    return (
        "`tests/patient_safety` has programs that do what programs do and more. Each runs plain, "
        "under `watch`, under `watch` at every step and under `paramedic run`; results, output, "
        "warnings, exceptions, threads, files, descriptors, exit code and memory are compared: "
        f"{part['compared']} comparisons."
        + (f"\n\nDifferences:\n{differences}" if differences else "")
        + (f"\n\nOther tests that failed:\n{failed}" if failed else "")
        + (f"\n\nNot possible on this machine:\n{left_out}" if left_out else "")
    )


WORDS: dict[str, Callable[[Part], str]] = {
    "kills": _kills, "hiccups": _hiccups, "mutants": _mutants, "server": _server,
    "effects": _effects, "memory": _memory, "gate": _gate,
}  # fmt: skip
