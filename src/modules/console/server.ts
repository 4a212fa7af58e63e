import type { Context } from '../../core/http/context.ts'
import type { ConsoleContext } from './context.ts'
import { RateLimiter } from '../../core/http/guard/rate-limit.ts'
import { Sessions } from './http/sessions.ts'
import { consolePasskeyRoutes } from './http/routes/console-passkeys.ts'
import { consoleReturnRoutes } from './http/routes/console-return.ts'
import { consoleRoutes } from './http/routes/console.ts'
import { consoleLinkRoutes } from './http/routes/console-links.ts'
import { ConsoleLink, ConsoleSessionPage, PasskeyPage } from './schemas/console.ts'
import type { ModuleServer } from '../../core/modules.ts'

/** Maximum links into the console that a key may make in one burst. */
const linksAtOnce = 60

const signInRule = (perMinute: number) => `an address can try to sign in ${perMinute} times per minute`

export const server: ModuleServer = {
  open({ pool, clock }, { unknownKeys, signIns }) {
    return {
      sessions: new Sessions(pool, clock, { unknownPerSecond: unknownKeys }),
      signInRate: signIns === 0 ? null : new RateLimiter(signIns / 60, signIns, signInRule(signIns)),
      linkRate: new RateLimiter(1, linksAtOnce, 'one sign-in link can be created per second'),
    }
  },
  welcome({ console: { isOn } }) {
    return isOn
      ? { html: '<p>People of the restaurant use the <a href="console/">console</a>.</p>', links: {} }
      : undefined
  },
  routes(app, context, version) {
    // `open` has added the console's parts to the context.
    const own = context as Context & ConsoleContext
    consoleLinkRoutes(app, own)
    consolePasskeyRoutes(app, own)
    consoleRoutes(app, own, version)
    consoleReturnRoutes(app, own, version)
  },
  schemas: {
    ConsoleLink,
    ConsoleSessionPage,
    PasskeyPage,
  },
}
