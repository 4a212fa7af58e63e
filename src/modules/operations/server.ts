import { measureForeseen } from './server/foreseen.ts'
import './context.ts'
import { Verifier } from './projections/verifier.ts'
import { adminInstallationRoutes } from './http/admin/installation.ts'
import { adminLocationNameRoutes } from './http/admin/location-names.ts'
import { adminOverviewRoutes } from './http/admin/overview.ts'
import { adminWebhookRoutes } from './http/admin/webhooks.ts'
import { adminKeyRoutes } from './http/admin/keys.ts'
import { adminLocationRoutes } from './http/admin/locations.ts'
import { adminRejectedRoutes } from './http/admin/rejected.ts'
import { accessRoutes } from './http/access.ts'
import { verificationRoutes } from './http/verifications.ts'
import { ownKeyRoutes } from './http/own-key.ts'
import { webhookPauseRoutes } from './http/webhook-pause.ts'
import {
  AdminDeleted,
  AdminKeyMade,
  AdminKeyPage,
  AdminKeyRevoked,
  AdminLocation,
  AdminLocationNamePage,
  AdminLocationPage,
  AdminOverview,
  AdminRejectedPage,
  AdminRejectedSummary,
  AdminWebhookPage,
} from './schemas/admin.ts'
import { AdminMetrics, AdminSettings, AdminSystem } from './schemas/installation.ts'
import { Verification, VerificationList } from './schemas/verifications.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  open: ({ pool, clock }, _settings, log) => ({
    verifier: new Verifier({
      pool,
      clock,
      onError: (err) => log?.warn({ err }, 'a verification of a journal was interrupted: start it again'),
    }),
  }),
  measure: (registry, { pool, clock, onError }) => measureForeseen(registry, pool, clock, onError),
  close: ({ verifier }) => verifier.close(),
  routes(app, context, version) {
    verificationRoutes(app, context)
    accessRoutes(app, context)
    adminLocationRoutes(app, context)
    adminLocationNameRoutes(app, context)
    adminKeyRoutes(app, context)
    adminRejectedRoutes(app, context)
    adminWebhookRoutes(app, context)
    adminOverviewRoutes(app, context)
    adminInstallationRoutes(app, context, version)
    ownKeyRoutes(app, context)
    webhookPauseRoutes(app, context)
  },
  schemas: {
    AdminDeleted,
    AdminKeyMade,
    AdminKeyPage,
    AdminKeyRevoked,
    AdminLocation,
    AdminLocationNamePage,
    AdminLocationPage,
    AdminOverview,
    AdminRejectedPage,
    AdminRejectedSummary,
    AdminWebhookPage,
    AdminMetrics,
    AdminSettings,
    AdminSystem,
    Verification,
    VerificationList,
  },
}
