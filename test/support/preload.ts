import './seed.ts'
import '../../src/modules/on.ts'

/**
 * What the process of each test file loads first (`--import`). Its report goes to the runner through a pipe, and
 * `--test-force-exit` ends the process as soon as its tests have ended: what a busy runner had not read by then was lost,
 * up to some forty tests of a run. Writes to a pipe that blocks are done before the process goes on.
 */
type Pipe = { setBlocking?(isBlocking: boolean): unknown }

// oxlint-disable-next-line no-underscore-dangle -- Node has no public name for it.
;(process.stdout as { _handle?: Pipe | null })._handle?.setBlocking?.(true)
