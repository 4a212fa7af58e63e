import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../ports.ts'
import { wrongTime } from '../set-clock.ts'

const root = join(import.meta.dirname, '../../..')

const startWithinMs = 90_000

/** One `tillgate serve`, started as a user starts it. It keeps its port over restarts. */
export class Serving {
  readonly name: string
  readonly #args: readonly string[]
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined
  #output = ''
  url = ''

  constructor(name: string, args: readonly string[], env: Record<string, string>) {
    this.name = name
    this.#args = args
    this.#env = env
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Returns the end of the standard error of its processes. */
  get output(): string {
    return this.#output
  }

  /** Resolves when it serves requests. `clockS`: seconds by which its clock is ahead. */
  async start(clockS = 0): Promise<void> {
    const port = this.url === '' ? await freePort() : Number(new URL(this.url).port)
    const args = ['src/main.ts', 'serve', '--json', '--port', String(port), '--rate-limit', '0', ...this.#args]
    const inherited = Object.entries(process.env).filter(([name]) => !/^(DATABASE_URL$|TILLGATE_)/.test(name))
    const cache = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
    const env = { ...Object.fromEntries(inherited), ...cache, ...this.#env, ...wrongTime(clockS) }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let output = ''
    const keep = (chunk: Buffer) => (this.#output = (this.#output + String(chunk)).slice(-40_000))
    child.stderr?.on('data', keep)
    child.stdout?.on('data', (chunk: Buffer) => (output += String(chunk)))
    const deadline = performance.now() + startWithinMs
    while (!output.includes('\n')) {
      if (!this.isRunning)
        throw new Error(`${this.name} ended (${child.exitCode ?? child.signalCode}): ${this.#output}`)
      if (performance.now() > deadline) throw new Error(`${this.name} does not start: ${this.#output}`)
      await delay(20)
    }
    this.url = (JSON.parse(output) as { url: string | null }).url ?? `http://127.0.0.1:${port}`
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Stops it. Resolves to the exit code; null if it had to be killed. */
  async stop(): Promise<number | null> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), 30_000)
    await this.#end('SIGTERM')
    clearTimeout(timer)
    return this.#child?.exitCode ?? null
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal)
    while (this.isRunning) await delay(10)
  }
}
