"""What the view shows is tested in `test_sandbox.py`; here is how it is planned."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("mounts of Linux", allow_module_level=True)

from paramedic.experiment.sandbox import How, mounts
from tests.experiment.sandbox.forked import forked
from tests.experiment.sandbox.world import require


def test_names_with_spaces() -> None:
    line = r"36 35 98:0 / /mnt/my\040disk\303\244 ro,noatime shared:1 - ext4 /dev/sda1 rw"
    assert mounts._mount(line) == mounts.Mount("/mnt/my diskä", "ext4", True)


def test_a_folder_with_a_mount_inside_stays_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its subfolders get overlays, and its sockets are closed off."""
    import socket

    for name in ("a/disk", "a/b", "other"):
        (tmp_path / name).mkdir(parents=True)
    server = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(tmp_path / "a")  # the names of sockets are short
    server.bind("door")
    server.close()
    point = str(tmp_path / "a" / "disk")
    monkeypatch.setattr(mounts, "mounts", lambda: [mounts.Mount(point, "ext4", False)])
    plan = mounts._Plan([str(tmp_path)])
    plan.close()
    assert plan.doors[-1:] == [str(tmp_path / "a" / "door")]
    overlaid = {one for one in plan.overlaid if one.startswith(str(tmp_path))}
    assert {str(tmp_path / one) for one in ("a/b", "a/disk", "other")} <= overlaid
    assert str(tmp_path / "a") not in overlaid


def test_folders_that_are_written_come_before_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where hundreds of others stand before them, as in a temporary folder with a mount."""
    for name in ("a", "b", "disk", "z/work"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(mounts, "_MOST_OVERLAYS", 1)
    mount = mounts.Mount(str(tmp_path / "disk"), "ext4", False)
    monkeypatch.setattr(mounts, "mounts", lambda: [mount])
    plan = mounts._Plan([str(tmp_path / "z/work")])
    plan.close()
    assert plan.overlaid == [str(tmp_path / "z")]


def test_devices_and_processes() -> None:
    require(How.NAMESPACES)

    def inside() -> str:
        import os

        from paramedic.experiment.sandbox import namespaces

        namespaces.enter(2**24, ())
        if os.fork() == 0:
            namespaces.begin()
            namespaces.give_up_rights()
            seen = [one for one in os.listdir("/proc") if one.isdigit()]
            disks = [one for one in os.listdir("/dev") if one.startswith(("sd", "vd", "tty"))]
            Path("/dev/null").write_text("x")
            assert os.urandom(1)
            os.write(3, f"{os.getpid()} {seen} {disks} {os.geteuid()}".encode())
            os._exit(0)
        os.wait()
        return ""

    import os

    reader, writer = os.pipe()

    def outside() -> str:
        os.dup2(writer, 3)
        return inside()

    code, said = forked(outside)
    assert code == 0, said
    assert os.read(reader, 100).decode() == f"1 ['1'] [] {os.geteuid()}"
    os.close(reader)
    os.close(writer)
