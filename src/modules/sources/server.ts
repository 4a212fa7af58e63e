import { Lookups } from '../../core/http/guard/lookups.ts'
import { logPolls } from './polling/poll-log.ts'
import { pollingDeps } from './polling/parts.ts'
import { Poller } from './polling/poller.ts'
import { sources } from './settings.ts'
import { findSourceAnywhere } from './store/sources.ts'
import { adminSourceRoutes } from './http/sources.ts'
import { sourceBellRoutes } from './http/source-bells.ts'
import {
  AdminSource,
  AdminSourceCheck,
  AdminSourceDetail,
  AdminSourceInput,
  AdminSourceList,
  SourceBell,
} from './schemas/sources.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  open({ pool, writer, clock }, settings) {
    const { allowHttp, allowAddress, unknownKeys, sourceSecretsDir: secretsDir, sourceUrls: urls } = settings
    const limits = { secretsDir: secretsDir ?? sources.sourceSecretsDir.default, urls: urls ?? [] }
    return {
      polling: pollingDeps({ pool, writer, clock, allowHttp, allowAddresses: allowAddress, limits }),
      bells: new Lookups((id) => findSourceAnywhere(pool, id), { unknownPerSecond: unknownKeys, what: 'source' }),
    }
  },
  close: ({ polling }) => polling.asker.close(),
  service({ polling, hints, availability }, log) {
    const poller = new Poller({ ...polling, onStored: (locationId) => hints.committed(locationId) })
    logPolls(poller.events, log, availability)
    return poller
  },
  routes(app, context) {
    adminSourceRoutes(app, context)
    sourceBellRoutes(app, context)
  },
  schemas: {
    AdminSource,
    AdminSourceCheck,
    AdminSourceDetail,
    AdminSourceInput,
    AdminSourceList,
    SourceBell,
  },
}
