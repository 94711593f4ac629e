"""One question, put to a bot outside of any match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.bots.sessions import StartError
from referee.bots.spec import BotKind, BotSpec
from referee.errors import BotError, ConfigError
from referee.match import Fault
from referee.wire.states import StoredQuestion
from tournaments.kit.stand import Stand, StandTerms
from tournaments.kit.states import describe


@dataclass(frozen=True, slots=True)
class Asked:
    """What a bot answers to one question."""

    bot: str
    question: StoredQuestion
    choice: str
    """What it chose, in words; empty if it chose nothing that is legal, or nothing in time."""
    fault: Fault | None
    """What was wrong with the answer; ``None`` for a legal one in time."""
    answer: dict[str, Any]
    """The answer in the JSON form of protobuf; empty if none came."""
    seconds: float
    """How long it took."""

    def to_json(self) -> dict[str, Any]:
        """Returns all of it as the body of a JSON document."""
        fault = self.fault
        return {
            "bot": self.bot,
            "question": describe(self.question.view),
            "legal": [str(choice) for choice in self.question.decision.legal],
            "decision": self.question.to_json(),
            "answer": self.answer or None,
            "choice": self.choice or None,
            "milliseconds": round(1000 * self.seconds, 3),
            "fault": fault and {"kind": fault.kind.value, "detail": fault.detail},
            "stderr": fault.stderr_tail if fault else "",
        }


async def ask_bot(spec: BotSpec, question: StoredQuestion, terms: StandTerms) -> Asked:
    """Puts *question* to *spec*, byte for byte, and returns what it answers.

    Args:
        spec: A bot of any kind but one inside this program.
        question: The question.
        terms: Under what it is asked; the first question of a process has the larger budget.

    Raises:
        ConfigError: if it is a bot inside this program.
        BotError: if it does not start; the message has the end of its standard error.
        KeeperError: if this host cannot run bots.
    """
    if spec.kind is BotKind.INPROC:
        problem = "is asked by a function call, and no message reaches it; name its .py file"
        raise ConfigError(None, spec.source, problem)
    async with Stand(spec, terms) as stand:
        try:
            direct = await stand.direct()
        except StartError as error:
            tail = error.report.stderr_tail.strip()
            said = f"\nthe last it wrote to standard error:\n{tail}" if tail else ""
            raise BotError(f"bot {spec.name!r} did not start: {error}{said}") from None
        [reply] = await direct.ask([question])
    fault = reply.outcome if isinstance(reply.outcome, Fault) else None
    choice = "" if fault else str(reply.outcome)
    return Asked(spec.name, question, choice, fault, reply.answer, reply.seconds)
