import type { Verifier } from './projections/verifier.ts'

/** What routes of verifications use. */
export type Verifying = {
  /** Runs the verifications of journals that were requested over HTTP. */
  verifier: Verifier
}

declare module '../../core/http/context.ts' {
  interface ModuleContext extends Verifying {}
}
