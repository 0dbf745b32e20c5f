"""The server, asked over a real socket."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.trace import Writer
from tests.report.live.conftest import Serve
from tests.report.live.traces import HOSTILE, append, chart, hostile, note, recorded, writing


def test_the_list_tells_how_runs_are(tmp_path: Path, serve: Serve) -> None:
    recorded(tmp_path / "sick.db")
    (tmp_path / "waiting.db").touch()
    sqlite3.connect(tmp_path / "study.db").execute("CREATE TABLE trials(x)").connection.close()
    runs = {run["name"]: run for run in serve(tmp_path).get("/runs").json["runs"]}
    assert set(runs) == {"sick.db", "waiting.db"}
    assert (runs["sick.db"]["health"], runs["sick.db"]["verdict"]) == ("critical", "not learning")
    assert runs["sick.db"]["root"] == "vanishing-gradient"
    assert (runs["sick.db"]["state"], runs["sick.db"]["step"]) == ("ended", 99)
    assert runs["sick.db"]["loss"] == pytest.approx(2 * 0.999**99, rel=1e-5)
    assert runs["sick.db"]["curve"][0] > runs["sick.db"]["curve"][-1]
    assert runs["waiting.db"]["state"] == "empty"
    assert runs["waiting.db"]["verdict"] == "not judged yet"


def test_a_run_has_a_page_and_a_view(tmp_path: Path, serve: Serve) -> None:
    recorded(tmp_path / "sick.db")
    client = serve(tmp_path)
    run = client.run()
    assert client.get(f"/run/{run}").status == 200
    told = client.get(f"/run/{run}/view?width=300").json
    assert (told["state"], told["health"]) == ("ended", "critical")
    assert told["verdict"] == "not learning"
    assert "vanishing gradient" in told["html"].lower()
    assert [panel["name"] for panel in told["view"]["panels"]] == ["loss", "grad_norm", "rate"]
    assert told["view"]["maps"][0]["layers"] == ["stem", "body", "head"]


def test_a_single_trace_is_shown_at_once(tmp_path: Path, serve: Serve) -> None:
    client = serve(recorded(tmp_path / "sick.db"))
    answer = client.get("/")
    assert answer.status == 303
    assert client.get(answer.headers["location"]).status == 200


def test_long_runs_are_thinned(tmp_path: Path, serve: Serve) -> None:
    client = serve(recorded(tmp_path / "long.db", 5000))
    told = client.get(f"/run/{client.run()}/view?width=100").json
    points = told["view"]["panels"][0]["curves"][0]["points"]
    assert len(points["steps"]) == 240
    assert points["low"][0] < points["values"][0] < points["high"][0]


@pytest.mark.parametrize("width", ["0", "-1", "x", "", "1e3", "999999", "٣"])
def test_a_width_that_makes_no_sense_is_refused(tmp_path: Path, serve: Serve, width: str) -> None:
    client = serve(recorded(tmp_path / "sick.db"))
    path = f"/run/{client.run()}/view?width={width.encode('latin-1', 'replace').decode()}"
    assert client.get(path).status == 400


_OUTSIDE = [
    "/../secret.db", "/%2e%2e/secret.db", "/static/../secret.db", "/static/..%2fsecret.db",
    "/static/%2e%2e%2f%2e%2e%2fsecret.db", "/static//etc/passwd", "/static/..", "/static/",
    "/static/application.py", "/static/%00", "/run/../secret.db", "/run/..%2fsecret.db",
    "/run/secret.db/view", "/run/%2e%2e%2fsecret.db/view", "/run//etc/passwd/view",
    "/run/sick.db/view", "/run/%ff%fe/view", "//secret.db", "/..\\secret.db",
    "/run/" + "a" * 8000 + "/view", "/run/00000000000000000000/events",
]  # fmt: skip


def test_no_path_leads_outside(tmp_path: Path, serve: Serve) -> None:
    recorded(tmp_path / "secret.db")
    (tmp_path / "runs").mkdir()
    recorded(tmp_path / "runs" / "sick.db")
    client = serve(tmp_path / "runs")
    for path in _OUTSIDE:
        answer = client.get(path)
        assert answer.status == 404, path
        assert "secret" not in answer.body.replace(path, "")
        assert "root:" not in answer.body
    assert client.get("/runs").json["runs"][0]["name"] == "sick.db"


def test_links_to_the_outside_are_not_listed(tmp_path: Path, serve: Serve) -> None:
    recorded(tmp_path / "secret.db")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "link.db").symlink_to(tmp_path / "secret.db")
    assert serve(tmp_path / "runs").get("/runs").json["runs"] == []


def test_foreign_hosts_and_methods_are_refused(tmp_path: Path, serve: Serve) -> None:
    client = serve(tmp_path)
    assert client.get("/", host="evil.example").status == 421
    assert client.get("/runs", "POST").status == 405
    assert b" 4" in client.raw(b"GET / HTTP/1.0\r\n\r\n").partition(b"\r\n")[0]
    assert client.get("/").status == 200


def test_garbage_does_not_hurt_the_server(tmp_path: Path, serve: Serve) -> None:
    client = serve(tmp_path)
    for garbage in (b"\x16\x03\x01\x00", b"GET\r\n\r\n", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n"):
        client.raw(garbage)
    assert client.get("/").status == 200


@pytest.mark.parametrize("host", [None, "127.0.0.1"])
def test_strangers_get_nothing(tmp_path: Path, serve: Serve, host: str | None) -> None:
    """Also not those of this machine."""
    recorded(tmp_path / "my-secret-run.db")
    client = serve(tmp_path, host=host)
    run, stranger = client.run(), client.stranger()
    used = client.new_url().partition("/?")[2]
    assert stranger.get(f"/?{used}").status == 303
    paths = ["/", "/runs", "/events", f"/run/{run}", f"/run/{run}/view", f"/run/{run}/events"]
    paths += ["/static/live.css", "/run/none", "/nothing", "/runs?token=wrong", f"/?{used}"]
    for path in paths:
        for method in ("GET", "HEAD"):
            answer = stranger.get(path, method)
            assert answer.status == 403, path
            told = f"{answer.headers}{answer.body}"
            assert not any(word in told for word in ("secret", "tmp", run, "vanishing")), path
    assert client.get("/runs").json["runs"][0]["name"] == "my-secret-run.db"
    assert client.get("/runs", host="evil.example").status == 421


def test_head_has_no_body_and_ends(tmp_path: Path, serve: Serve) -> None:
    client = serve(recorded(tmp_path / "sick.db"))
    for path in ("/events", "/runs", f"/run/{client.run()}/events", f"/run/{client.run()}"):
        answer = client.get(path, "HEAD")
        assert (answer.status, answer.body) == (200, ""), path


def test_hostile_content_is_text(tmp_path: Path, serve: Serve) -> None:
    hostile(tmp_path / "<img src=x onerror=alert(1)>.db")
    client = serve(tmp_path)
    run = client.run()
    told = client.get(f"/run/{run}/view").json
    for page in (client.get(f"/run/{run}").body, told["html"]):
        assert "<img src=x" not in page
        assert "<script>document" not in page
    assert told["view"]["maps"][0]["layers"][0] == HOSTILE.replace("\x07", "\\x07")
    assert client.get(f"/run/{run}/view").headers["content-type"] == "application/json"


def test_a_page_hears_of_every_change(tmp_path: Path, serve: Serve) -> None:
    path = tmp_path / "run.db"
    writer = Writer(path)
    writer.chart(chart())
    append(writer, 0, 10)
    client = serve(tmp_path)
    with client.listen(f"/run/{client.run()}/events") as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        assert stream.until(lambda told: told["view"]["last_step"] == 9)["state"] == "running"
        append(writer, 10, 20)
        assert stream.until(lambda told: told["view"]["last_step"] == 19)
        note(writer, ended=False)
        told = stream.until(lambda told: told["health"] == "critical")
        assert "vanishing gradient" in told["html"].lower()
        note(writer, ended=True)
        writer.close()
        assert stream.until(lambda told: told["state"] == "ended")


def test_the_list_hears_of_runs_that_begin_later(tmp_path: Path, serve: Serve) -> None:
    client = serve(tmp_path)
    with client.listen("/events") as stream:
        assert stream.until(lambda told: True)["runs"] == []
        recorded(tmp_path / "late.db")
        told = stream.until(lambda told: told["runs"] and told["runs"][0]["state"] == "ended")
        assert told["runs"][0]["name"] == "late.db"


def test_a_writer_in_another_process_is_followed_and_its_death_survived(
    tmp_path: Path, serve: Serve
) -> None:
    path = tmp_path / "run.db"
    client = serve(tmp_path)
    process = writing(path)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        with client.listen(f"/run/{client.run()}/events", 30) as stream:
            first = next(iter(stream))["view"]["last_step"]
            assert stream.until(lambda told: told["view"]["last_step"] > first + 40)
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            written = [int(line) for line in process.stdout]
            last = written[-1] if written else first
            told = client.get(f"/run/{client.run()}/view").json
            assert told["view"]["last_step"] >= last
            assert told["state"] == "running"  # for another minute: a step may take that long
        with client.listen("/events") as stream:
            assert stream.until(lambda told: told["runs"][0]["step"] >= last)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_deletion_truncation_and_a_new_start_are_told(tmp_path: Path, serve: Serve) -> None:
    path = recorded(tmp_path / "run.db")
    whole = path.read_bytes()
    client = serve(tmp_path)
    with client.listen(f"/run/{client.run()}/events", 30) as stream:
        assert next(iter(stream))["state"] == "ended"
        path.write_bytes(whole[: len(whole) // 2])
        told = stream.until(lambda told: told["state"] == "damaged")
        assert told["words"].startswith("The trace ")
        assert told["view"]["last_step"] == 99  # what was read stays
        with client.listen("/events") as listed:
            assert listed.until(lambda told: told["runs"][0]["state"] == "damaged")
        path.unlink()
        assert "deleted" in stream.until(lambda told: told["state"] == "gone")["words"]
        shutil.move(recorded(tmp_path / "other.tmp", 30), path)
        again = stream.until(lambda told: told["state"] == "ended")
        assert again["view"]["last_step"] == 29


def test_a_hundred_listeners_hear_the_same_and_leave(tmp_path: Path, serve: Serve) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 10)
    client = serve(tmp_path)
    path = f"/run/{client.run()}/events"
    streams = [client.listen(path, 30) for _ in range(100)]
    try:
        assert {next(iter(one))["view"]["last_step"] for one in streams} == {9}
        begin = time.monotonic()
        append(writer, 10, 20)
        heard = [one.until(lambda told: told["view"]["last_step"] == 19) for one in streams]
        assert len(heard) == 100
        assert time.monotonic() - begin < 10
        assert client.get("/runs").status == 200
    finally:
        for one in streams:
            one.__exit__()
        writer.close()
    assert client.get("/").status == 200


def test_there_is_a_limit_of_listeners(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(tmp_path)
    monkeypatch.setattr("paramedic.report.live.application.MOST_LISTENERS", 3)
    streams = [client.listen("/events") for _ in range(3)]
    for one in streams:
        next(iter(one))
    refused = client.get("/events")
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    for one in streams:
        one.__exit__()
    end = time.monotonic() + 10
    while client.get("/events", "HEAD").status != 200 or not _is_open(client):
        assert time.monotonic() < end
        time.sleep(0.05)


def _is_open(client: object) -> bool:
    with client.listen("/events") as stream:  # type: ignore[attr-defined]
        return bool(stream.answer.status == 200)


def test_the_server_ends_although_somebody_listens(
    tmp_path: Path, serve: Serve, stop: Callable[[], None]
) -> None:
    with serve(tmp_path).listen("/events") as stream:
        next(iter(stream))
        stop()
        assert list(stream) == []
