import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable, Writable } from 'node:stream'

/** The parts of `process` that each command in this process has for itself. */
type Own = { env: NodeJS.ProcessEnv; exitCode: number | undefined; stdin: Readable; stdout: Writable; stderr: Writable }

const { process } = globalThis
const processes = new AsyncLocalStorage<NodeJS.Process>()

/** Returns the object that a command sees as `process`. */
function processWith(own: Own): NodeJS.Process {
  return new Proxy(process, {
    get: (_, name) => {
      const value = Reflect.get(name in own ? own : process, name)
      return typeof value === 'function' ? value.bind(process) : value
    },
    set: (_, name, value) => Reflect.set(name in own ? own : process, name, value),
  })
}

function collect(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      done()
    },
  })
}

let program: Promise<(args: readonly string[]) => Promise<number>> | undefined

async function loadProgram() {
  Object.defineProperty(globalThis, 'process', { configurable: true, get: () => processes.getStore() ?? process })
  const [{ runProgram }, { commandGroups }, { modules }] = await Promise.all([
    import('../../src/core/cli/terminal/program.ts'),
    import('../../src/core/cli/commands.ts'),
    import('../../src/core/modules.ts'),
  ])
  return (args: readonly string[]) => runProgram(args, commandGroups(modules()))
}

/** Runs a command in this process, as `main.ts` does in its own, which saves the start of a process. */
export async function runInside(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Buffer = '',
): Promise<{ code: number; signal: null; stdout: string; stderr: string }> {
  program ??= loadProgram()
  const run = await program
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout: collect(out), stderr: collect(err) }
  const own = processWith({ env, exitCode: undefined, ...streams })
  const code = await processes.run(own, () => run(args))
  const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString()) as [string, string]
  return { code, signal: null, stdout, stderr }
}
