import { existsSync } from 'node:fs'

const places = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system']

/** Finds a unit of systemd by which Tillgate runs on this machine. */
export function findUnit(): string | undefined {
  return places.map((place) => `${place}/tillgate.service`).find((path) => existsSync(path))
}
