import { execFile, type ChildProcess } from 'node:child_process'
import { spawnChild } from './children.ts'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
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
  /** Runs a command on the same database and parses the output of `--json`. */
  cli(...args: string[]): Promise<any>
  stop(): Promise<void>
}

export type ServerOptions = {
  args?: readonly string[]
  /** Replaces the embedded database of the directory. */
  databaseUrl?: string
  /** Replaces the sources: the output of `npm run build`, or the sources of another checkout. */
  program?: string
  /** A module that Node loads before the program. */
  preload?: string
  /** Directory where the server writes a CPU profile when it ends. */
  profile?: string | undefined
  /** Settings in addition to those of this process. */
  env?: Record<string, string>
}

const quiet = ['--json', '--port', '0', '--rate-limit', '0', '--log-level', 'silent']

/** Starts `tillgate serve` on the embedded database of a directory, without a rate limit. */
export async function startServer(dataDir: string, options: ServerOptions = {}): Promise<Server> {
  const { args = [], databaseUrl, program = main, preload, profile } = options
  const profiled = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`, '--cpu-prof-interval=500']
  const place = databaseUrl === undefined ? ['--data-dir', dataDir] : []
  const env = { ...process.env, DATABASE_URL: databaseUrl ?? '', ...options.env }
  const child = spawnChild(
    process.execPath,
    [
      ...profiled,
      ...(preload === undefined ? [] : ['--import', preload]),
      program,
      'serve',
      ...quiet,
      ...place,
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env },
  )
  const { url, pid } = await firstLine(child)
  return {
    url,
    pid,
    dataDir,
    async cli(...command) {
      const { stdout } = await run(process.execPath, [program, ...command, '--json', ...place], {
        maxBuffer: 64 * 1024 * 1024,
        env,
      })
      return JSON.parse(stdout)
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

export async function firstLine(child: ChildProcess): Promise<{ url: string; pid: number }> {
  const lines = createInterface({ input: child.stdout as Readable })
  for await (const line of lines) {
    lines.close()
    child.stdout?.resume()
    return JSON.parse(line) as { url: string; pid: number }
  }
  throw new Error(`serve ended with ${child.exitCode} before it listened`)
}

/** Calls a function with a directory, which is removed afterwards. */
export async function withDirectory<T>(work: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'tillgate-bench-'))
  try {
    // Started by root, PostgreSQL runs as another user, who needs access to the directory.
    await chmod(path, 0o711)
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** Runs the work, then calls the collected clean-up functions, the last one first, whatever happened. */
export async function withCleanup<T>(work: (later: (end: () => Promise<unknown>) => void) => Promise<T>): Promise<T> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    return await work((end) => ends.push(end))
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

export type Site = { locationId: string; key: string }

export async function addSite(server: Server, name: string): Promise<Site> {
  const { id: locationId } = await server.cli('location', 'create', '--name', name)
  const { key } = await server.cli('key', 'create', '--location', locationId, '--scope', 'read,webhooks,ingest')
  return { locationId, key }
}

/** Sends a request as the site and parses the response; throws for any status other than success. */
export async function ask<T>({ url }: Server, { key }: Site, path: string, body?: object): Promise<T> {
  const response = await fetch(url + path, {
    headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as T
}

/** Sends a DELETE as the site; throws for any status other than success. */
export async function remove({ url }: Server, { key }: Site, path: string): Promise<void> {
  const response = await fetch(url + path, { method: 'DELETE', headers: { 'x-api-key': key } })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

/** Pushes lines as one NDJSON body and returns how many were accepted; throws if one was not. */
export async function push({ url }: Server, { key }: Site, lines: Iterable<string>): Promise<number> {
  const response = await fetch(`${url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(chunked(lines))) as ReadableStream,
    duplex: 'half',
  })
  const { results, ...answer } = (await response.json()) as { accepted: number; results?: { status: string }[] }
  if (response.status !== 200) {
    const refused = { ...answer, results: results?.filter(({ status }) => status === 'rejected').slice(0, 3) }
    throw new Error(`ingest answered ${response.status}: ${JSON.stringify(refused).slice(0, 1_000)}`)
  }
  return answer.accepted
}

/** Yields lines in pieces of about 64 kB, as a file is read. */
function* chunked(lines: Iterable<string>): Generator<Buffer> {
  let part = ''
  for (const line of lines) {
    part += line
    if (part.length < 65_536) continue
    yield Buffer.from(part)
    part = ''
  }
  if (part !== '') yield Buffer.from(part)
}
