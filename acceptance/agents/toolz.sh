# The builder of toolz.
. "${0%/*}/shared.sh"

case "$TIDEGATE_ISSUE" in
001) ruff format --isolated --no-cache --quiet toolz/functoolz.py ;;
002) fix --select UP toolz tlz ;;
003) fix --select I toolz tlz ;;
004) fix --unsafe-fixes --select C4 toolz tlz ;;
005) fix --select RET505 toolz tlz ;;
006) fix --select Q000 setup.py ;;
007) sed -i 's/^See the PyToolz documentation.*/&\n\nIt needs Python 3.8 or newer, and nothing else./' README.rst ;;
008) echo 'include AUTHORS.md README.rst' >>MANIFEST.in ;;
010) # it forgets the old name, and takes it from the words of the finding
    case "$TIDEGATE_ROUND" in
    1) sed -i 's/^def countby(/def count_by(/' toolz/recipes.py ;;
    *)
        old=$(sed -n "s/.*has no attribute '\([a-z]*\)'.*/\1/p" "$TIDEGATE_FINDING" | head -n 1)
        printf '\n\n%s = count_by\n' "$old" >>toolz/recipes.py
        ;;
    esac ;;
*) unknown ;;
esac

# One commits by itself, the others leave it to Tidegate: both have to arrive.
report
if [ "$TIDEGATE_ISSUE" = 001 ]; then git commit --quiet --all --message 'Format functoolz.py'; fi
