"""The private view of the file system: every folder under an overlay, all else read-only.

An overlay shows what is in a folder and keeps what is written in another one, here of a tmpfs
that nobody else sees and that goes with the namespace. Each folder of `/` gets one. A folder with
another mount inside cannot (the kernel does not let an ordinary user uncover what a mount hides):
it stays read-only, and its subfolders get one each. So what was forgotten, or fails, is read-only.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from paramedic.experiment.sandbox import linux

# File systems that are no storage: they stay as they are, read-only.
_NO_STORAGE = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore",
    "rpc_pipefs", "securityfs", "sysfs", "tracefs",
}  # fmt: skip
_MOST_OVERLAYS = 300
_STAGING = "/sys"  # a folder that every system has, covered only while the overlays are made
_DEVICES = re.compile(r"null|zero|full|random|urandom|kfd|nvidia.*")
_DEVICE_FOLDERS = ("dri",)
_STREAMS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of `/proc/self/mountinfo`."""

    point: str
    kind: str
    read_only: bool


def mounts() -> list[Mount]:
    """What is mounted where; of several at one place the last one is seen."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return [_mount(line) for line in file]


def _mount(line: str) -> Mount:
    before, _, after = line.partition(" - ")
    fields = before.split(" ")
    point = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), fields[4])
    point = point.encode("latin-1", "surrogateescape").decode("utf-8", "surrogateescape")
    return Mount(point, after.split(" ")[0], "ro" in fields[5].split(","))


def build(disk: int, folders: Sequence[str]) -> None:
    """Make everything private, `disk` bytes in all; `folders` are those that are surely written.

    In new user and mount namespaces. `/proc` follows when the first process is there.
    """
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.make_read_only("/")
    plan = _Plan(folders)
    options = f"size={disk},nr_inodes=1000000,mode=0755"
    linux.mount("tmpfs", _STAGING, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)
    try:
        for number, folder in enumerate(plan.overlaid):
            with suppress(OSError):  # it stays read-only
                _overlay(folder, plan.descriptors[folder], f"{_STAGING}/{number}", folders)
        _mask(plan.doors)
        _devices(f"{_STAGING}/dev")
    finally:
        linux.detach(_STAGING)
        plan.close()


def own_processes() -> None:
    """Show the processes of this namespace in `/proc`, and nothing there to write to."""
    flags = linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    linux.mount("proc", "/proc", "proc", flags)


class _Plan:
    """Which folders get an overlay, and the doors to other programs that need closing.

    Those that hold a folder of `written` come first: beyond the limit a folder stays read-only.
    """

    def __init__(self, written: Sequence[str]) -> None:
        self.descriptors: dict[str, int] = {}
        self.doors: list[str] = []
        self._mounts = {mount.point: mount for mount in mounts()}
        self._found: list[str] = []
        self._cover("/")
        self._found.sort(key=lambda folder: not _holds_any(folder, written))
        for folder in self._found[:_MOST_OVERLAYS]:
            with suppress(OSError):
                self.descriptors[folder] = os.open(folder, os.O_PATH | os.O_DIRECTORY)

    @property
    def overlaid(self) -> list[str]:
        """The folders that get an overlay."""
        return list(self.descriptors)

    def _cover(self, folder: str) -> None:
        mount = self._mounts.get(folder)
        if folder == _STAGING or (mount is not None and mount.kind in _NO_STORAGE):
            return
        prefix = folder.rstrip("/") + "/"
        if folder == "/" or any(one.startswith(prefix) for one in self._mounts):
            for name, is_folder in _entries(folder):
                if is_folder:
                    self._cover(prefix + name)
                else:
                    self.doors.append(prefix + name)
        elif not (mount is not None and mount.read_only):
            self._found.append(folder)

    def close(self) -> None:
        for descriptor in self.descriptors.values():
            os.close(descriptor)


def _holds_any(folder: str, written: Sequence[str]) -> bool:
    """Whether something that is surely written is this folder, in it, or around it."""
    return any(
        (path + "/").startswith(folder + "/") or folder.startswith(path + "/") for path in written
    )


def _entries(folder: str) -> Iterator[tuple[str, bool]]:
    """The folders (True), sockets and pipes (False) in a folder."""
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    for one in entries:
        with suppress(OSError):
            mode = one.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield one.name, True
            elif stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                yield one.name, False


def _overlay(folder: str, descriptor: int, staging: str, written: Sequence[str]) -> None:
    upper, work = f"{staging}/upper", f"{staging}/work"
    os.makedirs(work)
    _like(folder, upper)
    for one in written:
        if one.startswith(folder + "/"):
            _chain(folder, one, upper)
    options = f"lowerdir=/proc/self/fd/{descriptor},upperdir={upper}"
    _mount_overlay(folder, f"{options},workdir={work}")


def _mount_overlay(folder: str, options: str) -> None:
    """Nothing is to survive, so nothing has to be flushed. The attributes by which an overlay
    marks what is gone are of the kind that an ordinary user may set."""
    flags = linux.MS_NODEV | linux.MS_NOSUID
    linux.mount("overlay", folder, "overlay", flags, f"{options},userxattr,volatile")


def _chain(folder: str, written: str, upper: str) -> None:
    """A folder of somebody else (`/var/tmp`) cannot be copied up when something is written in it,
    because its owner has no name here: it has to be there from the start."""
    for name in os.path.relpath(written, folder).split("/"):
        folder, upper = f"{folder}/{name}", f"{upper}/{name}"
        if os.path.islink(folder) or not os.path.isdir(folder):
            return
        if not os.path.isdir(upper):
            _like(folder, upper)


def _like(folder: str, made: str) -> None:
    """A folder with the rights of another. Where its owner has no name here it becomes ours, but
    is no more writable for us than it was."""
    found = os.stat(folder)
    mode = stat.S_IMODE(found.st_mode)
    os.mkdir(made)
    try:
        os.chown(made, found.st_uid, found.st_gid)
    except OSError:
        mode = mode | 0o700 if _is_writable(found) else mode & ~0o200
    os.chmod(made, mode)


def _is_writable(found: os.stat_result) -> bool:
    """By its rights; `os.access` would tell that all is read-only by now."""
    if os.geteuid() in (0, found.st_uid):
        return True
    groups = {os.getegid(), *os.getgroups()}
    return bool(found.st_mode & (0o020 if found.st_gid in groups else 0o002))


def _mask(doors: Sequence[str]) -> None:
    """An empty file in the place of each socket and pipe that no overlay cuts off."""
    if not doors:
        return
    empty = f"{_STAGING}/empty"
    os.close(os.open(empty, os.O_CREAT | os.O_WRONLY, 0o400))
    for door in doors:
        linux.mount(empty, door, flags=linux.MS_BIND)


def _devices(made: str) -> None:
    """A `/dev` with what a program needs: no disks, no terminals, shared memory of its own."""
    os.mkdir(made, 0o755)
    for name in sorted(os.listdir("/dev")):
        real, here = f"/dev/{name}", f"{made}/{name}"
        if name in _DEVICE_FOLDERS:
            os.mkdir(here)
            linux.mount(real, here, flags=linux.MS_BIND | linux.MS_REC)
        elif _DEVICES.fullmatch(name) and not os.path.isdir(real):
            os.close(os.open(here, os.O_CREAT | os.O_WRONLY, 0o600))
            linux.mount(real, here, flags=linux.MS_BIND)
    for name, place in _STREAMS.items():
        os.symlink(f"/proc/self/fd{place}", f"{made}/{name}")
    _terminals(made)
    _shared_memory(made)
    linux.mount(made, "/dev", flags=linux.MS_BIND | linux.MS_REC)


def _terminals(made: str) -> None:
    os.mkdir(f"{made}/pts")
    with suppress(OSError):  # then there is no way to make one
        linux.mount("devpts", f"{made}/pts", "devpts", options="newinstance,ptmxmode=0666,mode=620")
        os.symlink("pts/ptmx", f"{made}/ptmx")


def _shared_memory(made: str) -> None:
    """What is in it can be read; data that must be fast to read is put there."""
    here = f"{made}/shm"
    os.mkdir(here)
    os.chmod(here, 0o1777)
    with suppress(OSError):
        descriptor = os.open("/dev/shm", os.O_PATH | os.O_DIRECTORY)
        os.makedirs(f"{_STAGING}/shm/work")
        os.mkdir(f"{_STAGING}/shm/upper")
        os.chmod(f"{_STAGING}/shm/upper", 0o1777)
        options = f"lowerdir=/proc/self/fd/{descriptor},upperdir={_STAGING}/shm/upper"
        _mount_overlay(here, f"{options},workdir={_STAGING}/shm/work")
        os.close(descriptor)
