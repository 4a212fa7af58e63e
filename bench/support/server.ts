import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'

const main = resolve(import.meta.dirname, '../../src/main.ts')

const run = promisify(execFile)

export type Server = {
  url: string
  pid: number
  dataDir: string
  /** Runs a command beside it and parses what `--json` prints. */
  cli(...args: string[]): Promise<any>
  stop(): Promise<void>
}

/** Starts `tillgate serve` on the embedded database of a directory, without rate limit. */
export async function startServer(dataDir: string, ...options: string[]): Promise<Server> {
  const args = [
    main,
    'serve',
    '--json',
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--log-level',
    'silent',
    '--data-dir',
    dataDir,
  ]
  const child = spawn(process.execPath, [...args, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { url, pid } = await firstLine(child)
  return {
    url,
    pid,
    dataDir,
    async cli(...command) {
      const { stdout } = await run(process.execPath, [main, ...command, '--json', '--data-dir', dataDir], {
        maxBuffer: 64 * 1024 * 1024,
      })
      return JSON.parse(stdout)
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function firstLine(child: ChildProcess): Promise<{ url: string; pid: number }> {
  const lines = createInterface({ input: child.stdout as Readable })
  for await (const line of lines) {
    lines.close()
    child.stdout?.resume()
    return JSON.parse(line) as { url: string; pid: number }
  }
  throw new Error(`serve ended with ${child.exitCode} before it listened`)
}

/** A data directory that goes away when the work is done. */
export async function withDirectory<T>(work: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'tillgate-bench-'))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

export type Site = { locationId: string; key: string }

export async function addSite(server: Server, name: string): Promise<Site> {
  const { id: locationId } = await server.cli('location', 'create', '--name', name)
  const { key } = await server.cli('key', 'create', '--location', locationId, '--scope', 'read,webhooks,ingest')
  return { locationId, key }
}

/** Pushes lines as one NDJSON body and returns how many were accepted. */
export async function push(server: Server, { key }: Site, lines: Iterable<string>): Promise<number> {
  const response = await fetch(`${server.url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(chunked(lines))) as ReadableStream,
    duplex: 'half',
  })
  const answer = (await response.json()) as { accepted: number; rejected: number; detail?: string }
  if (response.status !== 200)
    throw new Error(`ingest answered ${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
  return answer.accepted
}

function* chunked(lines: Iterable<string>): Generator<Buffer> {
  let part: string[] = []
  for (const line of lines) {
    if (part.push(line) < 100) continue
    yield Buffer.from(part.join(''))
    part = []
  }
  yield Buffer.from(part.join(''))
}
