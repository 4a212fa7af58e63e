import type { Verifier } from './projections/verifier.ts'

/** The dependency of requests for verifications. */
export type Verifying = {
  /** Runs the verifications of journals that were requested over HTTP. */
  verifier: Verifier
}

declare module '../../core/http/context.ts' {
  interface ModuleContext extends Verifying {}
}
