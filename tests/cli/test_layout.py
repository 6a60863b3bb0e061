"""Rows fit any width, and no id is ever cut."""

from hypothesis import given
from hypothesis import strategies as st

from tidegate.cli.layout import LAST_MIN, cells, laid_out, wrapped

ID = "PROJECT-ABCDEFG-0012345"
TITLE = "a title that is far too long for one line of a narrow terminal"
ROWS = (("001", "open", TITLE), (ID, "waiting", "短い題名 🚀"))


def test_without_a_width_each_row_is_one_whole_line() -> None:
    """G8-10: what is no terminal is never truncated, nor wrapped."""
    assert laid_out(ROWS, gap=2, width=None) == [
        f"001                      open     {TITLE}",
        f"{ID}  waiting  短い題名 🚀",
    ]


def test_where_there_is_room_nothing_is_wrapped() -> None:
    """The same lines as without a width."""
    assert laid_out(ROWS, gap=2, width=120) == laid_out(ROWS, gap=2, width=None)


def test_the_last_column_goes_on_below_itself() -> None:
    """G8-10: long text wraps, beside the ids."""
    lines = laid_out(ROWS, gap=2, width=80)
    assert lines == [
        "001                      open     a title that is far too long for one line of a",
        "                                  narrow terminal",
        f"{ID}  waiting  短い題名 🚀",
    ]


def test_where_too_little_is_left_the_cells_stand_below_each_other() -> None:
    """G8-10: 40 columns, an id of 23 characters."""
    lines = laid_out(ROWS, gap=2, width=40)
    assert lines == [
        "001  open",
        "      a title that is far too long for",
        "      one line of a narrow terminal",
        f"{ID}  waiting",
        "      短い題名 🚀",
    ]
    assert max(map(cells, lines)) <= 40


def test_an_id_that_fits_nowhere_is_whole_all_the_same() -> None:
    """It can be copied and searched for; the terminal wraps it."""
    assert ID in laid_out(ROWS, gap=2, width=10)
    commit = "65289e9169b292c40b2274c89220ad39d228d336"
    assert wrapped(f"landed as {commit}", 30) == ["landed as", commit]


def test_wide_characters_count_two() -> None:
    """Columns line up below each other, and what has no blanks is folded by its width."""
    rows = (("短い", "x"), ("abcd", "y"))
    assert laid_out(rows, gap=1, width=None) == ["短い x", "abcd y"]
    assert wrapped("短い題名です", 5) == ["短い", "題名", "です"]
    assert cells("e\u0301") == 1
    assert cells("🚀") == 2


WORDS = st.text(st.sampled_from("ab 短🚀\u0301"), max_size=40)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4), st.integers(1, 60))
def test_nothing_is_lost_at_any_width(rows: list[tuple[str, str, str]], width: int) -> None:
    """All characters but blanks are there, in their order, row after row."""
    shown = "".join("".join(line.split()) for line in laid_out(rows, gap=2, width=width))
    assert shown == "".join("".join("".join(row).split()) for row in rows)


@given(WORDS, st.integers(LAST_MIN, 60))
def test_no_line_is_wider_than_it_may_be(text: str, width: int) -> None:
    """But for a word that cannot be broken."""
    for line in wrapped(text, width):
        assert cells(line) <= width or " " not in line


def test_a_row_whose_last_cell_has_a_longer_word_is_stacked_by_itself() -> None:
    """An id in a sentence is whole too, and the other rows stand as they did."""
    rows = (("10:00", ID, f"{ID}-build-1 works"), ("10:01", "001", " ".join(["PASS"] * 8)))
    assert laid_out(rows, gap=2, width=60) == [
        f"10:00  {ID}",
        f"      {ID}-build-1 works",
        f"10:01  001{' ' * 20}  PASS PASS PASS PASS PASS",
        f"{' ' * 32}PASS PASS PASS",
    ]
