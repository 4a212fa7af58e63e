/** Milliseconds for log lines to be written. */
const lingerMs = 500

/**
 * Ends the process soon, once everything is closed. Without this it would wait for open connections: one to an
 * unresponsive database would keep it running for many minutes.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref()
}
