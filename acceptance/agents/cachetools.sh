# The builder of cachetools.
. "${0%/*}/shared.sh"

case "$TIDEGATE_ISSUE" in
001) sed -i '1s/Key functions/Functions that make keys/' src/cachetools/keys.py ;;
002) sed -i '1s/memoizing decorators/decorators that memoize/' src/cachetools/keys.py ;;
003)
    case "$TIDEGATE_ROUND" in
    1) # a louder warning, and a test that does not look at it any more
        sed -i 's/"@mru_cache is deprecated", DeprecationWarning/"use lru_cache", FutureWarning/' src/cachetools/func.py
        sed -i '/assertIs(w\[0\].category, DeprecationWarning)/d' tests/test_func.py
        ;;
    *) # the test is as it was, the category too, and what is new has a test of its own
        finding_has tests/test_func.py
        git checkout --quiet "$base" -- tests/test_func.py
        sed -i 's/"use lru_cache", FutureWarning/"deprecated: use lru_cache", DeprecationWarning/' src/cachetools/func.py
        printf '%s\n' 'import pytest' '' 'from cachetools.func import mru_cache' '' '' \
            'def test_the_warning_names_what_to_use():' \
            '    with pytest.warns(DeprecationWarning, match="use lru_cache"):' \
            '        mru_cache(maxsize=2)' >tests/test_mru_said.py
        ;;
    esac ;;
004) # it changes the README too, which nobody allowed, and takes it back
    case "$TIDEGATE_ROUND" in
    1)
        sed -i '3i This is the documentation of version 5.5.\n' docs/index.rst README.rst
        ;;
    *)
        finding_has README.rst
        git checkout --quiet "$base" -- README.rst
        ;;
    esac ;;
005) fix --select RET505 src/cachetools/__init__.py ;;
006) fix --unsafe-fixes --select C408 src ;;
007) fix --unsafe-fixes --select RUF023 src/cachetools/__init__.py ;;
008) fix --unsafe-fixes --select PT009 tests ;;
009) fix --select I tests ;;
010) printf '\nIt depends on nothing but Python.\n' >>README.rst ;;
*) unknown ;;
esac
report
