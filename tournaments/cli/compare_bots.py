"""Who is compared with whom, as the command line of `moon compare` says it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.bots.halves import BETWEEN, halves_of
from referee.bots.names import entrant_names, program_of
from referee.bots.sandbox import Limits
from referee.bots.spec import parse_bot, unnamed
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError
from referee.rules import DEFAULT_PRESETS, parse_rules, rules_text
from tournaments.compare import Pairing, Plan, RatioPlan
from tournaments.evidence import FLOOR
from tournaments.holding import limits_text
from tournaments.runner.jobs import Job
from tournaments.schedule import EntrantId


@dataclass(frozen=True, slots=True)
class CompareField:
    """Who plays in a comparison."""

    texts: dict[EntrantId, str]
    """By entrant: the text of its bot."""
    pairings: tuple[Pairing, ...]
    third: EntrantId | None
    """Who fills the third seat, if the two do not."""


def with_play(
    bots: Sequence[str], against: str | None, play: str | None, *, bidding: bool
) -> tuple[tuple[str, ...], str | None]:
    """Returns *bots* and *against* as bots that bid, with *play* to play the tiles for them.

    Raises:
        ConfigError: if only one of the two options is given, or a bot has two halves already.
    """
    if play is None or not bidding:
        have, lack = ("--bidding", "--play BOT") if bidding else ("--play", "--bidding")
        raise ConfigError(None, have, f"compares how bots bid with one play; {lack} is missing")
    everybody = [*bots, play] if against is None else [*bots, against, play]
    for text in everybody:
        if len(halves_of(unnamed(text.strip()))) > 1:
            raise ConfigError(None, text, "has two halves; with --bidding give the bots that bid")
    split = [f"{text.strip()}{BETWEEN}{unnamed(play)}" for text in everybody[:-1]]
    return tuple(split[: len(bots)]), None if against is None else split[-1]


def entrants_of(
    bots: Sequence[str], against: str | None, third: str | None, *, regression: bool
) -> CompareField:
    """Returns who is compared.

    Raises:
        ConfigError: if that makes no comparison, or a text names no bot that can be compared.
    """
    if regression and (against is not None or len(bots) != 2):
        raise ConfigError(None, "--regression", f"compares two bots, OLD NEW; got {len(bots)}")
    if against is None and len(bots) != 2:
        raise ConfigError(
            None, "BOT", f"compare two bots, or several with one (--against BOT); got {len(bots)}"
        )
    more = [text for text in (against, third) if text is not None]
    texts = [*bots, *more]
    specs = [parse_bot(text, Path()) for text in texts]
    for spec in specs:
        if spec.is_remote:
            raise ConfigError(
                None,
                spec.source,
                "a remote bot is one process, which would play every deal of a block again and "
                "again; compare it where it can be started",
            )
    names = [EntrantId(name) for name in entrant_names([[spec] for spec in specs])]
    candidates = names[: len(bots)]
    if against is not None:
        pairings = tuple(Pairing(name, names[len(bots)]) for name in candidates)
    else:
        first, second = reversed(candidates) if regression else candidates
        pairings = (Pairing(first, second),)
    sitting = names[-1] if third is not None else None
    return CompareField(dict(zip(names, texts, strict=True)), pairings, sitting)


def check_differing(field: CompareField) -> None:
    """Refuses to play out only what differs in the auction where the play differs too.

    Raises:
        ConfigError: if two that are compared do not play alike.
    """
    plays = {
        name: program_of(parse_bot(text, Path()).programs[-1]) for name, text in field.texts.items()
    }
    for pairing in field.pairings:
        if plays[pairing.first] != plays[pairing.second]:
            raise ConfigError(
                None,
                "--differing",
                f"{pairing.first} and {pairing.second} play their tiles otherwise, so every deal "
                "has to be played; compare how they bid with one play, --bidding --play BOT",
            )


def too_few_blocks(plan: Plan, blocks: int, pairings: int) -> list[str]:
    """Returns what so many *blocks* for each of the pairings cannot come to, if anything."""
    least = plan.blocks_needed(pairings)
    if blocks < least:
        is_effect = isinstance(plan, RatioPlan) and blocks >= FLOOR
        advice = " or a larger --effect" if is_effect else ""
        text = (
            f"no verdict comes before block {least}, and there are at most {blocks}: the "
            f"difference is estimated, and nothing decided; --max-blocks {least} or more{advice} "
            "can decide"
        )
        return [text]
    if isinstance(plan, RatioPlan) and blocks < (level := plan.test.blocks_to_level()):
        text = (
            f"two that are equal are found so from about block {level} on, and there are at most "
            f"{blocks}: only a lead can be decided"
        )
        return [text]
    return []


def play_command(field: CompareField, pairing: Pairing, job: Job) -> str:
    """Returns a command that plays a match of the two on other deals, on the same terms."""
    rules = parse_rules(job.rules)
    seats = [pairing.first, pairing.second]
    if rules.players == 3:
        seats.append(field.third or pairing.second)
    # Without the names in front, as no two seats may have one name.
    words = ["moon", "play", *(unnamed(field.texts[name].strip()) for name in seats)]
    if job.rules != rules_text(parse_rules(DEFAULT_PRESETS[rules.players])):
        words += ["--rules", job.rules]
    if job.deals is not None:
        words += ["--deals", str(job.deals)]
    if job.clock.move_time != ClockTerms().move_time:
        words += ["--move-time", f"{job.clock.move_time:g}s"]
    usual = limits_text(Limits()).split()
    for limit in limits_text(job.sandbox.limits).split():
        words += [] if limit in usual else ["--limit", limit]
    return shlex.join([*words, "--sandbox", str(job.sandbox.tier)])
