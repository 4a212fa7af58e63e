import type { Lookups } from '../../core/http/guard/lookups.ts'
import type { pollingDeps } from './polling/parts.ts'
import type { SourceRow } from './store/sources.ts'

/** Systems whose sales are read. */
export type Polling = {
  /** What asks them, and what runs of them need. */
  polling: ReturnType<typeof pollingDeps>
  /** Sources by their ids, for who rings: strangers may, so unknown ones have a budget. */
  bells: Lookups<SourceRow>
}

declare module '../../core/http/context.ts' {
  interface ModuleContext extends Polling {}
}
