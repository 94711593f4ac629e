"""Makes the stubs beside the .proto files, with the generators pinned in ``requirements-gen.txt``.

    python proto/generate_stubs.py            writes the stubs
    python proto/generate_stubs.py --check    fails, naming them, if stubs are stale

The generators get an environment of their own, made once and kept in the user's cache folder:
they hold protobuf back to an older version than the program runs with.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from referee.errors import ConfigError, MoonError, VerificationError

ROOT = Path(__file__).resolve().parents[1]
"""The checkout."""

STUBS = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description="Make the moon.v1 stubs.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on stale stubs")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            check(ROOT)
        else:
            generate(ROOT, ROOT / "proto")
    except MoonError as error:
        print(f"generate_stubs: {error}", file=sys.stderr)  # noqa: T201 - a program of its own
        return error.exit_code
    return 0


def check(root: Path) -> None:
    """Compares the committed stubs of the checkout at *root* with freshly made ones.

    Raises:
        VerificationError: if a stub is stale, missing, or belongs to no .proto file.
    """
    with tempfile.TemporaryDirectory(prefix="moon-stubs-") as folder:
        fresh = Path(folder)
        generate(root, fresh)
        wanted, found = stubs(fresh), stubs(root / "proto")
        stale = sorted(
            str(name)
            for name in wanted | found
            if name not in wanted
            or name not in found
            or (fresh / name).read_bytes() != (root / "proto" / name).read_bytes()
        )
    if stale:
        raise VerificationError(
            f"stale stubs in proto/: {', '.join(stale)}; run python proto/generate_stubs.py"
        )


def stubs(folder: Path) -> set[Path]:
    """Returns the generated files under *folder*, relative to it."""
    return {path.relative_to(folder) for pattern in STUBS for path in folder.rglob(pattern)}


def generate(root: Path, out: Path) -> None:
    """Writes the stubs for every .proto file of the checkout at *root* into *out*.

    Raises:
        ConfigError: if *root* is not a checkout, or a .proto file has a mistake.
    """
    source = root / "proto"
    protos = sorted(str(path.relative_to(source)) for path in source.rglob("*.proto"))
    if not protos:
        raise ConfigError(source, None, "no .proto files; run this in a checkout of the project")
    python = generator_python(root / "requirements-gen.txt")
    # protoc looks for its plug-ins on the PATH, so the environment's own come first.
    environment = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    outs = [f"--{kind}_out={out}" for kind in ("python", "grpc_python")]
    outs += [f"--{kind}_out=quiet:{out}" for kind in ("mypy", "mypy_grpc")]
    command = [str(python), "-m", "grpc_tools.protoc", f"-I{source}", *outs, *protos]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(source, None, f"protoc refused it\n{done.stderr.strip()}")


def generator_python(requirements: Path) -> Path:
    """Returns the interpreter of an environment that has *requirements*, made if need be.

    Raises:
        MoonError: if the generators cannot be installed.
    """
    text = requirements.read_bytes()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(text + version.encode()).hexdigest()[:16]
    home = _cache() / f"generators-{digest}"
    python = home / "bin" / "python"
    if python.exists():
        return python
    home.parent.mkdir(parents=True, exist_ok=True)
    # Made under another name and renamed when complete, so that an interrupted run leaves nothing
    # that looks finished; scripts name the interpreter by path, so they are called through it.
    with tempfile.TemporaryDirectory(dir=home.parent, prefix="making-") as folder:
        made = Path(folder) / "env"
        venv.create(made, with_pip=True, symlinks=True)
        install = [str(made / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        done = subprocess.run(
            [*install, "--requirement", str(requirements)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise MoonError(f"the generators cannot be installed\n{done.stderr.strip()}")
        _repoint(made, home)
        if not python.exists():
            shutil.move(made, home)
    return python


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "moon-league"


def _repoint(made: Path, home: Path) -> None:
    """Makes the plug-in scripts in *made* name the interpreter they have once it is at *home*."""
    for script in (made / "bin").glob("protoc-gen-*"):
        script.write_text(script.read_text().replace(str(made), str(home)))


if __name__ == "__main__":
    sys.exit(main())
