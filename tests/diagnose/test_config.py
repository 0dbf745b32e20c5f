from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.diagnose import rules as module
from paramedic.diagnose.config import Config, load, parse_setting, parse_settings
from paramedic.diagnose.rules import RuleError
from tests.diagnose.scripted import Scripted, Silent


class Loud(Scripted):
    """Something is loud."""

    code = "Y001"
    slug = "loud-layer"


class Theirs(Silent):
    code = "TH01"
    slug = "their-silence"


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two detectors of ours and one of a reference set, whatever the package has."""
    monkeypatch.setattr(module, "_default", lambda: (Silent, Loud))
    monkeypatch.setattr(module, "_reference", lambda name: (Theirs,) if name == SET else ())


SET = module.rule_sets()[1]


def _write(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_pyproject_is_read(tmp_path: Path) -> None:
    text = """
    [tool.paramedic]
    select = ["X", "loud-layer"]
    ignore = ["Y001"]
    [tool.paramedic.silent-layer]
    quiet = 1
    """
    config = load(_write(tmp_path, text))
    assert config.source == tmp_path / "pyproject.toml"
    assert (config.rules, config.select, config.ignore) == (
        "default",
        ("X", "loud-layer"),
        ("Y001",),
    )
    (silent,) = config.choose()
    assert silent.thresholds() == {"quiet": 1.0, "share": 0.5, "frames": 3}


def test_the_nearest_file_that_has_it_wins(tmp_path: Path) -> None:
    _write(tmp_path, 'ignore = ["Y001"]', "paramedic.toml")
    below = _write(tmp_path / "a", "[tool.other]\nx = 1")
    deepest = _write(below / "b", "[tool.paramedic]\n")
    assert load(deepest).source == deepest / "pyproject.toml"
    assert load(below).source == tmp_path / "paramedic.toml"
    assert load(below).ignore == ("Y001",)


def test_paramedic_toml_comes_before_pyproject(tmp_path: Path) -> None:
    _write(tmp_path, '[tool.paramedic]\nignore = ["X001"]')
    _write(tmp_path, 'select = ["X001"]\n[X001]\nshare = 0.25', "paramedic.toml")
    config = load(tmp_path)
    assert (config.select, config.ignore) == (("X001",), ())
    assert config.choose()[0].thresholds()["share"] == 0.25


def test_without_a_file_there_are_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(tmp_path) == Config()
    monkeypatch.chdir(_write(tmp_path / "x", '[tool.paramedic]\nignore = ["Y001"]'))
    assert load().ignore == ("Y001",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("selct = []", ["`tool.paramedic.selct` is not known", "did you mean `select`"]),
        ("silent-layr = {}", ["did you mean `silent-layer`"]),
        ("qqqq = 1", ["rules, select, ignore and a table per detector"]),
        ("X001 = 3", ["`tool.paramedic.X001` must be a table", "3"]),
        ("X001.quit = 3", ["`tool.paramedic.X001`", "no threshold `quit`", "`quiet`"]),
        ('X001.quiet = "a"', ["`X001.quiet` must be of type float", "'a'"]),
        ("X001.frames = 0.5", ["`X001.frames` must be of type int"]),
        ("rules = 3", ["`tool.paramedic.rules` must be the name of a rule set", "3"]),
        ('rules = "defalt"', ["no rule set `defalt`", "did you mean `default`"]),
        ('select = "G"', ["`tool.paramedic.select` must be a list", "'G'"]),
        ("ignore = [1]", ["`tool.paramedic.ignore` must be a list"]),
        ('select = ["X002"]', ["No detector is called `X002`", "X001"]),
    ],
)
def test_mistakes_name_the_file_the_key_and_the_nearest_name(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(RuleError) as error:
        load(_write(tmp_path, f"[tool.paramedic]\n{text}"))
    for word in [str(tmp_path / "pyproject.toml"), *words]:
        assert word in str(error.value)


def test_a_table_of_ours_must_be_a_table(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="must be a table but is 3"):
        load(_write(tmp_path, "[tool]\nparamedic = 3"))


@pytest.mark.parametrize("content", [b"rules = ", b"\xff\xfe"])
def test_what_is_not_toml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "paramedic.toml").write_bytes(content)
    with pytest.raises(RuleError, match=r"paramedic\.toml` is (not valid TOML|damaged)"):
        load(tmp_path)


def test_the_command_line_wins() -> None:
    config = Config(
        select=("X",), ignore=("Y",), thresholds={"silent-layer": {"quiet": 1.0, "share": 0.1}}
    )
    merged = config.merged(thresholds={"x001": {"quiet": 2.0}})
    assert merged.thresholds == {"X001": {"quiet": 2.0, "share": 0.1}}
    assert config.merged(select=["Y001"]).select == ("Y001",)
    assert config.merged(select=["Y001"]).ignore == ()
    assert config.merged(ignore=["X001"]).ignore == ("Y", "X001")
    with pytest.raises(RuleError, match="No detector is left"):
        config.choose(ignore=["X001"])


def test_under_another_rule_set_the_file_keeps_quiet() -> None:
    config = Config(
        select=("X",),
        ignore=("Y",),
        thresholds={"X001": {"quiet": 1.0}, "TH01": {"quiet": 2.0}},
    )
    (theirs,) = config.choose(rules=SET)
    assert theirs.slug == "their-silence"
    assert theirs.thresholds()["quiet"] == 2.0
    with pytest.raises(RuleError, match="No detector is called `X001`"):
        config.choose(rules=SET, thresholds={"X001": {"quiet": 2.0}})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("G001.ratio=1e-4", 1e-4),
        ("G001.ratio = 3", 3),
        ("G001.ratio=true", True),
        ('G001.ratio="relu"', "relu"),
        ("G001.ratio=inf", float("inf")),
    ],
)
def test_settings_are_written_as_in_toml(text: str, value: object) -> None:
    found = parse_setting(text)
    assert found == ("G001", "ratio", value)
    assert type(found[2]) is type(value)


@pytest.mark.parametrize(
    "text",
    ["", "G001", "G001.ratio", "ratio=3", ".ratio=3", "G001.=3", "G001.ratio=", "G001.ratio=relu",
     "G001.ratio=[1]", "G001.ratio=3\nx = 4", "G001.ratio=2020-01-01"],
)  # fmt: skip
def test_other_settings_are_refused(text: str) -> None:
    with pytest.raises(RuleError, match=r"not a (setting|value)"):
        parse_setting(text)


def test_several_settings_meet() -> None:
    texts = ["A.x=1", "B.x=2", "A.y=3", "A.x=4"]
    assert parse_settings(texts) == {"A": {"x": 4, "y": 3}, "B": {"x": 2}}


@pytest.mark.parametrize(
    "content",
    [b"[tool", b"\xff\xfe", b"a = " + b"[" * 5000, b"tool = 3"],
    ids=["toml", "encoding", "depth", "kind"],
)
def test_a_broken_pyproject_of_somebody_is_ignored(
    content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    _write(tmp_path, '[tool.paramedic]\nignore = ["Y001"]')
    (inner / "pyproject.toml").write_bytes(content)
    for _ in range(2):
        assert load(inner).ignore == ("Y001",)
    told = [record for record in caplog.records if "ignores" in record.message]
    assert len(told) == (content != b"tool = 3")
    assert all("\n" not in record.message for record in told)


def test_an_unreadable_pyproject_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "[tool.paramedic]")

    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    assert load(tmp_path) == Config()


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert load() == Config()
