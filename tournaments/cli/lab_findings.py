"""Findings of the laboratory, for people and for programs."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from itertools import islice

from referee.text import counted
from tournaments.lab import Example, Finding, Laboratory
from tournaments.lab.findings import ALPHA, LEAST_BLOCKS, Asked

SHOWN = 3
"""How many deals are named beside a finding."""
_KIND = {"overbids": "over", "underbids": "missed"}


def finding_lines(laboratory: Laboratory, only: str | None = None) -> list[str]:
    """Returns a line for each finding, under it the deals to look at; last, if the run is open."""
    found = [each for each in laboratory.findings() if only in (None, each.entrant)]
    lines = [] if found else [_nothing(laboratory.asked(only), only)]
    for finding in found:
        lines.append(_line(finding))
        shown = islice(_examples(laboratory, finding), SHOWN)
        lines += [f"  {replay_command(example)}  ({_about(example)})" for example in shown]
    if laboratory.counts.is_open:
        lines.append(_open(laboratory))
    return lines


def _open(laboratory: Laboratory) -> str:
    counts = laboratory.counts
    missing = counts.scheduled - counts.tables
    return (
        f"not the end: {missing} of {counts.scheduled} tables are still to be played; "
        f"{100 * ALPHA:g} % holds for one look, at the finished run, so name nobody yet"
    )


def _nothing(asked: Asked, only: str | None) -> str:
    """Returns that nobody is named, and which of the two reasons there is."""
    who = f"{only or 'nobody'} is {'not ' if only else ''}sure to bid too much or too little"
    if asked.least_p is not None:
        among = f", {asked.about} of them about {only}" if only else ""
        return (
            f"{who}: asked {counted(asked.questions, 'question')}{among}; none holds (least p "
            f"{_p(asked.least_p)} after Holm, {ALPHA:g} is needed)"
        )
    if asked.most_blocks:
        return (
            f"{who}: no question has {LEAST_BLOCKS} blocks yet; the largest has "
            f"{asked.most_blocks}: {asked.most}"
        )
    return f"{who}: nobody chose otherwise with the same hand at the same place"


def _line(finding: Finding) -> str:
    gain, worth, made = finding.gain, finding.worth, finding.made
    over = finding.direction == "overbids"
    others = "others chose less" if over else "others made that bid"
    whose = "deals with its bid were" if over else "theirs were"
    return (
        f"{finding.entrant} {finding.direction} at {finding.level}: with the same hand at the same "
        f"place {others} and got {-gain.value:.1f} net points a deal more "
        f"(95 % {_ends(gain.low, gain.high, -1)}; {gain.count} comparisons in {gain.blocks} "
        f"blocks); {whose} worth {worth.value:+.1f} (95 % {_ends(worth.low, worth.high)}), made in "
        f"{100 * made.value:.0f} % (95 % {_percents(made.low, made.high)}); "
        f"p {_p(finding.p)} after Holm over {finding.questions} questions"
    )


def _ends(low: float | None, high: float | None, sign: int = 1) -> str:
    if low is None or high is None:
        return "-"
    ends = sorted((sign * low, sign * high))
    return f"{ends[0]:.1f} to {ends[1]:.1f}"


def _percents(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} %"


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"


def _examples(laboratory: Laboratory, finding: Finding) -> list[Example]:
    kind = _KIND[finding.direction]
    return list(laboratory.shelf.examples(kind, finding.entrant, finding.level))


def replay_command(example: Example) -> str:
    """Returns the command that draws the deal."""
    return (
        f"moon replay show {shlex.quote(example.store)} --table {example.table} "
        f"--deal {example.deal}"
    )


def _about(example: Example) -> str:
    return (
        f"bid {example.bid} where {example.other}, at {example.other_table}, bid "
        f"{example.other_bid}: cost {example.cost:.1f}"
    )


def findings_document(laboratory: Laboratory, only: str | None = None) -> list[dict[str, object]]:
    """Returns the findings as JSON values, each with the deals to look at."""
    return [
        {
            "entrant": finding.entrant,
            "finding": finding.direction,
            "level": finding.level,
            "p": finding.p,
            "questions": finding.questions,
            "gain": asdict(finding.gain),
            "worth": asdict(finding.worth),
            "made": asdict(finding.made),
            "deals": [example._asdict() for example in _examples(laboratory, finding)],
        }
        for finding in laboratory.findings()
        if only in (None, finding.entrant)
    ]
