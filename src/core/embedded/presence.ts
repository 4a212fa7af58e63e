import { randomBytes } from 'node:crypto'
import { mkdtemp, rename, rm, stat, symlink } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { EmbeddedDatabaseError, isSystemError } from './error.ts'

/**
 * A socket file on which a process listens. The kernel shows whether one still does, to every process on the machine
 * that can reach the file, independent of process ids, `/proc` and their namespaces; a killed process ends its
 * presence. It does not work between machines that share a file system (`host.ts`).
 */
export type Presence = {
  /** The descriptor, for a child that inherits it and stays present after this process is gone. */
  fd: number
  inode: number
  /** Ends this process's part of the presence; a file that was moved stays where it is. */
  end(): Promise<void>
}

/** `free`: certainly nothing listens. `none`: the file does not exist. Any other result is `held`. */
export type Holding = 'held' | 'free' | 'none'

/** Maximum bytes of a socket's path: the capacity of sockaddr_un without its closing zero. */
export const longestPathBytes = process.platform === 'linux' ? 107 : 103

/** Asks the kernel whether a process listens at the path. */
export async function askHolding(path: string): Promise<Holding> {
  return withShortPath(
    path,
    (short) =>
      new Promise((resolve) => {
        const socket = createConnection(short)
        const finish = (holding: Holding) => {
          socket.destroy()
          resolve(holding)
        }
        socket.on('connect', () => finish('held'))
        socket.on('error', (error: NodeJS.ErrnoException) => {
          finish(error.code === 'ECONNREFUSED' ? 'free' : error.code === 'ENOENT' ? 'none' : 'held')
        })
      }),
  )
}

/**
 * Begins a presence at the path, where no file may exist yet. All accounts may check it: root's commands and the
 * owner's see each other. Does not keep this process alive.
 */
export async function bePresent(path: string): Promise<Presence> {
  const server = createServer((socket) => socket.destroy())
  try {
    await withShortPath(path, (short) => listen(server, short))
  } catch (error) {
    throw isSystemError(error, 'EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL')
      ? new EmbeddedDatabaseError(
          `The file system of ${dirname(path)} does not support Unix sockets, which the database needs: choose a --data-dir on another file system (in a container: a named volume), or set DATABASE_URL`,
          { cause: error },
        )
      : error
  }
  server.unref()
  const { ino: inode } = await stat(path)
  return {
    // oxlint-disable-next-line no-underscore-dangle -- Node has no other name for the descriptor of a server.
    fd: (server as unknown as { _handle: { fd: number } })._handle.fd,
    inode,
    end: async () => {
      await new Promise((resolve) => server.close(resolve))
      // If the path was too long, its short link is gone by now.
      if ((await inodeOf(path)) === inode) await rm(path, { force: true })
    },
  }
}

/** Begins a presence in place of one that has ended. The caller holds the lock of the directory. */
export async function takePlace(path: string): Promise<Presence> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const presence = await bePresent(draft)
  await rename(draft, path)
  return presence
}

export async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino
}

async function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    // Exclusive, because a worker of a Node cluster would ask the primary process to listen.
    server.listen({ path, exclusive: true, readableAll: true, writableAll: true }, resolve)
  })
}

/** Provides a path to the same file that is short enough for a socket address, through a link if necessary. */
async function withShortPath<T>(path: string, work: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= longestPathBytes) return work(path)
  const way = await mkdtemp(join(tmpdir(), 'tillgate-'))
  try {
    await symlink(dirname(path), join(way, 'd'))
    return await work(join(way, 'd', basename(path)))
  } finally {
    await rm(way, { recursive: true, force: true })
  }
}
