/** The file descriptors of sockets that already listen, passed on by the process that started this one. */
export type HandedSockets = { api?: number; operations?: number }

/** The first inherited descriptor (sd_listen_fds(3)). */
const firstFd = 3

/**
 * Reads the sockets from systemd (`LISTEN_PID`, `LISTEN_FDS`, `LISTEN_FDNAMES`): a socket named `operations` is for
 * probes and metrics, the first other socket is for the API. Empty if the sockets are for another process.
 */
export function readHandedSockets(env: NodeJS.ProcessEnv, pid: number): HandedSockets {
  const count = Number(env['LISTEN_FDS'] ?? 0)
  if (Number(env['LISTEN_PID']) !== pid || !Number.isInteger(count) || count < 1) return {}
  const names = (env['LISTEN_FDNAMES'] ?? '').split(':')
  const handed = Array.from({ length: count }, (_, i) => ({ fd: firstFd + i, name: names[i] }))
  const api = handed.find(({ name }) => name !== 'operations')
  const operations = handed.find(({ name }) => name === 'operations')
  return { ...(api && { api: api.fd }), ...(operations && { operations: operations.fd }) }
}
