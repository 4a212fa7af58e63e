import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usualSignals } from './interrupts.ts'

const covered = new Set<string>()
let isWatching = false

/** Removes all registered paths, synchronously, because the process is about to end. */
function removeScratches(): void {
  for (const path of covered) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The other paths are still removed.
    }
  }
  covered.clear()
}

function onSignal(signal: NodeJS.Signals): void {
  // Another listener (`catchInterrupts`) ends the command in order, and then the process.
  if (process.listenerCount(signal) > 1) return
  endScratches()
  process.kill(process.pid, signal)
}

/** Removes all registered paths, and restores the default handling of signals. */
export function endScratches(): void {
  removeScratches()
  for (const signal of usualSignals) process.off(signal, onSignal)
}

/** Registers a file or folder, which need not exist yet, for removal if the process ends before `removeScratch`. */
export function coverScratch(path: string): void {
  covered.add(path)
  if (isWatching) return
  isWatching = true
  for (const signal of usualSignals) process.on(signal, onSignal)
  process.on('exit', removeScratches)
}

/** Creates a temporary directory with this path prefix, synchronously: no signal arrives before it is registered. */
export function makeScratchFolder(beginning: string): string {
  const folder = mkdtempSync(beginning)
  coverScratch(folder)
  return folder
}

/** Returns the path prefix of folders with this name in the temporary directory. */
export const temporary = (name: string): string => join(tmpdir(), `tillgate-${name}-`)

export async function removeScratch(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  covered.delete(path)
}
