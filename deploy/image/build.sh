#!/bin/sh
# build.sh [OUT]: builds tillgate-image.tar, an OCI archive, in OUT (dist-packages), without a container engine or base
# image: it has only Debian packages, Node and the program. Requires root, mmdebstrap, buildah and npm. PACKAGE is an
# existing npm package to use, ROOT a directory that keeps the files of the image, SOURCE_DATE_EPOCH the time of the
# files.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$top/dist-packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${ROOT:-$work/root}
suite=${SUITE:-bookworm}
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$top/package.json")
if [ -z "${PACKAGE:-}" ]; then
  (cd "$top" && npm pack --silent --pack-destination "$work" >/dev/null)
  PACKAGE=$(ls "$work"/tillgate-*.tgz)
fi
# dash, because initdb starts postgres by /bin/sh. Packages are extracted but not configured, since the image has no
# apt.
mmdebstrap --quiet --variant=extract --include=base-files,ca-certificates,dash,libatomic1,libc6,libgcc-s1,libstdc++6,netbase,tzdata "$suite" "$root"
ln -sf dash "$root/bin/sh"
rm -rf "$root"/var/lib/apt "$root"/var/cache/apt "$root"/var/lib/dpkg "$root"/usr/share/man "$root"/usr/share/locale "$root"/usr/share/info "$root"/usr/share/lintian
find "$root/usr/share/doc" -type f ! -name copyright -delete
# The file that configuring ca-certificates would create.
mkdir -p "$root/etc/ssl/certs"
cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/:/usr/sbin/nologin\ntillgate:x:65532:65532:Tillgate:/var/lib/tillgate:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\ntillgate:x:65532:\n' >"$root/etc/group"
"$top/deploy/stage.sh" "$PACKAGE" "$root"
ln -sf /usr/lib/tillgate/node "$root/usr/bin/node"
install -d -o 65532 -g 65532 -m 0700 "$root/var/lib/tillgate"
chmod 1777 "$root/tmp"

export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
storage="--root $work/storage --runroot $work/run"
container=$(buildah $storage from scratch)
# buildah copy would make root the owner of all files, also of the data directory.
mounted=$(buildah $storage mount "$container")
cp -a "$root/." "$mounted/"
buildah $storage umount "$container" >/dev/null
buildah $storage config --user 65532:65532 --workingdir /var/lib/tillgate --entrypoint '["/usr/bin/tillgate"]' --cmd serve \
  --port 4747 --port 4748 --volume /var/lib/tillgate --env NODE_ENV=production --env TILLGATE_DATA_DIR=/var/lib/tillgate \
  --env TILLGATE_HOST=0.0.0.0 --env TILLGATE_OPERATIONS_ADDRESS=0.0.0.0:4748 \
  --label org.opencontainers.image.title=tillgate --label "org.opencontainers.image.version=$version" "$container"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(date +%s)}"
buildah $storage commit --quiet --timestamp "$SOURCE_DATE_EPOCH" "$container" "tillgate:$version" >/dev/null
buildah $storage push --quiet "tillgate:$version" "oci:$work/oci:tillgate:$version"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$work/oci" -cf "$out/tillgate-image.tar" .
