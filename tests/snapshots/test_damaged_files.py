"""Damaged, truncated and foreign files: one clear error each, and the world as it was."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import random
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody import Simulation, SnapshotError, blueprints
from ecs_softbody.play import Controls, Ghost, Recorder, Replay, ReplayPlayer
from ecs_softbody.play.replay.ghost import LENGTH as LENGTH_OF_GHOST
from ecs_softbody.play.replay.inputs import PLACE, POINTER, InputReader, InputWriter, rounded
from ecs_softbody.play.replay.replay import FLAG_BYTES, LENGTH, MOST_FRAMES, PART, TOTAL
from ecs_softbody.state import container
from ecs_softbody.state.files import LENGTHS
from tests.helpers.starts import WHOLE
from tests.snapshots.full_world import run, spawn_everything
from tests.snapshots.small_game import Hop

COUNT = 400


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    sim = Simulation(world="files", substeps=2)
    bodies = spawn_everything(sim)
    run(sim, bodies, range(5))
    snapshot = sim.snapshot().to_bytes()
    sim.close()
    game = Hop()
    game.recorder = recorder = Recorder()
    game.begin()
    for _ in range(60):
        game.advance(game.autopilot())
    replay = recorder.finished().to_bytes()
    game.close()
    return {"snapshot": snapshot, "replay": replay}


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return a file with something wrong."""
    kind = chance.randrange(6)
    at = chance.randrange(len(data))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    if kind == 2:
        return chance.randbytes(chance.randrange(400))
    if kind == 3:
        return data + chance.randbytes(1 + chance.randrange(20))
    if kind == 4:
        return data[:at] + chance.randbytes(8) + data[at + 8 :]
    return data[:at] + data[at + 1 + chance.randrange(40) :]


def with_other_content(
    kind: str, lengths: struct.Struct, data: bytes, chance: random.Random
) -> bytes:
    """Return a file whose checksum is right, and whose text is not, or what follows it."""
    content = container.unpack(kind, data)
    length, *others = lengths.unpack_from(content)
    text = json.loads(content[lengths.size : lengths.size + length])
    rest = content[lengths.size + length :]
    if kind != "snapshot" and chance.random() < 0.5:
        return container.pack(kind, content[: lengths.size + length] + changed(rest, chance))
    spot = text
    key = chance.choice(list(text))
    for _ in range(chance.randrange(8)):
        inner = spot[key]
        if not (isinstance(inner, dict | list) and inner):
            break
        spot = inner
        key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    spot[key] = chance.choice(
        [
            None,
            -1,
            10**12,
            math.inf,
            math.nan,
            "os.system",
            ["r", 10**9],
            ["k", "os.system"],
            [],
            {},
            ["a", [10**9], "<f8", None],
        ]
    )
    changed_text = json.dumps(text).encode()
    return container.pack(kind, lengths.pack(len(changed_text), *others) + changed_text + rest)


def is_one_sentence(error: SnapshotError) -> bool:
    """Return True, or fail where an error says too much."""
    assert len(str(error)) < 300
    assert "\n" not in str(error)
    return True


@pytest.mark.brief(2)
@pytest.mark.parametrize("part", range(2))
def test_damaged_snapshots_are_refused_and_nothing_has_changed(
    files: dict[str, bytes], part: int
) -> None:
    chance = random.Random(part)
    sim = Simulation(world="damaged", substeps=2)
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    before = sim.state_hash()
    particles = sim.get(blob, type(blueprints.blob((0, 3), 0.5)[0]))
    for _ in range(COUNT):
        data = changed(files["snapshot"], chance)
        if data == files["snapshot"]:
            continue
        with pytest.raises(SnapshotError) as told:
            sim.restore(data)
        assert is_one_sentence(told.value)
    assert sim.state_hash() == before
    assert sim.get(blob, type(particles)) is particles
    sim.step()
    sim.close()


@pytest.mark.slow
def test_snapshots_with_other_content_and_a_right_checksum(files: dict[str, bytes]) -> None:
    chance = random.Random(5)
    sim = Simulation(world="crafted", substeps=2)
    sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    before = sim.state_hash()
    refused = 0
    mark = sim.snapshot()
    tracemalloc.start()
    count = 120 if WHOLE else 40
    for _ in range(count):
        data = with_other_content("snapshot", LENGTHS, files["snapshot"], chance)
        try:
            sim.restore(data)
        except SnapshotError:
            refused += 1
            assert sim.state_hash() == before
        else:
            sim.restore(mark)  # it was a harmless change, such as another time
            assert sim.state_hash() == before
    assert refused > count // 2
    assert tracemalloc.get_traced_memory()[1] < 400e6
    tracemalloc.stop()
    sim.close()


def test_damaged_replays_and_ghosts_are_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(9)
    ghost = Ghost()
    good = ghost.save(tmp_path / "a.ghost").read_bytes()
    path = tmp_path / "b.ghost"
    for _ in range(3 * COUNT):
        data = changed(files["replay"], chance)
        if data != files["replay"]:
            with pytest.raises(SnapshotError):
                ReplayPlayer(Hop, Replay.from_bytes(data))
    for _ in range(100):
        path.write_bytes(changed(good, chance))
        if path.read_bytes() != good:
            with pytest.raises(SnapshotError):
                Ghost.load(path)


@pytest.mark.brief(8)
@pytest.mark.parametrize("part", range(8))
def test_replays_with_other_content_and_a_right_checksum(
    files: dict[str, bytes], part: int
) -> None:
    """They are refused, or play something else: what a frame holds may be anything that a player
    can do.
    """
    chance = random.Random(part)
    refused = 0
    others = 0
    for _ in range(40):
        data = with_other_content("replay", LENGTH, files["replay"], chance)
        try:
            player = ReplayPlayer(Hop, Replay.from_bytes(data))
        except SnapshotError as error:
            refused += is_one_sentence(error)
        else:
            player.verify()
            others += 1
            player.game.close()
    assert refused > 8
    assert others


@pytest.mark.parametrize("frames", [-(10**400), -1, 1, 10**400, "0", 0.0, None])
def test_a_ghost_has_the_shapes_of_its_frames(tmp_path: Path, frames: object) -> None:
    text = json.dumps({"result": None, "frames": frames, "counts": []}).encode()
    path = container.write(tmp_path / "a.ghost", "ghost", LENGTH_OF_GHOST.pack(len(text)) + text)
    with pytest.raises(SnapshotError):
        Ghost.load(path)


def test_ghosts_with_other_content_and_a_right_checksum(tmp_path: Path) -> None:
    chance = random.Random(4)
    refused = 0
    path = tmp_path / "a.ghost"
    ghost = Ghost()
    sim = Simulation(world="seen")
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    for _ in range(9):
        ghost.note(sim, blob)
    ghost.finish(3.0)
    good = ghost.save(path).read_bytes()
    for _ in range(200):
        path.write_bytes(with_other_content("ghost", LENGTH_OF_GHOST, good, chance))
        try:
            found = Ghost.load(path)
        except SnapshotError:
            refused += 1
        else:
            assert found.result is None or math.isfinite(found.result)
            for frame in range(9):
                found.at(frame)
    assert refused > 60
    sim.close()


@pytest.mark.parametrize(
    "change", [{"seed": -1}, {"seed": 1 << 32}, {"seed": "x" * 10_000}, {"game": "y" * 10_000}]
)
def test_a_replay_with_another_head_and_a_right_checksum_is_refused(
    files: dict[str, bytes], change: Any
) -> None:
    replay = dataclasses.replace(Replay.from_bytes(files["replay"]), **change)
    with pytest.raises(SnapshotError) as refused:
        ReplayPlayer(Hop, Replay.from_bytes(replay.to_bytes()))
    assert len(str(refused.value)) < 200


def test_a_file_of_another_kind_or_format_is_named(files: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="is no replay, but a snapshot"):
        Replay.from_bytes(files["snapshot"])
    later = bytearray(files["replay"])
    later[24] = 9
    with pytest.raises(
        SnapshotError, match=f"its format is 9; this version reads format {container.FIRST_FORMAT}"
    ):
        Replay.from_bytes(bytes(later))
    with pytest.raises(SnapshotError, match="no snapshot of ecs-softbody"):
        container.unpack("snapshot", b"PK" + bytes(200))


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "moment.snapshot"
    program = (
        "import sys; from ecs_softbody import Simulation, blueprints\n"
        "sim = Simulation(world='killed'); sim.spawn(*blueprints.blob((0, 3), 0.5)); sim.step()\n"
        "sim.snapshot().save(sys.argv[1]); print('ready', flush=True)\n"
        "while True: sim.step(); sim.snapshot().save(sys.argv[1])\n"
    )
    for number in range(3):
        running = subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE
        )
        assert running.stdout is not None
        running.stdout.readline()
        try:
            running.wait(0.05 + 0.03 * number)
        except subprocess.TimeoutExpired:
            os.kill(running.pid, 9)
        running.wait()
        running.stdout.close()
        sim = Simulation(world="reads")
        sim.restore(path)
        assert sim.frame >= 1
        sim.close()


@pytest.mark.slow
def test_a_replay_of_many_frames_takes_little_memory(files: dict[str, bytes]) -> None:
    """Of a file of 40 kB that holds half an hour: each frame with a hash of every component."""
    count = MOST_FRAMES // 10
    inputs = (bytes([POINTER]) + PLACE.pack(5, 5, 1, 1)) * count
    hashes = (TOTAL.pack(0) + bytes([255] * FLAG_BYTES) + bytes(8 * FLAG_BYTES * PART.size)) * count
    replay = dataclasses.replace(
        Replay.from_bytes(files["replay"]), frames=count, inputs=inputs, hashes=hashes
    )
    data = replay.to_bytes()
    del inputs, hashes, replay
    tracemalloc.start()
    player = ReplayPlayer(Hop, Replay.from_bytes(data))
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
    player.step()
    assert player.divergence is not None
    player.game.close()


def test_frames_of_a_replay_can_be_read_in_any_order() -> None:
    chance = random.Random(3)
    writer = InputWriter()
    written = []
    names = ["space", "left", "right", "up"]
    for _ in range(300):
        held = set(chance.sample(names, chance.randrange(4))) if chance.random() < 0.2 else set()
        pointer = (chance.uniform(-9, 9), 1.0) if chance.random() < 0.5 else (0.0, 0.0)
        written.append(
            rounded(
                Controls(
                    held=held, pressed=held, pointer=pointer, scroll=float(chance.randrange(2))
                )
            )
        )
    data = b"".join(
        writer.frame(each, standing=number % 7 == 0) for number, each in enumerate(written)
    )
    reader = InputReader(writer.names, data, len(written))
    for number in [*range(300), 299, 0, 64, 63, 128, 130, *chance.sample(range(300), 50)]:
        assert reader[number] == (written[number], number % 7 == 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
@pytest.mark.parametrize("kind", [Replay, Ghost])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(tmp_path: Path, kind: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero", "."):
        with pytest.raises(SnapshotError, match="is no plain file"):
            kind.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        kind.load(tmp_path / "none")
