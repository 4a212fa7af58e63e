import { countLostLine } from '../../server/lost-lines.ts'

const gone = new AbortController()
let failure: NodeJS.ErrnoException | undefined

/** Aborted once standard output is closed, so that a command with endless output ends when its reader does. */
export const outputGone: AbortSignal = gone.signal

/**
 * Keeps the process alive when standard output or error is closed or full: an unhandled stream error would end the
 * process, but a server that cannot log still accepts pushes. Standard output is checked when a command ends.
 */
export function watchStandardStreams(): void {
  process.stdout.on('error', (error) => {
    failure ??= error
    gone.abort()
  })
  process.stderr.on('error', countLostLine)
}

/** Resolves to the error of standard output; undefined if there was none, or if its reader stopped reading. */
export async function outputFailure(): Promise<Error | undefined> {
  await new Promise((resolve) => process.stdout.write('', resolve))
  // EPIPE: `tillgate key list | head -1` has read what it wanted.
  return failure?.code === 'EPIPE' ? undefined : failure
}
