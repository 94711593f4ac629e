"""The committed stubs are those of the committed .proto files, and load where we say they do."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from generate_stubs import ROOT, check, generator_python, main, stubs

from referee.errors import MoonError, VerificationError


@pytest.fixture(scope="module", autouse=True)
def generators() -> None:
    """Makes the generators, once; without a package index there is nothing to compare with."""
    try:
        generator_python(ROOT / "requirements-gen.txt")
    except MoonError as error:
        pytest.skip(str(error))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Returns a copy of what the generator reads."""
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copy(ROOT / "requirements-gen.txt", tmp_path)
    return tmp_path


def test_the_committed_stubs_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_a_changed_number_makes_the_stubs_stale_and_they_are_named(checkout: Path) -> None:
    proto = checkout / "proto/moon/v1/table.proto"
    proto.write_text(proto.read_text().replace("BID_MOON = 7", "BID_MOON = 17"))
    with pytest.raises(VerificationError, match=re.escape("moon/v1/table_pb2.py, ")):
        check(checkout)


def test_a_stub_without_a_proto_file_is_named(checkout: Path) -> None:
    (checkout / "proto/moon/v1/gone_pb2.py").touch()
    with pytest.raises(VerificationError, match=r"stale stubs in proto/: moon/v1/gone_pb2\.py;"):
        check(checkout)


def test_a_missing_stub_is_named(checkout: Path) -> None:
    (checkout / "proto/moon/v1/table_pb2.pyi").unlink()
    with pytest.raises(VerificationError, match=r"stale stubs in proto/: moon/v1/table_pb2\.pyi;"):
        check(checkout)


def test_a_mistake_in_a_proto_file_is_shown_with_its_line(checkout: Path) -> None:
    proto = checkout / "proto/moon/v1/table.proto"
    proto.write_text(proto.read_text().replace("BID_MOON = 7", "BID_MOON = 6"))
    with pytest.raises(MoonError, match=r"moon/v1/table\.proto:\d+"):
        check(checkout)


def test_every_stub_imports_without_a_warning() -> None:
    modules = [str(p.with_suffix("")).replace("/", ".") for p in stubs(ROOT / "proto")]
    imports = "; ".join(f"import {name}" for name in sorted(set(modules)))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", imports],
        cwd=ROOT / "proto",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_folder_of_the_protos_never_becomes_the_package_proto() -> None:
    """proto-plus installs a package of that name; ours would hide it."""
    assert not (ROOT / "proto/__init__.py").exists()
