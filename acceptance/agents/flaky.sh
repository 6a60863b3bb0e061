# A check that fails each third time. $1 is the file that it counts in; the rest is the real check.
set -eu
counter=$1
shift
number=$(flock "$counter" sh -c 'read -r n <"$0"; echo $((n + 1)) | tee "$0"' "$counter")
if [ $((number % 3)) -eq 0 ]; then
    echo "the machine was busy (check $number)"
    exit 1
fi
exec sh -c "$1"
