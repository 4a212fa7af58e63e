import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { CliError } from './errors.ts'

export type ListenAddress = Pick<Config, 'host' | 'port'>

/** Explains why a server cannot listen at its address; returns any other error unchanged. */
export function listenFault(error: unknown, { host, port }: ListenAddress): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new CliError(
      'port_in_use',
      `port ${port} of ${host} is in use: stop the other program, or choose another --port`,
    )
  }
  if (code === 'EACCES')
    return new CliError('port_forbidden', `this user cannot listen on port ${port}: choose a port above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CliError('host_unknown', `${host} is not an address of this machine: see --host`)
  }
  return error
}

/**
 * Listens for a moment and stops, so that an unusable address is reported before the server's data is prepared, which
 * can take a while. Throws the error that `listenFault` returns.
 */
export async function tryToListen(place: ListenAddress): Promise<void> {
  const server = createServer()
  try {
    server.listen({ host: place.host, port: place.port })
    await once(server, 'listening')
  } catch (error) {
    throw listenFault(error, place)
  }
  server.close()
  await once(server, 'close')
}
