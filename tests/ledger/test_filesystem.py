"""Which file system a folder is on, from the mount table as Linux writes it."""

from pathlib import Path

import pytest

from tidegate.core.errors import NotReady
from tidegate.ledger import filesystem
from tidegate.ledger.filesystem import file_system_of, require_local
from tidegate.ledger.sqlite import SqliteLedger

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /tmp rw shared:2 master:1 - tmpfs tmpfs rw
31 22 0:40 / /home rw - nfs4 server:/home rw,vers=4.2
32 31 0:41 / /home/me/local rw - btrfs /dev/sdb rw
33 22 0:42 / /mnt/my\\040share rw - fuse.sshfs me@host:/ rw
34 22 0:43 / /mnt/c rw - 9p C:\\134 rw
35 22 0:44 / /over rw - nfs server:/x rw
36 22 0:45 / /over rw - xfs /dev/sdc rw
a line that is no mount
37 22 0:46 / /homes rw - ext4 /dev/sdd rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/srv/repository/.git/tidegate", "ext4"),
        ("/tmp", "tmpfs"),
        ("/home/me/repository", "nfs4"),
        ("/home/me/local/repository", "btrfs"),
        ("/home/me/localized", "nfs4"),
        ("/homes/me", "ext4"),
        ("/mnt/my share/x", "fuse.sshfs"),
        ("/mnt/c/x", "9p"),
        ("/over/x", "xfs"),
    ],
)
def test_the_nearest_mount_counts(path: str, kind: str) -> None:
    """A path is on the mount that is nearest above it; of two on one place the later hides."""
    assert file_system_of(path, MOUNTS) == kind


def test_without_a_table_nothing_is_known() -> None:
    """Where no mount matches, nothing is claimed."""
    assert file_system_of("/x", "") == ""


def _pretend(mounts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(mounts, encoding="utf-8")
    monkeypatch.setattr(filesystem, "_MOUNTS", table)


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph"])
def test_a_network_file_system_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C083: A ledger is not made on a network file system, and the refusal names it."""
    _pretend(f"22 1 254:0 / / rw - {kind} x rw\n", tmp_path, monkeypatch)
    with pytest.raises(NotReady, match=rf"network file system \({kind}\)"):
        SqliteLedger.open(tmp_path / "tidegate")
    assert not (tmp_path / "tidegate" / "ledger.db").exists()


def test_a_local_disk_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a local disk, through a link to one, and where there is no mount table, it is made."""
    _pretend("22 1 254:0 / / rw - xfs /dev/sda rw\n", tmp_path, monkeypatch)
    require_local(tmp_path)
    monkeypatch.setattr(filesystem, "_MOUNTS", tmp_path / "none")
    require_local(tmp_path)


def test_a_link_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link from a local disk into a network file system is seen through."""
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far")
    far = (tmp_path / "far").resolve()
    mounts = f"22 1 254:0 / / rw - xfs x rw\n23 22 0:9 / {far} rw - nfs server:/ rw\n"
    _pretend(mounts, tmp_path, monkeypatch)
    with pytest.raises(NotReady):
        require_local(tmp_path / "near")
