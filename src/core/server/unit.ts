import { existsSync } from 'node:fs'

const places = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system']

/** Returns the path of Tillgate's systemd unit, if one is installed on this machine. */
export function findUnit(): string | undefined {
  return places.map((place) => `${place}/tillgate.service`).find((path) => existsSync(path))
}
