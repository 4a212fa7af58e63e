import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The address of `serve --sample`, and a key for all its data. */
export type Sample = { url: string; key: string }

/** Starts the server of this clone with its sample, in a directory of its own, and stops it after `use`. */
export async function withSample(use: (sample: Sample) => void | Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'tillgate-sample-'))
  const options = ['--port', '0', '--operations-address', 'off', '--log-level', 'warn', '--data-dir', data]
  const server = spawn(process.execPath, ['src/main.ts', 'serve', '--sample', '--json', ...options], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
    await use(JSON.parse(line) as Sample)
  } finally {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
    rmSync(data, { recursive: true, force: true })
  }
}
