// Builds the console beside the server at its first start in a clone, once, and says so. The scripts of package.json load it
// before the program; the installed package has the console in it, and none of these scripts.
import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/console')
/** Whoever makes this folder builds; it has his process id. */
const lock = join(root, 'dist/.console-lock')
const unfinished = join(root, 'dist/.console-unfinished')
const byHand = 'npm run console:build'

const say = (text: string) => process.stderr.write(`${text}\n`)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** False while another process builds; the lock of one that is gone is taken over. */
function takeLock(): boolean {
  mkdirSync(join(root, 'dist'), { recursive: true })
  for (let tries = 0; tries < 2; tries++) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return true
    } catch {
      const pid = existsSync(join(lock, 'pid')) ? Number(readFileSync(join(lock, 'pid'), 'utf8')) : Number.NaN
      // Without an id it was made at this moment.
      if (Number.isNaN(pid) || pid === 0 || isRunning(pid)) return false
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return false
}

/** The server goes on whatever becomes of it, and does not wait for it to end. */
function build(): void {
  say('Building the console, this once; the server starts meanwhile.')
  const args = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error', '--outDir', unfinished]
  const child = spawn(process.execPath, [...args, '--emptyOutDir'], {
    cwd: join(root, 'console'),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)))
  const release = () => {
    rmSync(unfinished, { recursive: true, force: true })
    rmSync(lock, { recursive: true, force: true })
  }
  const fail = (why: string) => {
    release()
    say(`The console could not be built; everything else works. To see why: npm ci, then ${byHand}\n${why.trim()}`)
  }
  child.once('error', ({ message }) => fail(message))
  child.once('close', (code) => {
    if (code !== 0) return fail(said)
    // Somebody may have built it by hand meanwhile.
    if (!existsSync(join(built, 'index.html'))) {
      rmSync(built, { recursive: true, force: true })
      renameSync(unfinished, built)
    }
    release()
    say('The console is built.')
  })
  child.unref()
  process.once('exit', () => {
    child.kill()
    release()
  })
}

const [, , command = ''] = process.argv
const isOff = process.env['TILLGATE_CONSOLE'] === 'off' || process.argv.join(' ').includes('--console off')
const serves = ['serve', 'demo'].includes(command) && !process.argv.includes('--help')
if (serves && !isOff && !cluster.isWorker && !existsSync(join(built, 'index.html')) && takeLock()) build()
