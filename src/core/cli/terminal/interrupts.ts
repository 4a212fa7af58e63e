import { Interrupted } from '../../server/errors.ts'

/** Milliseconds within which two signals count as one: npm repeats a Ctrl-C that the terminal sent to all processes. */
const sameMs = 500

export const usualSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** By default SIGUSR1 makes Node open a debugger to any account on the machine, and SIGUSR2 ends Node. */
const ignored = ['SIGUSR1', 'SIGUSR2'] as const
const nothing = () => {}

export type Interrupts = {
  /** Aborted with an `Interrupted` by the first signal. */
  signal: AbortSignal
  /** Settles like the work, or rejects with `Interrupted` if a signal comes first. */
  race<T>(work: Promise<T>): Promise<T>
  /** Restores the default handling of signals. */
  release(): void
}

/** Makes the first of these signals abort `signal`. A second signal ends the process immediately. */
export function catchInterrupts(signals: readonly NodeJS.Signals[] = usualSignals): Interrupts {
  const controller = new AbortController()
  let first: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now()
      controller.abort(new Interrupted(signal))
    } else if (performance.now() - first > sameMs) {
      process.exit(signal === 'SIGTERM' ? 143 : 130)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
  for (const signal of ignored) process.on(signal, nothing)
  const { signal } = controller
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Interrupted), { once: true })
  })
  aborted.catch(() => {})
  return {
    signal,
    race: (work) => {
      // If a signal comes first, a later error of the work must not count as unhandled.
      work.catch(() => {})
      return Promise.race([aborted, work])
    },
    release: () => {
      for (const signal of signals) process.off(signal, onSignal)
      for (const signal of ignored) process.off(signal, nothing)
    },
  }
}
