#!/bin/sh
# build.sh [OUT]: builds OUT/tillgate (dist-packages), a single executable with Node, PostgreSQL and the program (node
# --build-sea). Requires npm and strip. PACKAGE is an existing npm package to use; by default, npm pack builds one.
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
# node --build-sea requires a marker that a stripped Node lacks.
mv "$lib/node" "$node"
"$node" "$here/pack.mjs" "$lib" "$work/program.zst"
# The path of the launcher is written into the executable: a relative one does not depend on this machine.
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
