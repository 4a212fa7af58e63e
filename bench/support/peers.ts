import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const peers = resolve(import.meta.dirname, '../peers')

/** Returns the path of a contestant's program; undefined if its packages are not installed. */
export function findPeer(folder: string, file: string, needs: string): string | undefined {
  return existsSync(resolve(peers, folder, 'node_modules', needs)) ? resolve(peers, folder, file) : undefined
}

export function peerPath(folder: string, file: string): string {
  return resolve(peers, folder, file)
}

/** Returns the message for a contestant that `findPeer` does not find. */
export function leftOut(name: string, folder: string): string {
  return `${name} is left out: npm ci --prefix bench/peers/${folder} installs it`
}
