import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const running = new Set<ChildProcess>()

/** Starts a program that ends with the benchmark, however that ends. */
export const spawnChild = ((...args: Parameters<typeof spawn>) => {
  const child = spawn(...args)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}) as typeof spawn

/** Ends running programs and waits for them: a server shuts its database down. */
export async function endChildren(): Promise<void> {
  const ended = [...running].map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(ended)
}

/** Ends the programs of the benchmark when it is interrupted. */
export function endChildrenWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void endChildren().finally(() => process.exit(130)))
  }
}
