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
# Its name is written into the file: one that says nothing of this machine.
cp "$here/launcher.cjs" "$work/launcher.cjs"
cat >"$work/sea.json" <<END
{
  "main": "launcher.cjs",
  "output": "$out/tillgate",
  "disableExperimentalSEAWarning": true,
  "assets": { "program": "program.zst" }
}
END
(cd "$work" && "$node" --build-sea sea.json)
chmod 755 "$out/tillgate"
