#!/bin/sh
# boot.sh FOLDER: boots this machine's systemd in its own namespaces, on an overlay of its files: writes go to memory and
# to FOLDER (/run/given inside). HIDEPID=2 mounts /proc so that accounts do not see each other's processes.
set -eu
if [ "$1" != --inside ]; then
  folder=$1
  group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/$(basename "$folder")
  mkdir -p "$group"
  echo $$ >"$group/cgroup.procs"
  exec unshare --pid --fork --kill-child --mount --ipc --uts --cgroup "$0" --inside "$folder"
fi
folder=$2
root=$folder/root
mount --make-rprivate /
mkdir -p "$root" "$folder/layer"
mount -t tmpfs layer "$folder/layer"
mkdir "$folder/layer/upper" "$folder/layer/work"
mount -t overlay -o "lowerdir=/,upperdir=$folder/layer/upper,workdir=$folder/layer/work" root "$root"
# Large directories are on the disk.
for part in usr/lib/tillgate var/lib/tillgate var/backups; do
  mkdir -p "$root/$part" "$folder/parts/$part"
  mount --bind "$folder/parts/$part" "$root/$part"
done
mount -t proc -o "hidepid=${HIDEPID:-0}" proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mkdir "$root/run/given"
mount --bind "$folder" "$root/run/given"
# Disables the machine's own services, and those that would change its kernel.
rm -f "$root"/etc/systemd/system/*.wants/* "$root/usr/sbin/policy-rc.d"
for unit in systemd-udevd systemd-udev-trigger systemd-sysctl systemd-modules-load systemd-logind console-getty; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done
ln -sf /dev/null "$root/etc/systemd/system/getty.target"
hostname tillgate-test
cd "$root"
mkdir -p old
pivot_root . old
umount -l /old
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=tillgate-test /lib/systemd/systemd --unit=multi-user.target --show-status=no
