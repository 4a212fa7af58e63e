#!/bin/sh
# build.sh [OUT]: makes OUT/tillgate (dist-packages), one file with Node, PostgreSQL and the program, by Node's own builder.
# Needs npm and strip; PACKAGE takes the place of what npm pack makes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${1:-$top/dist-packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${PACKAGE:-}" ]; then
  (cd "$top" && npm pack --silent --pack-destination "$work" >/dev/null)
  PACKAGE=$(ls "$work"/tillgate-*.tgz)
fi
"$top/deploy/stage.sh" "$PACKAGE" "$work/root"
lib=$work/root/usr/lib/tillgate
node=$work/node
# The builder looks for a mark that a stripped Node still has.
mv "$lib/node" "$node"
"$node" "$here/pack.mjs" "$lib" "$work/program.zst"
cat >"$work/sea.json" <<END
{
  "main": "$here/launcher.cjs",
  "output": "$out/tillgate",
  "disableExperimentalSEAWarning": true,
  "assets": { "program": "$work/program.zst" }
}
END
"$node" --build-sea "$work/sea.json"
chmod 755 "$out/tillgate"
