"""The frozen copy of a bot: a folder that holds all that it runs, and can be carried anywhere.

Whatever was submitted, a folder, a Python file or a bot that comes with the program, becomes a
folder with a `bot.toml`. After that there is one kind of entry only.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

from referee.bots.botfile import BOT_FILE, BotFile, read_bot_file
from referee.bots.contents import passed_over, played_files
from referee.bots.keeper.watch import size
from referee.bots.samples import sample_places
from referee.bots.sandbox.tiers import Limits
from referee.bots.spec import BotKind, BotSpec
from referee.errors import MoonError

KINDS = (BotKind.FOLDER, BotKind.FILE, BotKind.SAMPLE)
"""What can be frozen: all of it is files."""


class FreezeError(MoonError):
    """What was submitted cannot be copied as it is."""

    exit_code = 2


def freeze(spec: BotSpec, folder: Path, limits: Limits) -> None:
    """Copies all that *spec* is made of into *folder*, which is made, as a folder bot.

    Args:
        spec: One of `KINDS`.
        folder: Where to.
        limits: No more files and bytes are copied than a bot may write.

    Raises:
        FreezeError: if it is too large, or holds what is neither a file nor a link within it.
        NotFoundError: if a file cannot be read.
    """
    if spec.kind is BotKind.FOLDER:
        assert spec.cwd is not None
        _copy_all(spec, spec.cwd, folder, limits)
        return
    if spec.kind is BotKind.FILE:
        script = Path(spec.command[-1])
        _copy_all(spec, script.resolve().parent, folder, limits, script.name)
        run: tuple[str, ...] = ("python3", script.name)
    else:
        package, _, module = spec.command[-1].rpartition(".")
        inner = folder / package
        _copy_all(spec, sample_places()[0], inner, limits, f"{module}.py")
        shutil.copyfile(sample_places()[0] / "__init__.py", inner / "__init__.py")
        run = ("python3", "-m", spec.command[-1])
    _write_bot_file(folder, BotFile("bot", "1", run))


def freeze_built(built: Path, folder: Path, limits: Limits) -> None:
    """Copies the folder bot *built* into *folder*, without the build command that was run in it.

    Raises:
        FreezeError: as for `freeze`.
    """
    file = read_bot_file(built / BOT_FILE)
    spec = BotSpec("bot", BotKind.FOLDER, command=file.run, cwd=built)
    _copy_all(spec, built, folder, limits)
    if file.build:
        _write_bot_file(folder, file)


def unlike_frozen(folder: Path) -> str:
    """Returns what is in *folder* as `freeze` never leaves it; empty if nothing is.

    The hash of its content does not tell this: directories that hashing passes over, though Python
    runs what is in a ``__pycache__``, and what the bot is not allowed to read.
    """
    for path in passed_over(folder):
        return f"holds {path}, which was not entered, and could be run"
    # The bots of root have users of their own.
    shift = 0 if os.geteuid() == 0 else 6
    for directory, _, names in os.walk(folder):
        for path in (Path(directory), *(Path(directory, name) for name in sorted(names))):
            mode = path.lstat().st_mode
            needed = (0o5 if stat.S_ISDIR(mode) else 0o4) << shift
            if not stat.S_ISLNK(mode) and mode & needed != needed:
                return f"holds what its bot may not read: {path} has the mode {mode & 0o777:04o}"
    return ""


def _copy_all(spec: BotSpec, root: Path, folder: Path, limits: Limits, script: str = "") -> None:
    folder.mkdir(parents=True)
    left = limits.disk
    for count, (label, path) in enumerate(played_files(spec), 1):
        status = path.lstat()
        left -= status.st_size
        if left < 0 or count > limits.files:
            raise FreezeError(
                f"{root}: is larger than a bot may be here: {size(limits.disk)} in "
                f"{limits.files} files (limits.disk, limits.files); leave out what it does not need"
            )
        _copy(path, folder / (script if label == "file" else label), root, is_script=bool(script))
    # Bots run as users of their own, whatever the habits of the organiser's shell.
    for directory, _, _ in os.walk(folder):
        Path(directory).chmod(0o755)


def _copy(path: Path, target: Path, root: Path, *, is_script: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode) and not is_script:
        text = path.readlink()
        if text.is_absolute() or not path.resolve().is_relative_to(root.resolve()):
            raise FreezeError(
                f"{path}: is a link to {text}, out of the folder; put the file itself there"
            )
        target.symlink_to(text)
        return
    if not path.is_file():
        raise FreezeError(f"{path}: is neither a file nor a folder nor a link; take it out")
    try:
        with path.open("rb") as source, target.open("xb") as copy:
            shutil.copyfileobj(source, copy)
            copy.flush()
            os.fsync(copy.fileno())
    except OSError as error:
        raise FreezeError(f"{path}: cannot be copied: {(error.strerror or '').lower()}") from None
    target.chmod(0o755 if mode & 0o111 else 0o644)


def _write_bot_file(folder: Path, file: BotFile) -> None:
    """Writes the `bot.toml` of *file* without its build command."""
    values = {
        "name": file.name,
        "version": file.version,
        "run": list(file.run),
        "protocol": file.protocol,
    }
    lines = [f"{key} = {_toml(value)}\n" for key, value in values.items()]
    (folder / BOT_FILE).write_text("".join(lines), encoding="utf-8")


def _toml(value: object) -> str:
    # What JSON writes of texts and lists of them is TOML, but for the one character it leaves bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
