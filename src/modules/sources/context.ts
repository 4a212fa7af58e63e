import type { Lookups } from '../../core/http/guard/lookups.ts'
import type { pollingDeps } from './polling/parts.ts'
import type { SourceRow } from './store/sources.ts'

/** What a process needs to pull sales from sources. */
export type Polling = {
  /** The dependencies of polling and of its runs. */
  polling: ReturnType<typeof pollingDeps>
  /** Sources by their ids, for notifications: strangers may send them, so unknown ids are rate-limited. */
  bells: Lookups<SourceRow>
}

declare module '../../core/http/context.ts' {
  interface ModuleContext extends Polling {}
}
