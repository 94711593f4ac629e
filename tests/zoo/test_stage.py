"""What the zoo plants goes with it, and what a killed run has left goes with the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournaments.zoo.stage import PREFIX, Stage

KEY = "00" * 32


def test_what_one_has_damaged_is_whole_again_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Stage(KEY) as stage:
        [planted] = tmp_path.iterdir()
        planted.write_text("overwritten")
        assert stage.mend() == ("a file in the referee's home",)
        assert stage.mend() == ()
    assert not list(tmp_path.iterdir())


def test_a_stage_removes_what_it_planted_and_what_dead_ones_left_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".zoo-dead").write_text(f"{PREFIX}left by a run that was killed")
    (tmp_path / ".zoo-keeper").write_text("somebody's own file")
    with Stage(KEY) as one, Stage(KEY) as two:
        assert not (tmp_path / ".zoo-dead").exists()
        assert one.mend() == two.mend() == (), "the second has swept what the first planted"
        assert len(list(tmp_path.iterdir())) == 3
    assert [path.name for path in tmp_path.iterdir()] == [".zoo-keeper"]
