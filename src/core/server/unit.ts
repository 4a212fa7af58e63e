import { existsSync } from 'node:fs'

const places = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system']

/** Finds the systemd unit that runs Tillgate on this machine. */
export function findUnit(): string | undefined {
  return places.map((place) => `${place}/tillgate.service`).find((path) => existsSync(path))
}
