/** What was written to the log has so much time to arrive. */
const lingerMs = 500

/**
 * Ends the process soon, once everything was closed. By itself it ends when nothing is left to wait for; a connection to
 * a database that fell silent would keep it for many minutes, for nobody answers its farewell.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref()
}
