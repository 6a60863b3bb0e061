# The adjudicator: it builds what says what is to be so afterwards, and refuses what does not.
set -eu
case "$TIDEGATE_ISSUE" in
009)
    printf '%s\n' 'VERDICT: REFUSE' 'KIND: unstated' 'REASON: nobody says how fast is fast enough'
    ;;
*) printf '%s\n' 'VERDICT: BUILD' ;;
esac >"$TIDEGATE_REPORT"
