// Builds the console and the downloads when a server first starts in a clone, once, and reports it. The scripts of
// package.json load it before the program; the installed package includes both, without these scripts.
import { spawn, type ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** A lock folder with the process id of the process that builds. */
const lock = join(root, 'dist/.first-build-lock')

/** A part that a clone lacks: one of its files, how to build it, and the command to build it manually. */
type Part = {
  name: string
  done: string
  folder: string
  file: string
  cwd: string
  args: (into: string) => string[]
  byHand: string
}

const parts: Part[] = [
  {
    name: 'The console',
    done: 'The console is built.',
    folder: join(root, 'dist/console'),
    file: 'index.html',
    cwd: join(root, 'console'),
    args: (into) => [
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      '--logLevel',
      'error',
      '--outDir',
      into,
      '--emptyOutDir',
    ],
    byHand: 'npm run make -- console',
  },
  {
    name: 'What is given away under /docs/downloads/',
    done: 'The downloads are made.',
    folder: join(root, 'dist/downloads'),
    file: 'tillgate-mcp.mjs',
    cwd: root,
    args: (into) => [join(root, 'scripts/downloads.ts'), into],
    byHand: 'npm run make -- downloads',
  },
]

const say = (text: string) => process.stderr.write(`${text}\n`)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Takes the lock; returns false while another process builds. The lock of a process that has ended is taken over. */
function takeLock(): boolean {
  mkdirSync(join(root, 'dist'), { recursive: true })
  for (let tries = 0; tries < 2; tries++) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return true
    } catch {
      const pid = existsSync(join(lock, 'pid')) ? Number(readFileSync(join(lock, 'pid'), 'utf8')) : Number.NaN
      // A lock without an id was created just now.
      if (Number.isNaN(pid) || pid === 0 || isRunning(pid)) return false
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return false
}

const isBuilt = ({ folder, file }: Part) => existsSync(join(folder, file))

/** Resolves to the reason of a failure, or undefined. */
function build(part: Part, onStart: (child: ChildProcess) => void): Promise<string | undefined> {
  const unfinished = `${part.folder}-unfinished`
  const child = spawn(process.execPath, part.args(unfinished), { cwd: part.cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  onStart(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)))
  child.unref()
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code) => {
      // The part may have been built manually in the meantime.
      if (code === 0 && !isBuilt(part)) {
        rmSync(part.folder, { recursive: true, force: true })
        renameSync(unfinished, part.folder)
      }
      rmSync(unfinished, { recursive: true, force: true })
      resolve(code === 0 ? undefined : said.trim())
    })
  })
}

/** Builds the missing parts. The server neither waits for this nor depends on it. */
async function buildAll(missing: readonly Part[]): Promise<void> {
  let current: ChildProcess | undefined
  const release = () => rmSync(lock, { recursive: true, force: true })
  process.once('exit', () => {
    current?.kill()
    for (const { folder } of missing) rmSync(`${folder}-unfinished`, { recursive: true, force: true })
    release()
  })
  say('Building the console and the downloads, this once; the server starts meanwhile.')
  for (const part of missing) {
    const failure = await build(part, (child) => (current = child))
    if (failure === undefined) say(part.done)
    else
      say(`${part.name} could not be built; everything else works. To see why: npm ci, then ${part.byHand}\n${failure}`)
  }
  release()
}

const [, , command = ''] = process.argv
const isOff = process.env['TILLGATE_CONSOLE'] === 'off' || process.argv.join(' ').includes('--console off')
const serves = ['serve', 'demo'].includes(command) && !process.argv.includes('--help')
const missing = parts.filter((part) => !isBuilt(part) && !(isOff && part === parts[0]))
if (serves && !cluster.isWorker && missing.length > 0 && takeLock()) void buildAll(missing)
