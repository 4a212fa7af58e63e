import { readFileSync, readlinkSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { EmbeddedDatabaseError } from './error.ts'
import { findText, writePrivateFile } from './files.ts'

/**
 * Where a server was started: `boot` is the running kernel, `processes` the namespace in which process ids are valid.
 * Both are empty if the system has none.
 */
export type Host = { name: string; boot: string; processes: string }

function thisHost(): Host {
  return {
    name: hostname(),
    boot: read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    processes: read(() => readlinkSync('/proc/self/ns/pid')),
  }
}

function read(find: () => string): string {
  try {
    return find()
  } catch {
    return ''
  }
}

/** Records that a server of this host is about to start on the cluster of `home`. */
export async function keepHost(home: string): Promise<void> {
  const { name, boot, processes } = thisHost()
  await writePrivateFile(hostPath(home), `${name}\n${boot}\n${processes}\n`)
}

/** Finds the host of the running server, or of the last server if that did not stop properly. */
export async function findHost(home: string): Promise<Host | undefined> {
  const text = await findText(hostPath(home)).catch(() => undefined)
  if (text === undefined) return undefined
  const [name = '', boot = '', processes = ''] = text.split('\n')
  return { name, boot, processes }
}

export async function forgetHost(home: string): Promise<void> {
  await rm(hostPath(home), { force: true })
}

/** Returns whether process ids recorded by that host identify processes here. */
export function sharesProcesses(host: Host): boolean {
  const here = thisHost()
  return host.boot === here.boot && host.processes === here.processes
}

/**
 * Refuses a home on a network file system if a server on another machine did not shut down properly: this kernel cannot
 * tell whether it still runs. On a local file system, no server from before the last boot still runs.
 */
export async function refuseOtherHost(home: string, isNetworkFile: (path: string) => Promise<boolean>): Promise<void> {
  const host = await findHost(home)
  const here = thisHost()
  if (host === undefined || host.boot === here.boot || host.name === here.name || !(await isNetworkFile(home))) return
  throw new EmbeddedDatabaseError(
    `The database in ${home} was started on the machine ${host.name} and may still run there: no shutdown is recorded, and the machine ${here.name} cannot check. ` +
      `Stop the database on ${host.name} or, if that machine no longer exists, delete ${hostPath(home)}. Nothing was changed`,
  )
}

/** Network file systems by the type in `statfs`, from linux/magic.h and the file systems' own headers. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
])

export async function isOnNetwork(path: string): Promise<boolean> {
  return networkFileSystems.has((await statfs(path)).type >>> 0)
}

const hostPath = (home: string): string => join(home, 'postgres.host')
