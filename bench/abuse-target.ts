import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Server, Site } from './support/server.ts'

/** An attack: one from the security review, which gives its number, or one that was tried later. */
export type Attack = {
  name: string
  /** Preparations before the measurement. */
  prepare?: (target: Target) => Promise<void>
  run: (target: Target) => Promise<void>
}

/**
 * `until` is aborted when the attack has lasted long enough; `later` takes functions that close the attacker's own
 * servers.
 */
export type Target = {
  server: Server
  attacker: Site
  until: AbortSignal
  later: (end: () => Promise<unknown>) => void
}

/** Opens a connection and sends bytes; responses are read and discarded unless `reads` is false. */
export function open({ server }: Target, head: string, reads = true): Socket {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  if (reads) socket.resume()
  else socket.pause()
  socket.write(head)
  return socket
}

/** Returns the head of a request with a body. */
export const post = (key: string, path: string, fields: string) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n${fields}\r\n\r\n`

/** Sends one body repeatedly, several in parallel, until the time is up. */
export async function repeat(target: Target, path: string, headers: Record<string, string>, body: Buffer | string) {
  const { server, attacker, until } = target
  const one = async () => {
    while (!until.aborted) {
      const request = { method: 'POST', headers: { 'x-api-key': attacker.key, ...headers }, body, signal: until }
      await fetch(server.url + path, request)
        .then((answer) => answer.arrayBuffer())
        .catch(() => delay(20))
    }
  }
  await Promise.all(Array.from({ length: 4 }, one))
}

/** Holds this many connections open until the time is up; a connection closed by the server is replaced. */
export async function hold({ until }: Target, count: number, begin: () => Socket): Promise<void> {
  const one = async () => {
    while (!until.aborted) {
      const socket = begin()
      await once(socket, 'close', { signal: until }).catch(() => socket.destroy())
    }
  }
  await Promise.all(Array.from({ length: count }, one))
}

/** Sends a request as the attacker. Resolves to an empty object if it fails. */
export async function request<T>(
  { server, attacker, until }: Target,
  path: string,
  body?: object,
): Promise<Partial<T>> {
  const headers = { 'x-api-key': attacker.key, ...(body && { 'content-type': 'application/json' }) }
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  try {
    return (await (await fetch(server.url + path, { headers, signal: until, ...sent })).json()) as T
  } catch {
    return {}
  }
}
