"""A program that does to a machine what programs do, and worse; each in its own try.

    python nasty.py PORT VICTIM ELSEWHERE [sleep]

It runs in a project (see `world.py`), and says on stdout what it could do.
"""
# ruff: noqa: BLE001, T201

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

port, victim, elsewhere = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
done = []


def tried(name, action):
    try:
        action()
        done.append(name)
    except Exception as error:
        done.append(f"{name}: {type(error).__name__}")


def overwrite(path):
    with open(path, "r+b") as file:
        file.write(b"overwritten")


def database(path):
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t (x)")


def by_others():
    import numpy as np

    np.arange(10).tofile("data/2.txt")


def remade():
    shutil.rmtree("ckpt")
    os.makedirs("ckpt")
    Path("ckpt/last.txt").write_text("remade")


def connect():
    socket.create_connection(("127.0.0.1", port), 2).close()


def in_a_shell():
    subprocess.run("echo shell >> data/3.txt; sleep 300 &", shell=True, check=True)


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0)


tried("checkpoint", lambda: Path("model.pt").write_bytes(b"new"))
tried("large file", lambda: overwrite("large.bin"))
tried("link", lambda: Path("link/stamp.txt").write_text("through a link"))
tried("file link", lambda: Path("stamp").write_text("through a link"))
tried("beside", lambda: Path("../data/new.txt").write_text("new"))
tried("absolute", lambda: (elsewhere / "file.txt").write_text("changed"))
tried("home", lambda: (Path.home() / ".nasty").write_text("here"))
tried("temporary", lambda: tempfile.NamedTemporaryFile(delete=False).close())
tried("var tmp", lambda: Path("/var/tmp", f"nasty-{port}").write_text("here"))
tried("memory", lambda: Path("/dev/shm", f"nasty-{port}").write_text("here"))
tried("removed", lambda: shutil.rmtree("data/sub"))
tried("remade", remade)
tried("rights", lambda: os.chmod("data/5.txt", 0o777))
tried("times", lambda: os.utime("data/6.txt", (1, 1)))
tried("renamed", lambda: os.rename("data/7.txt", "data/seven.txt"))
tried("hard link", lambda: os.link("data/8.txt", "data/eight.txt"))
tried("database", lambda: database("runs.db"))
tried("numpy", by_others)
tried("connect", connect)
tried("shell", in_a_shell)
tried("daemon", daemon)
tried("kill", lambda: os.kill(victim, signal.SIGKILL))
tried("chdir", lambda: os.chdir(elsewhere))
tried("after chdir", lambda: Path("relative.txt").write_text("here"))
print("\n".join(done), flush=True)
if sys.argv[4:] == ["sleep"]:
    time.sleep(300)
