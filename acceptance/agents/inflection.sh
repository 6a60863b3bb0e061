# The builder of inflection.
. "${0%/*}/shared.sh"

case "$TIDEGATE_ISSUE" in
001) fix --unsafe-fixes --select UP inflection ;;
002) fix --select RET505 inflection ;;
003) fix --select Q000 setup.py ;;
004) fix --select E401 docs/conf.py ;;
005) # the tests say otherwise, whatever else it tries
    case "$TIDEGATE_ROUND" in
    1) sed -i "s/^_irregular(.person., .people.)/_irregular('person', 'persons')/" inflection/__init__.py ;;
    2) sed -i "s/^_irregular(.man., .men.)/_irregular('man', 'mans')/" inflection/__init__.py ;;
    *) sed -i "/^_irregular(.child./d" inflection/__init__.py ;;
    esac ;;
006) # whole, and no pointer: else there is nothing to add to
    grep --quiet 'box boxes' corpus.txt
    echo 'tidegate tidegates' >>corpus.txt ;;
007)
    grep --quiet 'person people' words/irregular.txt
    echo 'sheep sheep' >>words/irregular.txt
    git -C words commit --quiet --all --message 'Add the sheep' ;;
008) echo 'include corpus.txt' >>MANIFEST.in ;;
009) printf '\nIt needs Python 3.5 or newer, and nothing else.\n' >>README.rst ;;
010) fix --select D212 inflection ;;
*) unknown ;;
esac
report
