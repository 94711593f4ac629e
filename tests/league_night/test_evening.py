"""`moon league night` from outside, with bots that are processes."""

from __future__ import annotations

import json
import re
import signal

from tests.e2e.league import LIMIT, league
from tests.league_night.leagues import new_league


def test_ctrl_c_ends_a_night_at_the_edge_and_twice_leaves_it_to_go_on() -> None:
    with league() as home:
        folder = new_league(home.folder / "tuesday").folder
        words = ("--league", folder)
        sealed = home.out("league", "seal", *words).split()[-1]

        def night(interrupts: int, *more: str) -> tuple[int, str, str]:
            started = home.start(
                "league", "night", "--minutes", "600", "--heartbeat", "50ms", *more, *words
            )
            assert started.stderr is not None
            seen = ""
            while not re.search(r"moon: round [1-9]\d*: [1-9]\d*/3 tables", seen):
                line = started.stderr.readline()
                assert line, seen
                seen += line
            for _ in range(interrupts):
                started.send_signal(signal.SIGINT)
                while interrupts == 2 and "once more" not in seen:
                    seen += started.stderr.readline()
            out, err = started.communicate(timeout=LIMIT)
            return started.returncode, out, seen + err

        code, out, said = night(2, "--json")
        told = json.loads(out)
        assert (code, told["closed"], told["ended"]) == (130, False, "it was ended at once"), said
        assert "seed" not in told
        kept = re.search(
            r"night-1 is not over: kept and counted are (\d+) tables?, \d of round", said
        )
        assert kept is not None, said
        assert "; moon league night goes on with it" in said
        [paused] = json.loads(home.out("league", "nights", "--json", *words))["nights"]
        assert (paused["state"], paused["tables"]) == ("not over", int(kept[1]))
        code, out, said = night(1)
        assert code == 0, said
        assert re.search(
            r"round \d+ is the last one: what is left of it, \d tables?.* counts", said
        )
        assert re.search(r"night-1 is over for good after \d+ rounds?: it was asked to end", said)
        assert "moon league night holds the next night" in said
        found = re.search(r"seed ([0-9a-f]{64}) opens the seal ([0-9a-f]{64})", out)
        assert found is not None
        assert found[2] == sealed
        [told] = json.loads(home.out("league", "nights", "--json", *words))["nights"]
        assert told["closed"] is True
        assert told["tables"] == 3 * told["rounds"] > 0
        assert "night-1" not in home.out("league", "seal", *words), "the next one is another"
        assert " holds: " in home.out("verify", folder)
