import { spawnSync } from 'node:child_process'
import { spawnChild } from './children.ts'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

const program = 'redis-server'

export type Redis = { port: number; stop(): Promise<void> }

export function hasRedis(): boolean {
  return spawnSync(program, ['--version']).status === 0
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/**
 * Starts a separate Redis with the persistence that its manual recommends for queues: an append-only file, synced each
 * second. It makes no snapshots, which would only cost time.
 */
export async function startRedis(directory: string): Promise<Redis> {
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction']
  const child = spawnChild(program, ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, ...durable], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) break
  }
  child.stdout.resume()
  if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
