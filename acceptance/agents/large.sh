# A filter for large files, as git-lfs is one: git has a pointer, a store beside it has the content.
# What this repository's store lacks is taken from that of the one that it was cloned from.
set -eu
common=$(git rev-parse --git-common-dir)
store=$(git config lfs.storage || echo "$common/lfs")
content() { echo "$1/objects/$(echo "$2" | cut -c 1-2)/$(echo "$2" | cut -c 3-4)/$2"; }

case "$1" in
clean)
    mkdir -p "$store/tmp"
    held=$(mktemp "$store/tmp/XXXXXX")
    cat >"$held"
    if head -n 1 "$held" | grep --quiet '^version https://git-lfs'; then cat "$held"; rm "$held"; exit 0; fi
    digest=$(sha256sum "$held" | cut -d ' ' -f 1)
    size=$(wc -c <"$held")
    place=$(content "$store" "$digest")
    mkdir -p "${place%/*}"
    mv "$held" "$place"
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' "$digest" "$size"
    ;;
smudge)
    pointer=$(cat)
    digest=$(echo "$pointer" | sed -n 's/^oid sha256://p')
    from=$(git config remote.origin.url || echo none)
    for each in "$store" "$from/.git/lfs"; do
        place=$(content "$each" "$digest")
        if [ -n "$digest" ] && [ -f "$place" ]; then cat "$place"; exit 0; fi
    done
    echo "$pointer"
    ;;
esac
