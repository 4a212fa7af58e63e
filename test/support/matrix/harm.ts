import type { Random } from '../../../simulator/random.ts'
import type { Site } from '../app.ts'
import type { Ledger } from './ledger.ts'
import type { Installation } from './topologies.ts'

/** The input of a fault. `folder` has the files of the topology. */
export type Harm = {
  installation: Installation
  folder: string
  random: Random
  sites: readonly Site[]
  ledger: Ledger
  /** Whether the tills stop now. A fault has repaired its damage when it resolves. */
  isOver: () => boolean
  log: (line: string) => void
}
