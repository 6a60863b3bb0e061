"""Folders of jobs are taken away, and nothing besides."""

from pathlib import Path

from tidegate.engine.clearing import clear


def test_a_folder_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    """Links are removed, and what they lead to stays."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("", encoding="utf-8")
    deep = tmp_path / "jobs" / "one" / "deep"
    deep.mkdir(parents=True)
    (deep / "file").write_text("", encoding="utf-8")
    (deep / "to-folder").symlink_to(kept)
    (deep / "to-nowhere").symlink_to(tmp_path / "nowhere")
    clear(str(tmp_path / "jobs"))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").exists()


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    """Another may have been faster."""
    clear(str(tmp_path / "jobs"))
