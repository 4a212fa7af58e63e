/** Time for log lines to be written. */
const lingerMs = 500

/**
 * Ends the process soon, once everything is closed. By itself it ends when nothing is left to wait for; a connection to
 * an unresponsive database would keep it for many minutes.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref()
}
