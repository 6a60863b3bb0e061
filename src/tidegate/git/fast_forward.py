"""Fast-forward a checked-out branch of the user's: files, then branch, then index.

The index is locked as git locks it, so nobody commits in between, and git works on a copy that is
put in place at the end. After a kill the work is done again, as the journal has it. A file that
already is as it will be is no obstacle, whoever made it so; one that a killed run had begun to
write is known by being a beginning of what was meant.
"""

from typing import NamedTuple

from tidegate.core.errors import TidegateError
from tidegate.git import journal, obstacles, own_locks, putting_back, smudging
from tidegate.git.checkout import Checkout, Obstacle
from tidegate.git.command import Git
from tidegate.git.errors import GitFailed, GitTimedOut, HalfWay
from tidegate.git.journal import Hold, Intent
from tidegate.git.obstacles import Plan
from tidegate.git.putting_back import Before
from tidegate.git.tree_diff import ABSENT, GITLINK
from tidegate.git.undisturbed import undisturbed

AS_IT_WAS = "your checkout is as it was"


class Advanced(NamedTuple):
    """Branch, files and index are at the new commit."""


class Lost(NamedTuple):
    """Somebody else was faster: the situation is another one, and the files are as they were."""


def advance(checkout: Checkout, intent: Intent) -> Advanced | Lost | Obstacle:
    """Do it, or find it begun and finish it. After an Obstacle nothing of the user's has changed.

    Raises GitFailed or OSError where git or the disk is at fault: then all is as it was before.
    Raises HalfWay where it is not, and cannot be made so; then the next call goes on. In any case
    the index is not locked any more.
    """
    with undisturbed(), journal.held(checkout, intent) as hold:
        return Lost() if hold is None else _advance(hold, intent)


def _advance(hold: Hold, intent: Intent) -> Advanced | Lost | Obstacle:
    before = None
    try:
        planned = _planned(hold, intent)
        if isinstance(planned, Obstacle):
            return _stopped(hold, planned)
        git, plan = planned
        before = putting_back.look(hold.checkout, plan)
        return _carried_out(hold, git, plan, intent)
    except BaseException as error:
        stays = _put_back(hold, intent, before)
        if stays is None:
            hold.drop()
            if isinstance(error, GitFailed):
                error.hint = AS_IT_WAS
            raise
        hold.stand_back()
        raise HalfWay(error, hold.checkout.root, stays) from error


def _stopped(hold: Hold, obstacle: Obstacle) -> Obstacle:
    """Give all back; what a killed run has left half way stays so, and is told."""
    if not hold.resuming:
        hold.drop()
        return obstacle
    hold.stand_back()
    reason = f"{obstacle.reason}, and a delivery that was cut short has left it half way"
    return obstacle._replace(reason=reason)


def _put_back(hold: Hold, intent: Intent, before: Before | None) -> str | None:
    """Put the files back where some were written; None where all is as it was.

    Else the checkout stays half way: the text says what went wrong with that, where it was tried.
    """
    if hold.resuming:
        return ""
    if before is None:
        return None
    try:
        if _commit_of(hold.git(), intent.ref) == intent.new:
            return ""
        putting_back.put_back(hold, before, intent.new)
    except (TidegateError, OSError) as error:
        return str(error)
    return None


def _carried_out(hold: Hold, git: Git, plan: Plan, intent: Intent) -> Advanced | Lost:
    _move_files(git, intent, plan)
    moved = _move_branch(hold, git, intent)
    if not moved:
        git.run("read-tree", "-m", "-u", intent.new, intent.old)
    git.run("update-index", "-q", "--refresh", ok_codes=(0, 1))
    hold.put_index()
    hold.drop()
    return Advanced() if moved else Lost()


def _planned(hold: Hold, intent: Intent) -> tuple[Git, Plan] | Obstacle:
    """Lock the index and say what there is to do, with the git to do it."""
    checkout = hold.checkout
    if not hold.lock_index():
        at = (journal.lock_path(checkout),)
        return Obstacle("another git command is at work in the checkout", at)
    git = hold.git()
    locked = obstacles.lock_of_branch(git, intent.ref)
    if locked and not (hold.resuming and _unlocked(hold, locked, intent)):
        return locked
    plan = obstacles.plan(git, checkout, old=intent.old, new=intent.new, resuming=hold.resuming)
    if isinstance(plan, Obstacle):
        return plan
    return smudging.obstacle(git, checkout.git_dir, plan, intent.new) or (git, plan)


def _unlocked(hold: Hold, locked: Obstacle, intent: Intent) -> bool:
    """Take away what a killed git of ours has locked; False where a lock is another's."""
    return own_locks.clear(locked.paths, intent.new, since_s=hold.begun_s)


def _move_files(git: Git, intent: Intent, plan: Plan) -> None:
    settled = (*plan.done, *plan.begun)
    if settled:
        stdin = b"".join(move.as_index_entry() for move in settled)
        git.run("update-index", "--replace", "-z", "--index-info", stdin=stdin)
    begun = [move.path for move in plan.begun if move.new_mode not in (ABSENT, GITLINK)]
    if begun:
        stdin = b"".join(path + b"\0" for path in begun)
        git.run("checkout-index", "-f", "-u", "-z", "--stdin", stdin=stdin)
    git.run("read-tree", "-m", "-u", intent.old, intent.new)


def _move_branch(hold: Hold, git: Git, intent: Intent) -> bool:
    """Move the branch by compare-and-swap; True if it is at the new commit."""
    try:
        git.run("update-ref", "-m", "tidegate: deliver", intent.ref, intent.new, intent.old)
    except GitFailed as error:
        if error.was_killed and (locked := obstacles.lock_of_branch(git, intent.ref)):
            _unlocked(hold, locked, intent)
        if isinstance(error, GitTimedOut):
            raise
        at = _commit_of(git, intent.ref)
        if at == intent.old:
            raise
        return at == intent.new
    return True


def _commit_of(git: Git, ref: str) -> str:
    return git.run("rev-parse", "-q", "--verify", ref, ok_codes=(0, 1, 128)).text
