import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usualSignals } from './interrupts.ts'

const covered = new Set<string>()
let isWatching = false

/** Removes all that is left, at once: the process is about to end. */
function removeScratches(): void {
  for (const path of covered) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The others are removed all the same.
    }
  }
  covered.clear()
}

function onSignal(signal: NodeJS.Signals): void {
  // Who else listens (`catchInterrupts`) ends the command in good order, and the process after that.
  if (process.listenerCount(signal) > 1) return
  endScratches()
  process.kill(process.pid, signal)
}

/** Removes what is left, and lets signals do again what they do without us. */
export function endScratches(): void {
  removeScratches()
  for (const signal of usualSignals) process.off(signal, onSignal)
}

/** Has a file or folder, which need not be there yet, removed when a signal or an error ends the process before `removeScratch`. */
export function coverScratch(path: string): void {
  covered.add(path)
  if (isWatching) return
  isWatching = true
  for (const signal of usualSignals) process.on(signal, onSignal)
  process.on('exit', removeScratches)
}

/**
 * Creates a temporary directory with this path prefix. Synchronous, so that no signal arrives before its cleanup is
 * registered.
 */
export function makeScratchFolder(beginning: string): string {
  const folder = mkdtempSync(beginning)
  coverScratch(folder)
  return folder
}

/** Where folders of this name are made among the temporary files. */
export const temporary = (name: string): string => join(tmpdir(), `tillgate-${name}-`)

export async function removeScratch(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  covered.delete(path)
}
