import { RateLimiter } from '../../core/http/guard/rate-limit.ts'
import { keepLogName, openSigningKey } from './server/signing-key.ts'
import { verifierRoutes } from './http/verifier-page.ts'
import { measureClosings } from './server/metrics.ts'
import { followClosings } from './projections/follow.ts'
import { checkpointRoutes, proofRoutes } from './http/checkpoints.ts'
import { closingRoutes } from './http/closings.ts'
import { Checkpoint, CheckpointKeys, CheckpointPage } from './schemas/checkpoints.ts'
import { Closing, ClosingList, ClosingPage } from './schemas/closings.ts'
import type { ModuleServer } from '../../core/modules.ts'

/** Maximum number of manual checkpoints of a location per hour: each is a permanent entry of the journal. */
const checkpointsAnHour = 6

const checkpointRule = `a location can create ${checkpointsAnHour} checkpoints per hour`

export const server: ModuleServer = {
  open: (_context, { checkpointKey, publicUrl, rateLimit }) => ({
    signing:
      checkpointKey === null
        ? null
        : { signer: openSigningKey(checkpointKey), logName: keepLogName(checkpointKey, publicUrl) },
    checkpointRate:
      rateLimit === 0 ? null : new RateLimiter(checkpointsAnHour / 3_600, checkpointsAnHour, checkpointRule),
  }),
  measure: measureClosings,
  follow: ({ pool, signing }) => followClosings(pool, signing),
  routes(app, context) {
    closingRoutes(app, context)
    checkpointRoutes(app, context)
    proofRoutes(app, context)
    verifierRoutes(app, context)
  },
  schemas: {
    Checkpoint,
    CheckpointKeys,
    CheckpointPage,
    Closing,
    ClosingList,
    ClosingPage,
  },
}
