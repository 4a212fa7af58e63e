#!/bin/sh
# build.sh [OUT]: builds tillgate_<version>_<arch>.deb with its own Node and PostgreSQL in OUT (dist-packages). Requires
# dpkg-deb, strip and npm. VERSION overrides the version in package.json. PACKAGE is an existing npm package to use; by
# default, npm pack builds one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${1:-$top/dist-packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=${VERSION:-$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$top/package.json")}
arch=$(dpkg --print-architecture)
if [ -z "${PACKAGE:-}" ]; then
  (cd "$top" && npm pack --silent --pack-destination "$work" >/dev/null)
  PACKAGE=$(ls "$work"/tillgate-*.tgz)
fi
root=$work/root
"$top/deploy/stage.sh" "$PACKAGE" "$root"
# The manual goes to Debian's usual folder, where the server also looks for it.
program=$root/usr/lib/tillgate/node_modules/tillgate
install -d "$root/usr/share/doc/tillgate" "$root/usr/share/man/man1" "$root/usr/lib/systemd/system" "$root/usr/share/lintian/overrides" "$root/etc/tillgate"
# Commands use the settings and the account of the service.
cat >"$root/usr/lib/tillgate/service.json" <<'END'
{ "environment": "/etc/tillgate/tillgate.env", "account": "tillgate", "dataDir": "/var/lib/tillgate" }
END
sed -i '2i export TILLGATE_SERVICE=/usr/lib/tillgate/service.json' "$root/usr/bin/tillgate"
chmod 644 "$root/usr/lib/tillgate/service.json"
install -m 644 "$here/copyright" "$root/usr/share/doc/tillgate/copyright"
sed "s/@VERSION@/$version/; s/@DATE@/$(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")/" "$here/changelog" | gzip -9n >"$root/usr/share/doc/tillgate/changelog.gz"
install -m 644 "$program/docs/operate/operations.md" "$program/docs/operate/database.md" "$program/docs/operate/backup.md" "$root/usr/share/doc/tillgate/"
gzip -9nc "$here/tillgate.1" >"$root/usr/share/man/man1/tillgate.1.gz"
install -m 644 "$top"/deploy/systemd/*.service "$top"/deploy/systemd/*.socket "$top"/deploy/systemd/*.timer "$root/usr/lib/systemd/system/"
# Files for Prometheus and Grafana.
install -d "$root/usr/share/tillgate/prometheus" "$root/usr/share/tillgate/grafana"
install -m 644 "$program"/deploy/prometheus/rules.yml "$program"/deploy/prometheus/scrape.yml "$root/usr/share/tillgate/prometheus/"
install -m 644 "$program"/deploy/grafana/tillgate.json "$root/usr/share/tillgate/grafana/"
rm -rf "$program/deploy"
install -m 644 "$here/lintian-overrides" "$root/usr/share/lintian/overrides/tillgate"
sed 's/^\([A-Z]\)/#\1/' "$program/.env.example" >"$root/etc/tillgate/tillgate.env"

install -d "$root/DEBIAN"
echo /etc/tillgate/tillgate.env >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$root/DEBIAN/$script"; done
# Calculated like dpkg-gencontrol does, so the size does not depend on the file system.
size=$(find "$root" -path "$root/DEBIAN" -prune -o -printf '%y %s\n' | awk '{ n += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print n }')
sed "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/" "$here/control" >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
chmod 644 "$root/DEBIAN/md5sums" "$root/DEBIAN/control" "$root/DEBIAN/conffiles"
dpkg-deb --root-owner-group -Zxz -z2 --build "$root" "$out/tillgate_${version}_$arch.deb"
