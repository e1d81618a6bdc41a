"""Kind: what every kind of file has in common."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.fuzzing.changes import chunks, markup, raw, trees
from tests.fuzzing.changes.odd import LINK, SECRET

FRAME = 1.0 / 60.0


@dataclass(frozen=True)
class Sample:
    """Files that are right: `main` is the one that is opened,
    the others are those that it names.
    """

    main: str
    files: dict[str, bytes]
    about: Any = None
    """What its kind has to know of it."""


@dataclass(frozen=True)
class Input:
    """A sample with damage, and what the damage is."""

    sample: Sample
    files: dict[str, bytes]
    said: list[str]


class Kind(ABC):
    """One kind of file."""

    name: ClassVar[str]
    refusals: ClassVar[tuple[type[BaseException], ...]] = (ValueError,)
    """What the door may raise, as its documentation says."""
    batch: ClassVar[int] = 25
    """Inputs that one process tries."""
    reach: ClassVar[int] = 0
    """How many folders above its own a file may read."""
    words: ClassVar[Sequence[str]] = ()
    """Names of fields, attributes and elements, those of other formats, too."""

    @abstractmethod
    def samples(self) -> list[Sample]:
        """Return files that are right."""

    @abstractmethod
    def take(self, sample: Sample, path: Path) -> Any:
        """Open a file as a user does; return what became of it, or raise one of `refusals`."""

    @abstractmethod
    def go_on(self, taken: Any) -> None:
        """Use what was taken as a game would."""

    def prepare(self) -> None:  # noqa: B027 - most kinds share nothing
        """Make what all inputs share; called once, before the processes."""

    def after(self) -> None:  # noqa: B027 - some change nothing
        """Raise AssertionError where a refused file has left its traces; then be ready for the
        next.
        """

    def structured(self, name: str, data: bytes, dice: random.Random) -> tuple[bytes, list[str]]:
        """Return a file whose content is changed, and what was done."""
        ending = name[name.rfind(".") :]
        if ending in chunks.LAYOUTS:
            return chunks.changed(data, ending, dice)
        if ending in (".svg", ".tmx", ".tsx", ".tx"):
            root = markup.parsed(data)
            said = markup.changed(root, dice, self.words)
            return markup.xml_text(root, dice), said
        tree = self.tree(name, data)
        said = trees.changed(tree, dice, self.words)
        return (trees.toml_text if ending == ".toml" else trees.json_text)(tree, dice), said

    def tree(self, name: str, data: bytes) -> Any:
        """Return the values of a file."""
        import json
        import tomllib

        return tomllib.loads(data.decode()) if name.endswith(".toml") else json.loads(data)

    def damaged(self, samples: Sequence[Sample], dice: random.Random) -> Input:
        """Return an input: one file of a sample is damaged, seldom two."""
        sample = dice.choice(samples)
        files = dict(sample.files)
        said = []
        names = [sample.main, *files]
        for _ in range(dice.choice((1, 1, 1, 1, 2))):
            name = dice.choice(names)
            if dice.random() < 0.4:
                other = dice.choice(list(dice.choice(samples).files.values()))
                files[name], what = raw.changed(files[name], dice, other)
            elif files[name] is sample.files[name]:
                files[name], what = self.structured(name, files[name], dice)
            else:
                what = []
            said += [f"{name}: {one}" for one in what]
        return Input(sample, files, said)


def lay(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def lay_secrets(folder: Path, files: dict[str, bytes]) -> None:
    """Write files that may not be read under a name that inputs know: in three folders above, and
    behind a link.
    """
    endings = {name[name.rfind(".") :]: data for name, data in files.items()}
    for above in folder.parents[:3]:
        for ending, data in {
            **dict.fromkeys((".png", ".tsj", ".tx", ".toml"), b""),
            **endings,
        }.items():
            (above / f"{SECRET}{ending}").write_bytes(data)
    (folder / LINK).symlink_to(folder.parents[1] / f"{SECRET}.png")
