import './seed.ts'
import '../../src/modules/on.ts'

/**
 * Loaded first by the process of each test file (`--import`). The process reports to the runner through a pipe, and
 * `--test-force-exit` ends it after its tests. Output that a busy runner had not read yet was lost, for up to forty
 * tests of a run. With a blocking pipe, all output is written before the process ends.
 */
type Pipe = { setBlocking?(isBlocking: boolean): unknown }

// oxlint-disable-next-line no-underscore-dangle -- Node has no public name for it.
;(process.stdout as { _handle?: Pipe | null })._handle?.setBlocking?.(true)
