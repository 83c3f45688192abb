"""Where a model file goes: `save` respects what stands at its place, and what was left there.

Rights and links stay, pipes and devices are written to, and what a killed program has left of an
earlier save goes with the next one, unless somebody is writing it.
"""

import os
import signal
import stat
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weakforce
from weakforce._files.outputs import new_file
from weakforce._files.partial_files import make_partial

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights and links of POSIX")

X = np.arange(40.0)[:, None]
MODEL = weakforce.DiscreteAdaBoostClassifier(n_estimators=2).fit(X, np.arange(40) > 11)


def is_saved(path: Path) -> bool:
    return np.array_equal(weakforce.load(path).predict(X), MODEL.predict(X))


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_save_keeps_the_rights_of_the_file_it_replaces(mode, tmp_path):
    path = tmp_path / "model.json"
    path.touch()
    path.chmod(mode)
    MODEL.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert is_saved(path)


def test_a_new_file_has_the_usual_rights(tmp_path):
    usual = os.umask(0o027)
    try:
        MODEL.save(tmp_path / "model.json")
    finally:
        os.umask(usual)
    assert stat.S_IMODE((tmp_path / "model.json").stat().st_mode) == 0o640


def test_a_save_goes_where_a_symbolic_link_leads(tmp_path):
    (tmp_path / "models").mkdir()
    target, link = tmp_path / "models" / "v1.json", tmp_path / "current.json"
    link.symlink_to(target)
    for _ in range(2):  # the first time the link leads nowhere
        MODEL.save(link)
        assert link.is_symlink()
        assert is_saved(target)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "current.json",
        "models",
        "v1.json",
    ]


def test_a_save_writes_into_a_pipe(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    MODEL.save(pipe)
    reader.join(10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "copy.json").write_bytes(found[0])
    assert is_saved(tmp_path / "copy.json")


def test_a_save_to_a_device_leaves_the_device():
    MODEL.save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_file_may_be_called_as_standard_output_is(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    MODEL.save("-")
    assert is_saved(tmp_path / "-")
    assert capfd.readouterr().out == ""


def test_what_a_killed_save_has_left_goes_with_the_next_one(tmp_path):
    path = tmp_path / "model.json"
    writer = os.fork()
    if writer == 0:
        with new_file(str(path)) as made:
            made.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(writer, 0)
    assert len(list(tmp_path.iterdir())) == 1  # half a file under another name
    MODEL.save(tmp_path / "other.json")
    assert len(list(tmp_path.iterdir())) == 2
    MODEL.save(path)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["model.json", "other.json"]


def test_what_somebody_else_is_writing_stays(tmp_path):
    handle, theirs = make_partial(tmp_path, "model.json")
    MODEL.save(tmp_path / "model.json")
    assert theirs.exists()
    os.close(handle)
    MODEL.save(tmp_path / "model.json")
    assert not theirs.exists()


def test_tables_keep_links_and_leave_nothing_behind(tmp_path):
    model = weakforce.RealAdaBoostClassifier(n_estimators=2).fit(
        pl.DataFrame({"a": X[:, 0]}), np.arange(40) > 11
    )
    pl.DataFrame({"a": X[:, 0]}).write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    weakforce.predict_file(model, tmp_path / "rows.parquet", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    names = ["link.csv", "real.csv", "rows.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
