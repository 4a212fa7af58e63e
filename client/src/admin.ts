import type {
  AdminActPage,
  AdminChangeLocationBody,
  AdminCreateKeyBody,
  AdminCreateLocationBody,
  AdminDeleted,
  AdminDeleteRejectedQuery,
  AdminGetOverviewQuery,
  AdminKey,
  AdminKeyMade,
  AdminKeyRevoked,
  AdminListActsQuery,
  AdminListKeysQuery,
  AdminListLocationNamesQuery,
  AdminListLocationsQuery,
  AdminListRejectedQuery,
  AdminListWebhooksQuery,
  AdminLocation,
  AdminLocationName,
  AdminMetrics,
  AdminOverviewOfOne,
  AdminRejected,
  AdminRejectedGroup,
  AdminRotateKeyBody,
  AdminSummariseRejectedQuery,
  AdminSettings,
  AdminSource,
  AdminSourceCheck,
  AdminSourceDetail,
  AdminSourceInput,
  AdminSourceList,
  AdminSystem,
  AdminWebhook,
} from './api.ts'
import { listByCursor } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Administers the installation. Needs the scope `admin`. */
export class Admin {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists locations with their settings. */
  locations(query: AdminListLocationsQuery & Options = {}): AsyncGenerator<AdminLocation> {
    return listByCursor(this.#transport, '/v1/admin/locations/', query)
  }

  /** Lists names of locations, by ids or by a text. */
  locationNames(query: AdminListLocationNamesQuery & Options = {}): AsyncGenerator<AdminLocationName> {
    return listByCursor(this.#transport, '/v1/admin/locations/names', query)
  }

  /** Gets a location, even a deactivated one. Code `location_not_found`. */
  location(id: string, options: Options = {}): Promise<AdminLocation> {
    return this.#transport.json({ path: `/v1/admin/locations/${encodeURIComponent(id)}`, ...options })
  }

  createLocation(location: AdminCreateLocationBody, options: Options = {}): Promise<AdminLocation> {
    return this.#transport.json({ path: '/v1/admin/locations/', method: 'POST', json: location, ...options })
  }

  /** Changes the given fields of a location. Code `location_not_found`. */
  changeLocation(id: string, change: AdminChangeLocationBody, options: Options = {}): Promise<AdminLocation> {
    const path = `/v1/admin/locations/${encodeURIComponent(id)}`
    return this.#transport.json({ path, method: 'PATCH', json: change, ...options })
  }

  /** Lists keys without their secret text, which is returned only once, by `createKey` and `rotateKey`. */
  keys(query: AdminListKeysQuery & Options = {}): AsyncGenerator<AdminKey> {
    return listByCursor(this.#transport, '/v1/admin/keys/', query)
  }

  createKey(key: AdminCreateKeyBody, options: Options = {}): Promise<AdminKeyMade> {
    return this.#transport.json({ path: '/v1/admin/keys/', method: 'POST', json: key, ...options })
  }

  /** Creates a new key with the same rights; the old one stays valid for the requested time. Code `key_not_found`. */
  rotateKey(id: string, rotation: AdminRotateKeyBody = {}, options: Options = {}): Promise<AdminKeyMade> {
    const path = `/v1/admin/keys/${encodeURIComponent(id)}/rotation`
    return this.#transport.json({ path, method: 'POST', json: rotation, ...options })
  }

  revokeKey(id: string, options: Options = {}): Promise<AdminKeyRevoked> {
    return this.#transport.json({ path: `/v1/admin/keys/${encodeURIComponent(id)}`, method: 'DELETE', ...options })
  }

  /** Lists rejected records with their faults. */
  rejected(query: AdminListRejectedQuery & Options): AsyncGenerator<AdminRejected> {
    return listByCursor(this.#transport, '/v1/admin/rejected/', query)
  }

  /** Counts rejected records by location and code. */
  rejectedSummary(query: AdminSummariseRejectedQuery & Options = {}): AsyncGenerator<AdminRejectedGroup> {
    return listByCursor(this.#transport, '/v1/admin/rejected/summary', query)
  }

  deleteRejected({ signal, ...query }: AdminDeleteRejectedQuery & Options): Promise<AdminDeleted> {
    return this.#transport.json({ path: '/v1/admin/rejected/', method: 'DELETE', query, signal })
  }

  /** Lists the webhooks of all locations with their state. */
  webhooks(query: AdminListWebhooksQuery & Options = {}): AsyncGenerator<AdminWebhook> {
    return listByCursor(this.#transport, '/v1/admin/webhooks/', query)
  }

  /** Lists sources of one location or of all. */
  sources({ location, ...options }: { location?: string } & Options = {}): Promise<AdminSourceList> {
    return this.#transport.json({ path: '/v1/admin/sources/', query: { location }, ...options })
  }

  /** Gets a source, its days compared with the system, and the results of its documents. Code `source_not_found`. */
  source(id: string, options: Options = {}): Promise<AdminSourceDetail> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}`, ...options })
  }

  /** Adds a paused source. `secret` names where the secret is; the secret itself is never sent. */
  addSource(source: AdminSourceInput, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({ path: '/v1/admin/sources/', method: 'POST', json: source, ...options })
  }

  /** Previews what a source would store for yesterday. Code `source_failed`. */
  checkSource(id: string, options: Options = {}): Promise<AdminSourceCheck> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/check`,
      method: 'POST',
      ...options,
    })
  }

  pauseSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/pause`,
      method: 'POST',
      ...options,
    })
  }

  resumeSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/resume`,
      method: 'POST',
      ...options,
    })
  }

  /** Reads a source now, and its refused documents again. Code `source_inactive`. */
  runSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}/run`, method: 'POST', ...options })
  }

  /** Deletes a source; its stored records stay. */
  deleteSource(id: string, options: Options = {}): Promise<AdminDeleted> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}`, method: 'DELETE', ...options })
  }

  /** Lists locations with their problems. */
  overview(query: AdminGetOverviewQuery & Options = {}): AsyncGenerator<AdminOverviewOfOne> {
    return listByCursor(this.#transport, '/v1/admin/overview', query)
  }

  /** Gets versions, sizes and migrations. */
  system(options: Options = {}): Promise<AdminSystem> {
    return this.#transport.json({ path: '/v1/admin/system', ...options })
  }

  /** Gets the settings of the answering process, without passwords. */
  settings(options: Options = {}): Promise<AdminSettings> {
    return this.#transport.json({ path: '/v1/admin/settings', ...options })
  }

  /** Gets counts, results and durations of each route. */
  metrics(options: Options = {}): Promise<AdminMetrics> {
    return this.#transport.json({ path: '/v1/admin/metrics', ...options })
  }

  /** Lists manual changes at one location, or at the installation and all locations, newest first. */
  acts(query: AdminListActsQuery & Options = {}): AsyncGenerator<AdminActPage['data'][number]> {
    return listByCursor(this.#transport, '/v1/admin/acts/', query)
  }
}
