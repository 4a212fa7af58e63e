import type { ConsoleParts } from '../../core/http/context.ts'
import type { RateLimiter } from '../../core/http/guard/rate-limit.ts'
import type { Sessions } from './http/sessions.ts'

export type SigningIn = {
  /** Limits attempts to sign in, by address; null sets no limit. */
  signInRate: RateLimiter | null
  /** Limits how often a key creates a sign-in link, or a session is renewed; null sets no limit. */
  linkRate: RateLimiter | null
}

/** What routes of the console use. */
export type ConsoleContext = ConsoleParts & SigningIn & { sessions: Sessions }

declare module '../../core/http/context.ts' {
  interface ModuleContext extends SigningIn {}
}
