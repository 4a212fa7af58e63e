import type { RateLimiter } from '../../core/http/guard/rate-limit.ts'
import type { SigningKey } from './projections/signing-key.ts'

/** What routes of checkpoints use. */
export type Signing = {
  /** Signs checkpoints, under this name of the installation; null without a key. */
  signing: { signer: SigningKey; logName: string } | null
  /** Limits manual checkpoints per hour, by location; null sets no limit. */
  checkpointRate: RateLimiter | null
}

declare module '../../core/http/context.ts' {
  interface ModuleContext extends Signing {}
}
