// This file is made from openapi.json by `npm run make -- openapi`.

export type AccessPage = {
  data: Array<ReadsEntry | ActEntry>
  meta: {
    /** Pass it as `after` to continue; 0 at the end if newest first. */
    next: number
    /** Last entry; equal to `next` at the end if oldest first. */
    head: number
  }
}

/** The accounts on which the location books changed. */
export type AccountsUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'accounts.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: BookAccountsVersion
}

export type ActChange = {
  field: string
  /** Value before; null if there was none. */
  before: string | null
  /** Value after; null if there is none. */
  after: string | null
}

export type ActEntry = {
  sequence: number
  at: string
  kind: 'act'
  act:
    | 'key.created'
    | 'key.rotated'
    | 'key.revoked'
    | 'webhook.created'
    | 'webhook.changed'
    | 'webhook.deleted'
    | 'webhook.enabled'
    | 'webhook.disabled'
    | 'webhook.replayed'
    | 'webhook.secret_read'
    | 'webhook.secret_rotated'
    | 'data.exported'
    | 'data.imported'
    | 'data.backed_up'
    | 'data.restored'
    | 'data.rebuilt'
    | 'data.put_aside'
    | 'data.brought_back'
    | 'data.redacted'
    | 'location.created'
    | 'location.changed'
    | 'location.deactivated'
    | 'location.activated'
    | 'journal.resumed'
    | 'loss.acknowledged'
    | 'accounts.changed'
    | 'batch.issued'
    | 'closing.made'
    | 'checkpoint.made'
    | 'journal.verified'
    | 'link.created'
    | 'session.started'
    | 'session.ended'
    | 'session.renewed'
    | 'passkey.added'
    | 'passkey.removed'
    | 'passkey.refused'
    | 'rejected.deleted'
    | 'source.added'
    | 'source.paused'
    | 'source.resumed'
    | 'source.run'
    | 'source.deleted'
  /** Id of the key or console session, `cli`, or `delivery` for the delivery worker. */
  by: string
  /** Current name of the key or session that did it, even if revoked, or its first characters if it has no name. Absent if it is neither a key nor a session, or was deleted. */
  byName?: string
  /** With `cli`: the account of the machine that ran the command; behind sudo the one before it. */
  account?: string
  /** Id of the affected key, webhook or session. */
  subject: string | null
  /** Current name of the key or session that it was done to, even if revoked, or its first characters if it has no name. Absent if it is neither a key nor a session, or was deleted. */
  subjectName?: string
  /** In the log of the installation: the affected location. */
  locationId?: string
  /** IP address of an operator who acted over HTTP. */
  from?: string
  /** Changed values as text, at most 1,000 characters each; webhook URLs without their path. For fields of a location’s record both values are null. Secrets are never included. Absent if no value changed, and in older entries. */
  changes?: Array<ActChange>
}

export type AdminActPage = {
  /** Newest first. Sequences belong to the log of each location. */
  data: Array<ActEntry>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminDeleted = {
  deleted: number
}

export type AdminInstallationProblem = {
  /** `disk_low`: pushes are refused until there is room; `database_clock`: the clocks of the database and of the process that answers are apart by five seconds or more; `disk_filling`: less than a tenth of the disk is free, or four times what is kept; `disk_days_left`: at the rate of the last days that is so within two weeks; `backup_old`: a location has no good backup of the last two days; `entries_lost`: entries that were acknowledged are gone, and nobody has acknowledged it. */
  kind: 'disk_low' | 'disk_filling' | 'disk_days_left' | 'entries_lost' | 'backup_old' | 'database_clock'
  /** Milliseconds that the clocks are apart, or since the oldest of the last good backups; bytes that are free; days that are left; entries that are lost; else 1. */
  count: number
}

export type AdminKey = {
  id: string
  /** The first characters. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
}

export type AdminKeyInput = {
  /** Left out for a key of scope `admin`. */
  locationId?: string
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  name?: string
  /** See and write only the webhooks of this recipient. */
  recipientId?: string
  /** Left out: never. */
  expiresAt?: string
  /** Make a key that begins with `tg_test_`. */
  test?: boolean
}

export type AdminKeyMade = {
  id: string
  /** The first characters. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
  /** The key. It is shown once, and stored hashed. */
  key: string
  /** Until when the key that it replaces goes on; else null. */
  formerUntil: string | null
}

export type AdminKeyPage = {
  data: Array<AdminKey>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminKeyRevoked = {
  id: string
  /** The first characters. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
  /** Webhooks that the key could write, and which go on. */
  webhooks: Array<string>
}

export type AdminKeyRotation = {
  /** How long both keys are valid. */
  overlapSeconds?: number
}

export type AdminLocation = {
  id: string
  name: string
  city: string
  /** IANA time zone. */
  timeZone: string
  /** ISO 4217 code. */
  currency: string
  /** Local time at which a business day begins: sales after midnight belong to the evening before. */
  dayStartsAt: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts: string
  /** French e-reporting: the category of each `serviceType` that has another one than usual (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices that were taken out of service, by `deviceId` or name as `GET /v1/completeness/` has them, with the business day of it: nothing waits for them. One that does something on a later day is in service again. */
  retiredDevices: Record<string, string>
  /** What payments are, by the names that the tills give them: only `cash` fills the drawer. A name that is not here has the kind of its catalog payment, else that of a usual word. Case and accents do not matter. */
  paymentKinds: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a number of a till’s Z reports that was passed over is a report that is missing. `any`: the numbers of this location say nothing, such as those of one counter for several tills. */
  reportNumbers: 'consecutive' | 'any'
  createdAt: string
  deactivatedAt: string | null
  /** Last number of its journal. */
  sequence: number
  /** When something was accepted last. */
  lastAcceptedAt: string | null
  /** When the newest order was opened. */
  lastOrderAt: string | null
  /** What was sold on its business day; null while its figures are being built. */
  today: AdminLocationToday | null
  openOrders: number
  /** Records that were rejected in the last 24 hours. */
  rejected24h: number
  webhooks: {
    enabled: number
    failing: number
    disabled: number
  }
  /** Everything that was closed until then has arrived; null while that is not known. */
  completeUntil: string | null
  /** When its last good backup was made; null without any. */
  backupAt: string | null
}

export type AdminLocationChange = {
  /** Name of the restaurant. */
  name?: string
  /** Street and number. */
  address?: string
  city?: string
  zip?: string
  country?: string
  phone?: string
  url?: string
  /** French establishment number. */
  siret?: string
  /** French activity code. */
  naf?: string
  /** European VAT number. */
  tva?: string
  /** Free text printed on tickets. */
  text?: string
  /** IANA time zone. */
  timeZone?: string
  /** ISO 4217 code. */
  currency?: string
  /** Local time at which a business day begins: sales after midnight belong to the evening before. */
  dayStartsAt?: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts?: string
  /** French e-reporting: the category of each `serviceType` that has another one than usual (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories?: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices that were taken out of service, by `deviceId` or name as `GET /v1/completeness/` has them, with the business day of it: nothing waits for them. One that does something on a later day is in service again. */
  retiredDevices?: Record<string, string>
  /** What payments are, by the names that the tills give them: only `cash` fills the drawer. A name that is not here has the kind of its catalog payment, else that of a usual word. Case and accents do not matter. */
  paymentKinds?: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a number of a till’s Z reports that was passed over is a report that is missing. `any`: the numbers of this location say nothing, such as those of one counter for several tills. */
  reportNumbers?: 'consecutive' | 'any'
}

export type AdminLocationInput = {
  /** Name of the restaurant. */
  name: string
  /** When the till has one already. */
  id?: string
  /** Street and number. */
  address?: string
  city?: string
  zip?: string
  country?: string
  phone?: string
  url?: string
  /** French establishment number. */
  siret?: string
  /** French activity code. */
  naf?: string
  /** European VAT number. */
  tva?: string
  /** Free text printed on tickets. */
  text?: string
  /** IANA time zone. */
  timeZone?: string
  /** ISO 4217 code. */
  currency?: string
  /** Local time at which a business day begins: sales after midnight belong to the evening before. */
  dayStartsAt?: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts?: string
  /** French e-reporting: the category of each `serviceType` that has another one than usual (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories?: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices that were taken out of service, by `deviceId` or name as `GET /v1/completeness/` has them, with the business day of it: nothing waits for them. One that does something on a later day is in service again. */
  retiredDevices?: Record<string, string>
  /** What payments are, by the names that the tills give them: only `cash` fills the drawer. A name that is not here has the kind of its catalog payment, else that of a usual word. Case and accents do not matter. */
  paymentKinds?: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a number of a till’s Z reports that was passed over is a report that is missing. `any`: the numbers of this location say nothing, such as those of one counter for several tills. */
  reportNumbers?: 'consecutive' | 'any'
}

export type AdminLocationName = {
  id: string
  name: string
  city: string
  /** IANA time zone. */
  timeZone: string
  /** ISO 4217 code. */
  currency: string
  deactivatedAt: string | null
}

export type AdminLocationNamePage = {
  data: Array<AdminLocationName>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminLocationPage = {
  data: Array<AdminLocation>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminLocationToday = {
  businessDay: string
  /** Number of counted orders. */
  orders: number
  /** In hundredths of its currency. */
  salesInclTax: number
}

export type AdminMetrics = {
  /** When the process began to count. */
  since: string
  /** Those that were called, most requests first. */
  routes: Array<AdminRoute>
}

export type AdminOverview = {
  data: Array<AdminOverviewOfOne>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
    /** With `troubled`, so many locations were looked at: all. */
    locations?: number
    /** So many of them need attention. */
    troubled?: number
  }
  /** What concerns no location. */
  installation: {
    /** Empty where all is well. */
    problems: Array<AdminInstallationProblem>
  }
}

export type AdminOverviewOfOne = {
  locationId: string
  name: string
  city: string
  sequence: number
  lastAcceptedAt: string | null
  /** What needs attention; empty where all is well. */
  problems: Array<{
    /** `journal_broken`: the last verification found something; `silent`: no order for longer than usual, or, of a location too new to say, nothing for 24 hours; `report_unbalanced`: Z reports of the last 7 days that differ from their orders; `not_verified`: no verification held for `verifiedDays`, since the first entry where none ever did; `clock_ahead`: tills whose clock was a minute or more ahead when they pushed one of the last 100 orders. */
    kind:
      | 'journal_broken'
      | 'silent'
      | 'rejected'
      | 'report_unbalanced'
      | 'day_revised'
      | 'webhook_disabled'
      | 'webhook_failing'
      | 'webhook_behind'
      | 'not_verified'
      | 'clock_ahead'
    /** When it began; null where that is not known. */
    since: string | null
    /** Records, reports, tills, days, or entries that a webhook is behind; else 1. */
    count: number
    /** Id of the webhook, or of the till that is ahead most. */
    subjectId: string | null
  }>
}

export type AdminRejected = {
  id: string
  locationId: string
  receivedAt: string
  keyId: string | null
  /** Line of the push. */
  line: number
  code:
    | 'missing'
    | 'unknown_field'
    | 'unknown_parameter'
    | 'repeated_parameter'
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'invalid_uuid'
    | 'invalid_datetime'
    | 'out_of_range'
    | 'too_short'
    | 'too_long'
    | 'duplicate_key'
    | 'invalid_json'
    | 'invalid_utf8'
    | 'invalid_text'
    | 'invalid_number'
    | 'line_too_long'
    | 'unknown_type'
    | 'ticket_differs'
    | 'external_id_taken'
    | 'clock_ahead'
    | 'wrong_location'
    | 'since_after_until'
    | 'range_too_long'
    | 'unknown_event'
    | 'invalid_cursor'
    | 'endpoint_url_invalid'
    | 'endpoint_url_too_long'
    | 'endpoint_url_scheme'
    | 'endpoint_url_credentials'
    | 'endpoint_url_address'
  detail: string
  errors: Array<{
    pointer: string
    code:
      | 'missing'
      | 'unknown_field'
      | 'unknown_parameter'
      | 'repeated_parameter'
      | 'invalid_type'
      | 'invalid_value'
      | 'invalid_format'
      | 'invalid_uuid'
      | 'invalid_datetime'
      | 'out_of_range'
      | 'too_short'
      | 'too_long'
      | 'duplicate_key'
      | 'invalid_json'
      | 'invalid_utf8'
      | 'invalid_text'
      | 'invalid_number'
      | 'line_too_long'
      | 'unknown_type'
      | 'ticket_differs'
      | 'external_id_taken'
      | 'clock_ahead'
      | 'wrong_location'
      | 'since_after_until'
      | 'range_too_long'
      | 'unknown_event'
      | 'invalid_cursor'
      | 'endpoint_url_invalid'
      | 'endpoint_url_too_long'
      | 'endpoint_url_scheme'
      | 'endpoint_url_credentials'
      | 'endpoint_url_address'
    detail: string
  }>
  /** What the till sent, as it came. */
  record: string
}

export type AdminRejectedGroup = {
  locationId: string
  code:
    | 'missing'
    | 'unknown_field'
    | 'unknown_parameter'
    | 'repeated_parameter'
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'invalid_uuid'
    | 'invalid_datetime'
    | 'out_of_range'
    | 'too_short'
    | 'too_long'
    | 'duplicate_key'
    | 'invalid_json'
    | 'invalid_utf8'
    | 'invalid_text'
    | 'invalid_number'
    | 'line_too_long'
    | 'unknown_type'
    | 'ticket_differs'
    | 'external_id_taken'
    | 'clock_ahead'
    | 'wrong_location'
    | 'since_after_until'
    | 'range_too_long'
    | 'unknown_event'
    | 'invalid_cursor'
    | 'endpoint_url_invalid'
    | 'endpoint_url_too_long'
    | 'endpoint_url_scheme'
    | 'endpoint_url_credentials'
    | 'endpoint_url_address'
  /** Place of the first fault in the record; empty where there is none. */
  pointer: string
  count: number
  firstAt: string
  lastAt: string
  /** The newest of them. */
  lastId: string
}

export type AdminRejectedPage = {
  data: Array<AdminRejected>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminRejectedSummary = {
  data: Array<AdminRejectedGroup>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AdminRoute = {
  method: string
  /** Its path; `none` for requests that met no route. */
  route: string
  requests: number
  /** Answers from 400 to 499 among these. */
  refused: number
  /** Answers from 500 on among these. */
  failed: number
  /** Half of the answers took at most so long; null for more than ten seconds. Times are told in steps. */
  medianMs: number | null
  /** The same for 95 of 100. */
  p95Ms: number | null
}

export type AdminSetting = {
  /** Its environment variable. */
  name: string
  group: string
  /** What it is for. */
  help: string
  /** As it would be written; null where nothing is set, and always for what holds a password. */
  value: string | null
  /** What holds where nothing is set, in words. */
  default: string
  /** Whether the default holds. */
  isDefault: boolean
  /** Holds a password: it is never shown. */
  isSecret: boolean
}

export type AdminSettings = {
  data: Array<AdminSetting>
}

export type AdminSource = {
  id: string
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** The shop in the source. */
  account: string
  /** `failing`: the last run failed and is tried again. `stopped`: somebody must mend something first, as `lastError` says. `paused`: by hand, or never begun. */
  state: 'active' | 'failing' | 'paused' | 'stopped'
  /** Where its secret is; never the secret. */
  secret: string
  /** The system may ring `POST /v1/sources/{id}/bell`. */
  hasBell: boolean
  /** Between two runs. */
  everySeconds: number
  createdAt: string
  /** Moment from which it is read: a document whose last change is earlier is not. */
  readsFrom: string
  /** What changed before it was stored without events; null: nothing is stored yet. */
  storedFrom: string | null
  /** Changes up to here are stored; null before the first. */
  readUntil: string | null
  /** When the last run began. */
  beganAt: string | null
  /** When a run last ended well. */
  succeededAt: string | null
  nextRunAt: string | null
  /** Runs that failed since the last that ended well. */
  failures: number
  failingSince: string | null
  lastError: string | null
  /** Records that were new, or another version. */
  accepted: number
  /** When its days were last compared with what the source says. */
  comparedAt: string | null
}

export type AdminSourceCheck = {
  /** The last business day that is over. */
  date: string
  currency: string
  /** Documents that changed since that day began. */
  documents: number
  /** Counted orders of the day. */
  orders: number
  /** Sales of these orders. */
  sales: number
  /** What was paid for these orders, tips in it; of SumUp what was sold, without tips. */
  here: number
  /** The same as the source states it. */
  there: number
  difference: number
  /** There are more documents than a check reads. */
  isCut: boolean
  /** 200 at most. */
  left: Array<SourceLeft>
  /** 50 at most, each with the beginning of its document. */
  refused: Array<SourceRefused>
  /** Members of the documents that no record has, 50 at most. */
  unmapped: Array<SourceMember>
}

export type AdminSourceDetail = {
  id: string
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** The shop in the source. */
  account: string
  /** `failing`: the last run failed and is tried again. `stopped`: somebody must mend something first, as `lastError` says. `paused`: by hand, or never begun. */
  state: 'active' | 'failing' | 'paused' | 'stopped'
  /** Where its secret is; never the secret. */
  secret: string
  /** The system may ring `POST /v1/sources/{id}/bell`. */
  hasBell: boolean
  /** Between two runs. */
  everySeconds: number
  createdAt: string
  /** Moment from which it is read: a document whose last change is earlier is not. */
  readsFrom: string
  /** What changed before it was stored without events; null: nothing is stored yet. */
  storedFrom: string | null
  /** Changes up to here are stored; null before the first. */
  readUntil: string | null
  /** When the last run began. */
  beganAt: string | null
  /** When a run last ended well. */
  succeededAt: string | null
  nextRunAt: string | null
  /** Runs that failed since the last that ended well. */
  failures: number
  failingSince: string | null
  lastError: string | null
  /** Records that were new, or another version. */
  accepted: number
  /** When its days were last compared with what the source says. */
  comparedAt: string | null
  currency: string
  /** Compared business days of the last 14, the newest first. */
  days: Array<SourceDay>
  /** The newest 200. */
  notices: Array<SourceNotice>
  /** How many documents became nothing, by reason, 50 at most. */
  reasons: Array<SourceReason>
}

export type AdminSourceInput = {
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** The shop in the source. */
  account: string
  /** Where its secret is where deliveries run: `env:SOURCE_…`, or `file:` with a path in `TILLGATE_SOURCE_SECRETS_DIR`. Never the secret itself. */
  secret: string
  /** In the same form, where the key is with which the system signs what it rings the bell with. */
  bellSecret?: string
  /** Moment from which it is read: a document whose last change is earlier is not. Left out, 31 days ago. */
  since?: string
  /** Left out, 300. */
  everySeconds?: number
}

/** Sources of a location, or of the installation, 1,000 at most. */
export type AdminSourceList = {
  data: Array<AdminSource>
}

export type AdminSystem = {
  version: string
  node: string
  startedAt: string
  /** Memory of the process that answers, in bytes. */
  memoryBytes: number
  /** Locations, at most 1,000 are counted. */
  locations: number
  /** The disk of the embedded database; null where the database is elsewhere. */
  disk: {
    freeBytes: number
    totalBytes: number
    /** Pushes are refused while less is free. */
    reserveBytes: number
    /** How fast the disk fills; null until it was seen for three days. */
    trend: {
      /** The oldest moment that it is told from, two weeks ago at most. */
      since: string
      /** How much less is free each day; below zero where it is more. */
      bytesPerDay: number
      /** At that rate pushes are refused in so many days; null where no less is free each day. */
      daysLeft: number | null
    } | null
  } | null
  upkeep: {
    /** The oldest of the last good backups; null without any. */
    oldestBackupAt: string | null
    /** Locations that were never backed up. */
    withoutBackup: number
    /** The same of verifications. */
    oldestVerificationAt: string | null
    withoutVerification: number
    /** Locations whose last verification found something. */
    broken: number
  }
  /** By how much the clock of the database is ahead of this one’s. */
  clockOffsetMs: number
  /** Connections to the database of all processes that share it, as PostgreSQL calls their states. */
  connections: Array<{
    state: string
    count: number
  }>
  database: {
    version: string
    sizeBytes: number
    tables: Array<{
      name: string
      bytes: number
      /** As the planner estimates it. */
      rows: number
    }>
    migrations: Array<{
      version: number
      name: string
      appliedAt: string
    }>
  }
}

export type AdminWebhook = {
  id: string
  createdAt: string
  updatedAt: string
  /** Event names, without duplicates. */
  events: Array<
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  >
  endpointUrl: string
  locationId: string
  /** Who is called; with `locationId` the pair that an upsert without `id` finds. */
  recipientId: string
  /** What people call it; not there where nobody named it. */
  name?: string
  /** `failing`: after 5 failures in a row it is only probed until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Journal number up to which events are delivered or set aside for retry. */
  sequence: number
  /** Journal entries after that. */
  behind: number
  /** Events waiting for a retry. */
  setAside: number
  /** Failures in a row. */
  failures: number
  failingSince: string | null
  /** When the next retry or probe is due. */
  nextAttemptAt: string | null
}

export type AdminWebhookPage = {
  data: Array<AdminWebhook>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type AppliedDiscount = {
  discountName: string
  /** Amount taken off, in major units. */
  discountValue: number
  discountCatalogId: string
}

export type AppliedModifier = {
  modifierGroupId: string
  modifierId: string
  name: string
  /** Price of one in major units, tax included: it is in the `unitPrice` of the item too. */
  price?: number
  /** How many of it to one of the item; 1 when left out. */
  quantity?: number
}

export type AttemptOfEvent = {
  id: string
  sentAt: string
  attempt: number
  success: boolean
  status: number
  durationMs: number
}

/** A batch of booking entries was issued. */
export type BatchCreatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'batch.created'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: BookBatch
}

export type BookAcceptance = {
  /** Id of the Z, or date of the day without one. */
  reportId: string
  /** Why, in the words of who accepts it. */
  reason: string
}

export type BookAccount = {
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Number of the auxiliary account, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookAccounts = {
  /** Number of the version; 0 while nothing was set. */
  version: number
  /** Number in the journal; 0 while nothing was set. */
  sequence: number
  own: BookAccountsOwn
  effective: BookAccountsEffective
}

/** The defaults with what was set on top. */
export type BookAccountsEffective = {
  /** `direct`: payments against revenue and tax in one entry. `clearing`: an entry of sales and one of cash, which meet in `accounts.clearing`. */
  layout: 'direct' | 'clearing'
  /** `direct` uses `cash` only. */
  journals: {
    cash?: BookJournal
    sales?: BookJournal
  }
  /** What revenue is split by beside the tax rate. */
  revenueBy: 'rate' | 'category' | 'serviceType'
  /** `gross`: revenue at list price, and what was taken off on `accounts.discount`. */
  discounts: 'net' | 'gross'
  /** Whether the moves of the cash drawer are booked. */
  drawer: boolean
  /** By so many cents the tax of a Z may differ, per rate, from that of its orders. What the Z says is booked. */
  taxTolerance: number
  /** What is dated before is never issued: another program booked it. */
  startsOn: string | null
  /** The books are closed up to this day: later entries for it are dated the day after. */
  closedUntil: string | null
  /** Codes of tills by their names, for `pieceRef`: `C1-Z358`. */
  tills: Record<string, string>
  /** What becomes of counted orders of a complete day that no Z names: an entry of the day, or none. */
  withoutReport: 'day' | 'refuse'
  /** Accounts of payments, one row for each name. */
  payments: Array<BookPayment>
  /** The most specific row wins (category before service before rate), then the last. */
  revenue: Array<BookRevenue>
  /** Accounts of VAT, one row for each rate. */
  tax: Array<BookTax>
  /** Accounts that moves of the cash drawer are booked against, by type. */
  entries: Array<BookDrawerEntry>
  /** Accounts of everything else: `untaxed` of sales without a stated tax, `vouchers` and `deposits` of what guests are owed, `debts` of payments on account, `rounding` of what cash is rounded by. Where `overpaid` or `unpaid` is null, a Z that needs it is refused. */
  accounts: {
    cash?: BookAccount | null
    clearing?: BookAccount | null
    tips?: BookAccount | null
    suspense?: BookAccount | null
    discount?: BookAccount | null
    untaxed?: BookAccount | null
    vouchers?: BookAccount | null
    deposits?: BookAccount | null
    debts?: BookAccount | null
    rounding?: BookAccount | null
    overpaid?: BookAccount | null
    unpaid?: BookAccount | null
  }
}

/** What was set. */
export type BookAccountsOwn = {
  /** `direct`: payments against revenue and tax in one entry. `clearing`: an entry of sales and one of cash, which meet in `accounts.clearing`. */
  layout?: 'direct' | 'clearing'
  /** `direct` uses `cash` only. */
  journals?: {
    cash?: BookJournal
    sales?: BookJournal
  }
  /** What revenue is split by beside the tax rate. */
  revenueBy?: 'rate' | 'category' | 'serviceType'
  /** `gross`: revenue at list price, and what was taken off on `accounts.discount`. */
  discounts?: 'net' | 'gross'
  /** Whether the moves of the cash drawer are booked. */
  drawer?: boolean
  /** By so many cents the tax of a Z may differ, per rate, from that of its orders. What the Z says is booked. */
  taxTolerance?: number
  /** What is dated before is never issued: another program booked it. */
  startsOn?: string | null
  /** The books are closed up to this day: later entries for it are dated the day after. */
  closedUntil?: string | null
  /** Codes of tills by their names, for `pieceRef`: `C1-Z358`. */
  tills?: Record<string, string>
  /** What becomes of counted orders of a complete day that no Z names: an entry of the day, or none. */
  withoutReport?: 'day' | 'refuse'
  /** Accounts of payments, one row for each name. */
  payments?: Array<BookPayment>
  /** The most specific row wins (category before service before rate), then the last. */
  revenue?: Array<BookRevenue>
  /** Accounts of VAT, one row for each rate. */
  tax?: Array<BookTax>
  /** Accounts that moves of the cash drawer are booked against, by type. */
  entries?: Array<BookDrawerEntry>
  /** Accounts of everything else: `untaxed` of sales without a stated tax, `vouchers` and `deposits` of what guests are owed, `debts` of payments on account, `rounding` of what cash is rounded by. Where `overpaid` or `unpaid` is null, a Z that needs it is refused. */
  accounts?: {
    cash?: BookAccount | null
    clearing?: BookAccount | null
    tips?: BookAccount | null
    suspense?: BookAccount | null
    discount?: BookAccount | null
    untaxed?: BookAccount | null
    vouchers?: BookAccount | null
    deposits?: BookAccount | null
    debts?: BookAccount | null
    rounding?: BookAccount | null
    overpaid?: BookAccount | null
    unpaid?: BookAccount | null
  }
}

export type BookAccountsVersion = {
  version: number
  own: BookAccountsOwn
}

export type BookBatch = {
  number: number
  createdAt: string
  /** Last business day. */
  until: string
  accountsVersion: number
  /** Number of the journal at which it was computed. */
  sequence: number
  currency: string
  timeZone: string
  siren: string | null
  entries: Array<BookingEntry>
  accepted: Array<BookAcceptance>
  /** Ids of sources that were left out. */
  skipped: Array<string>
  /** More is due than one batch may have: issue the next. */
  hasMore: boolean
}

export type BookBatchInput = {
  /** Last business day of what is issued. */
  until: string
  /** Number of the last batch, 0 before the first: so a repeated request issues nothing twice. */
  after: number
  /** Z, or days without one, that are booked from their own figures alone. */
  accept?: Array<BookAcceptance>
  /** `suspense` books what has no account on the suspense account. */
  unmapped?: 'refuse' | 'suspense'
  /** Leave out what is refused or waiting, for a later batch. */
  skip?: boolean
  /** Counts what would be issued, and issues nothing: see `due`. */
  dryRun?: boolean
  /** `plan` of a dry run: issues exactly what it counted, or nothing (409 `batch_changed`). */
  plan?: string
  /** Ids of sources that are reversed and issued again by today’s accounts though nothing changed. */
  reissue?: Array<string>
}

export type BookBatchList = {
  /** The newest first. */
  data: Array<BookBatchSummary>
  meta: {
    totalCount: number
    currentPageIndex: number
    totalPage: number
    pageSize: number
  }
}

export type BookBatchSummary = {
  number: number
  createdAt: string
  /** Last business day. */
  until: string
  accountsVersion: number
  /** Number of the journal at which it was computed. */
  sequence: number
  /** Number of entries in the batch. */
  entries: number
}

export type BookDay = {
  /** Business day that is booked. */
  date: string
  /** The worst of its sources; null without any. */
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty' | null
  /** Sales of its sources, tax included, in minor units. */
  salesInclTax: number
  sources: Array<BookDaySource>
  /** Batches that have entries of it. */
  batches: Array<number>
}

export type BookDayList = {
  /** Every day of the range, oldest first. */
  data: Array<BookDay>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Number of the journal at which it holds. */
    sequence: number
    /** Everything that was closed until then has arrived. */
    completeUntil: string | null
    accountsVersion: number
  }
}

export type BookDaySource = {
  id: string
  type: 'report' | 'day'
  pieceRef: string
  reportNumber: number | null
  deviceName: string | null
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  salesInclTax: number
  reasons: Array<BookReason>
  warnings: Array<BookWarning>
  /** Names of it without an account: a batch is refused until each has one, or is sent to the suspense account. */
  unmapped: number
  /** Numbers of the entries that were issued for it; empty before that. */
  numbers: Array<string>
}

export type BookDrawerEntry = {
  entryType: string
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Number of the auxiliary account, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookHindrance = {
  /** `source` is a Z or day that cannot be booked now: its names are looked up when it can be. */
  what: 'payment' | 'tax' | 'revenue' | 'entry' | 'source'
  name?: string
  rate?: number
  category?: string
  entryType?: string
  /** Sum of what is booked on the suspense account for it. */
  amount: number
  /** In how many Z or days it is. */
  sources: number
  /** A source has the id of the Z, or the date of the day. */
  id?: string
  /** A source has the business day that is booked. */
  date?: string
  pieceRef?: string
  /** A source is refused, waiting or blocked. */
  state?: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  /** A source says why it cannot be booked. */
  reasons?: Array<BookReason>
}

export type BookJournal = {
  /** Code of the journal. */
  code: string
  /** Name of the journal. */
  name: string
}

export type BookPayment = {
  /** As the tills name it; case and accents do not matter. */
  name: string
  /** Number of the account. */
  account?: string
  /** Name of the account. */
  accountName?: string
  /** Number of the auxiliary account, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
  /** It fills the drawer, and is booked where cash is. Without `account`. */
  cash?: boolean
}

export type BookReason = {
  code:
    | 'missing'
    | 'open'
    | 'extra'
    | 'elsewhere'
    | 'incomplete'
    | 'sales'
    | 'taxes_and_sales'
    | 'tax_amount'
    | 'taxable_amount'
    | 'payments'
    | 'opening_float'
    | 'cash'
    | 'discounts'
    | 'order_total'
    | 'order_tax'
    | 'overpaid'
    | 'unpaid'
    | 'units'
    | 'too_large'
  /** Tax rate in hundredths of a percent, payment name, discount or order id; null: the whole source. */
  key: string | null
  /** Amount that the Z states, in minor units. */
  reported: number | null
  /** Amount that the orders of the Z add up to, in minor units. */
  computed: number | null
  /** Reported less computed. */
  difference: number | null
  /** Orders it is about, 100 at most. */
  orderIds: Array<string>
}

export type BookRefused = {
  /** Id of the Z, or date of the day. */
  id: string
  /** Business day that is booked. */
  date: string
  pieceRef: string
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  reasons: Array<BookReason>
  warnings: Array<BookWarning>
}

export type BookRevenue = {
  /** Hundredths of a percent. */
  rate?: number
  category?: string
  serviceType?: string
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Number of the auxiliary account, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookSource = {
  /** A Z, or a business day without one. */
  type: 'report' | 'day'
  reportId: string | null
  reportNumber: number | null
  deviceName: string | null
  /** Number in the journal of the Z, or of the last order. */
  sequence: number
}

export type BookTax = {
  /** Hundredths of a percent. */
  rate: number
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Number of the auxiliary account, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookUnmapped = {
  what: 'payment' | 'tax' | 'revenue' | 'entry'
  name?: string
  rate?: number
  category?: string
  entryType?: string
  /** Sum of what is booked on the suspense account for it. */
  amount: number
  /** In how many Z or days it is. */
  sources: number
}

export type BookVat = {
  /** Hundredths of a percent. */
  rate: number
  taxable: number
  tax: number
  /** What the rate makes of the taxable sum: tills round item by item. */
  rateTimesBase: number
}

export type BookWarning = {
  code:
    | 'cash_tips_not_booked'
    | 'tip_without_payment'
    | 'tip_partly_inside'
    | 'several_days'
    | 'drawer_gap'
    | 'canceled_paid'
    | 'accepted'
  /** Amount that the warning is about, in minor units; null where it is about none. */
  amount: number | null
}

export type BookingEntriesOfSource = {
  data: Array<BookingEntry>
  meta: {
    /** Number of the journal at which it holds. */
    sequence: number
    accountsVersion: number
  }
}

export type BookingEntry = {
  /** Id of the Z, or date of the day; with `/sales` or `/cash` behind it in the layout `clearing`. */
  id: string
  source: BookSource
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  journal: {
    code: string
    name: string
  }
  /** Date of the entry. */
  date: string
  pieceRef: string
  /** Business day that is booked. */
  pieceDate: string
  currency: string
  lines: Array<BookingLine>
  totals: {
    debit: number
    credit: number
  }
  /** Version of the accounts it was made by. */
  accountsVersion: number
  hash: string
  /** Number of the issued entry; null before it is issued. */
  number: string | null
  /** Batch that issued it. */
  batch: number | null
  /** Number of the entry that it reverses. */
  reverses: string | null
  warnings: Array<BookWarning>
}

export type BookingEntryList = {
  /** In order of date, till and number. */
  data: Array<BookingEntry>
  /** What cannot be booked now: waiting, refused, blocked. */
  refused: Array<BookRefused>
  unmapped: Array<BookUnmapped>
  /** VAT of all entries of the range, the highest rate first. */
  vat: Array<BookVat>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Number of the journal at which it holds. */
    sequence: number
    /** Everything that was closed until then has arrived. */
    completeUntil: string | null
    accountsVersion: number
    /** From the `siret` of the location, where it is one. */
    siren: string | null
    totalCount: number
    currentPageIndex: number
    totalPage: number
    pageSize: number
  }
}

export type BookingLine = {
  account: string
  accountName: string
  auxiliary: string | null
  auxiliaryName: string | null
  label: string
  /** Not negative; one of the two is 0. */
  debit: number
  /** Not negative; one of the two is 0. */
  credit: number
  /** Kind of amount that the line books. */
  role:
    | 'payment'
    | 'tip_paid'
    | 'drawer'
    | 'revenue'
    | 'untaxed'
    | 'voucher'
    | 'deposit'
    | 'discount'
    | 'tax'
    | 'tips'
    | 'overpaid'
    | 'unpaid'
    | 'rounding'
    | 'clearing'
    | 'difference'
  /** Key of what the line books: payment name, rate, rate with category or service, type of the drawer entry. */
  key: string | null
}

export type BusinessDay = {
  /** The local date on which it begins. */
  date: string
  /** `open`: not over, or a device has not closed it. `closed`: all have, and something is missing. `complete`: nothing is. `revised`: it was complete, and changed after that. */
  status: 'open' | 'closed' | 'complete' | 'revised'
  /** How often it changed since it was complete for the first time. */
  revision: number
  /** Over, closed by every device, and nothing missing, as it stands now. */
  isComplete: boolean
  startsAt: string
  /** The first moment of the next business day. */
  endsAt: string
  /** Every Z report agrees with its orders; null while there is none. */
  balanced: boolean | null
  /** As `GET /v1/sales/` has them, in hundredths. */
  sales: {
    /** Counted orders that were closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** Z reports of the day, as the tills closed them. */
  reports: Array<ReportOfDay>
  /** Numbers of Z reports that were passed over. */
  missingReports: Array<{
    deviceName: string
    reportNumber: number
  }>
  orders: {
    /** Named by a Z report, and never arrived; 100 of each report at most. */
    missing: Array<string>
    /** Named by a Z report, and still open. */
    open: Array<string>
    /** Carry the id of a Z report that does not name them. */
    extra: Array<string>
    /** Counted orders of the day that are in no Z report. */
    unreported: number
  }
  /** Devices that have not closed the day. */
  waitingFor: Array<{
    deviceId: string | null
    deviceName: string | null
  }>
}

export type BusinessDayList = {
  /** Every day that was asked for, oldest first. */
  data: Array<BusinessDay>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** ISO 4217; amounts are in hundredths of it. */
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Number of the journal at which it holds. */
    sequence: number
    /** Everything that was closed until then has arrived; null while nobody can tell. */
    completeUntil: string | null
    /** Whether a Z report or the status of a till ever closed something here. While false no day with sales is complete, and nothing is missing of it. */
    closesDays: boolean
  }
}

export type CatalogChange = {
  kind: 'added' | 'changed' | 'removed'
  /** Id of the product, modifier group, payment or tax. */
  id: string
  name: string
  /** Fields that changed; empty where the whole is new or gone. */
  fields: Array<CatalogFieldChange>
}

export type CatalogFieldChange = {
  field: string
  /** Name of the price or option that it is of. */
  of: string | null
  /** As text; null where there was none. */
  before: string | null
  /** As text; null where there is none. */
  after: string | null
}

export type CatalogModifierGroup = {
  id: string
  name: string
  options: Array<{
    id: string
    name: string
    /** Supplement in cents, tax included. */
    price: number
  }>
}

export type CatalogModifierRecord = {
  type: 'catalog.modifier'
  data: CatalogModifierGroup | Removal
}

export type CatalogModifiersRecord = {
  type: 'catalog.modifiers'
  data: Array<CatalogModifierGroup>
}

/** The list of modifier groups changed. */
export type CatalogModifiersUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'catalog.modifiers.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Array<CatalogModifierGroup>
}

export type CatalogPayment = {
  id: string
  name: string
  enabled: boolean
  /** What it is: only `cash` fills the drawer. A setting of the location by name wins; without either the usual words count. */
  kind?: 'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
}

export type CatalogPaymentRecord = {
  type: 'catalog.payment'
  data: CatalogPayment | Removal
}

export type CatalogPaymentsRecord = {
  type: 'catalog.payments'
  data: Array<CatalogPayment>
}

/** The list of payment methods changed. */
export type CatalogPaymentsUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'catalog.payments.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Array<CatalogPayment>
}

export type CatalogProduct = {
  id: string
  name: string
  category: string
  categoryId: string
  subCategories: Array<{
    name: string
    id: string
  }>
  priceList: Array<PriceEntry>
}

export type CatalogProductRecord = {
  type: 'catalog.product'
  data: CatalogProduct | Removal
}

export type CatalogProductsRecord = {
  type: 'catalog.products'
  data: Array<CatalogProduct>
}

/** The list of products changed. */
export type CatalogProductsUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'catalog.products.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Array<CatalogProduct>
}

export type CatalogTax = {
  id: string
  name: string
  /** Hundredths of a percent: 550 is 5.5 %. */
  percentage: number
}

export type CatalogTaxRecord = {
  type: 'catalog.tax'
  data: CatalogTax | Removal
}

export type CatalogTaxesRecord = {
  type: 'catalog.taxes'
  data: Array<CatalogTax>
}

/** The list of taxes changed. */
export type CatalogTaxesUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'catalog.taxes.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Array<CatalogTax>
}

export type CatalogVersion = {
  /** Number of the journal. */
  sequence: number
  acceptedAt: string
  /** Entries that are new against the version before. */
  added: number
  /** Entries whose fields differ. */
  changed: number
  /** Entries that are gone. */
  removed: number
  /** The first 200 of them; values are cut at 1,000 characters. */
  changes: Array<CatalogChange>
}

export type CatalogVersionPage = {
  /** The newest first. */
  data: Array<CatalogVersion>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type ChangedOrder = {
  orderId: string
  orderNumber: string
  operatorName: string
  /** When its latest version was accepted. */
  changedAt: string
  /** Its total at the close; null where it did not count, or was not there. */
  before: number | null
  /** Its total now; null where it does not count, such as one that was canceled. */
  now: number | null
  /** Who sent the version of the close and the latest one, and when each was accepted. */
  versions: {
    /** The version at the close. */
    before: {
      /** Its number in the journal. */
      sequence: number
      acceptedAt: string
      /** The till that sent it. */
      deviceId: string
      operatorName: string
    } | null
    now: OrderSent
  }
}

export type Checkpoint = {
  /** Entries of the journal that it covers. */
  size: number
  /** Number of the last of them. */
  sequence: number
  /** Root of the tree (RFC 6962) over the hashes of these entries, in base64. */
  root: string
  /** Name of the log and of the key: of the installation, the location and the epoch of its journal. */
  origin: string
  createdAt: string
  /** The checkpoint as text (c2sp.org/tlog-checkpoint), with its signatures. */
  note: string
  /** Verifier keys of the signatures (c2sp.org/signed-note), the newest first. */
  keys: Array<string>
  /** In the first checkpoint of a new key: a note in which the key before it and itself sign the new one. */
  rotation: string | null
}

/** A head of the tree over the journal was signed. */
export type CheckpointCreatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'checkpoint.created'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Checkpoint
}

export type CheckpointKey = {
  /** Verifier key (c2sp.org/signed-note). */
  key: string
  /** The first checkpoint that it signed. */
  firstSize: number
  /** The last checkpoint that it signed. */
  lastSize: number
  /** The note in which the key before it signed it; null of the first key, and where that was lost. */
  rotation: string | null
}

export type CheckpointKeys = {
  /** The newest first. */
  data: Array<CheckpointKey>
}

export type CheckpointPage = {
  /** The newest first. */
  data: Array<Checkpoint>
  meta: {
    totalCount: number
    currentPageIndex: number
    totalPage: number
    pageSize: number
  }
}

export type ClerkShift = {
  name: string
  id: string
  clockInDate: string
  clockOutDate: string
}

export type Closing = {
  id: string
  /** A month adds up its days, and so does a fiscal year. */
  period: 'day' | 'month' | 'year'
  /** Without a gap per period, from 1. */
  number: number
  /** Last business day. */
  date: string
  createdAt: string
  /** First number of the journal that no closing before looked at. */
  fromSequence: number
  /** Last number of the journal that it looked at: what came up to it for days up to `date` is in it or one before. */
  toSequence: number
  /** Entries of the journal between the two. */
  entries: number
  /** Number of the first day of a month or year; null for a day. */
  first: number | null
  /** Number of the last day of a month or year; null for a day. */
  last: number | null
  currency: string
  timeZone: string
  dayStartsAt: string
  totals: ClosingTotals
  /** The highest rate first. */
  taxes: Array<ClosingTax>
  /** The largest first. */
  payments: Array<ClosingPayment>
  /** To which business days it belongs: what came late for an earlier one too. */
  days: Array<ClosingDay>
  /** Z reports that came or changed, in the order of the journal; of a month or year none. */
  reports: Array<ClosingReport>
  others: ClosingOthers
  perpetual: ClosingPerpetual
  /** Nothing of its business days was missing. */
  complete: boolean
  /** Tills that something was missing of. */
  waitingFor: Array<{
    deviceId: string | null
    deviceName: string | null
  }>
  /** Everything that tills closed until then is in this closing or one before it; null where that was not known. Of a month or year that of its last day. */
  completeUntil: string | null
  left?: ClosingLeft
  /** Id of the closing of the same period before it. */
  previous: string | null
}

/** A business day, month or fiscal year was closed. */
export type ClosingCreatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'closing.created'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Closing
}

export type ClosingDay = {
  /** Business day of the sums. */
  date: string
  salesInclTax: number
  tax: number
}

export type ClosingInput = {
  /** Last business day; it must be over. */
  until: string
  /** Number of the last closing of a day, 0 before the first: so a repeated request closes nothing twice. */
  after: number
}

/** What came for business days after `date`, which the next closings have. A closing without it is of an earlier build and has all that came. */
export type ClosingLeft = {
  orders: number
  salesInclTax: number
  tax: number
  reports: number
}

export type ClosingList = {
  data: Array<Closing>
}

/** What the lists leave out: payments beyond 200 names, the oldest days and reports beyond 366 and 400. */
export type ClosingOthers = {
  payments: {
    names: number
    amount: number
  }
  days: {
    days: number
    salesInclTax: number
    tax: number
  }
  /** Z reports that are left out. */
  reports: number
}

export type ClosingPage = {
  /** The newest first. */
  data: Array<Closing>
  meta: {
    totalCount: number
    currentPageIndex: number
    totalPage: number
    pageSize: number
  }
}

export type ClosingPayment = {
  name: string
  amount: number
}

/** Sums over this closing and all before it. */
export type ClosingPerpetual = {
  orders: number
  salesInclTax: number
  tax: number
}

export type ClosingRecord = {
  type: 'closing'
  data: PushedClosing
}

export type ClosingReport = {
  id: string
  number: number
  deviceName: string
  totalSales: number
}

/** What the system states; what is left out is not stated. */
export type ClosingSaid = {
  /** Sales, taxes in it. */
  total: number
  taxes?: Array<{
    name: string
    rate: number
    amount: number
    /** Without the tax. */
    base: number
  }>
  payments?: Array<{
    name: string
    amount: number
  }>
  products?: Array<{
    /** As the items of tickets have it. */
    key: string
    name: string
    category?: string
    sub?: string
    quantity: number
    amount: number
  }>
  discounts?: Array<TicketDiscount>
  guests?: number
  /** In the drawer at the start and at the close. */
  cash?: {
    initial: number
    final: number
  }
}

export type ClosingTax = {
  /** Hundredths of a percent; null where none is stated. */
  rate: number | null
  taxable: number
  tax: number
}

export type ClosingTotals = {
  /** Counted orders, those that were taken out again less. */
  orders: number
  salesInclTax: number
  tax: number
  salesExclTax: number
  discounts: number
  tips: number
  refunds: number
  /** Totals of the orders that were canceled. */
  canceledSales: number
}

export type Completeness = {
  /** The earliest of its active devices; null while one of them never said. */
  completeUntil: string | null
  /** Number of the journal at which it holds. */
  sequence: number
  /** By name, those that are idle or retired last. */
  devices: Array<DeviceCompleteness>
}

export type ConsoleLink = {
  /** Id of the session that comes of it; may be logged. */
  id: string
  /** Opens the console once. It is shown once, and is as good as a password. */
  url: string
  /** When the link stops working. */
  expiresAt: string
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  /** The first of `locationIds`. */
  locationId: string
  locationIds: Array<string>
}

export type ConsoleLinkInput = {
  /** What the session may do; no more than the key may. Without it and `role`: `read`. */
  scopes?: Array<'read' | 'webhooks' | 'books'>
  /** Stands for its scopes; `operator` is an integrator here. */
  role?: 'owner' | 'accountant' | 'integrator' | 'operator'
  /** Name of the person whom it is for, to recognise it in a list. */
  name?: string
  /** Absolute https URL to which the console leads when the session ends. */
  returnUrl?: string
  /** Seconds in which the link works, once. */
  expiresIn?: number
  /** Seconds that its session lasts. */
  sessionSeconds?: number
  /** Locations that the link opens; left out, the one that its maker is at. */
  locationIds?: Array<string>
  /** So many seconds after its use the person may renew the session, each time for as long as it lasts, and sign in again with a passkey; 0 for not at all. It ends with the key in any case. */
  renewSeconds?: number
}

export type ConsoleSession = {
  id: string
  /** `operator` from `tillgate console`, `key` where a key was given, `link` from a link that somebody made. */
  kind: 'operator' | 'key' | 'link'
  role: 'owner' | 'accountant' | 'integrator' | 'operator' | null
  name: string
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  /** Null for all locations. */
  locationIds: Array<string> | null
  recipientId: string | null
  /** Id of the key, session or passkey that made it, or `cli`. */
  madeBy: string
  /** The key that it ends with. */
  keyId: string | null
  createdAt: string
  /** When the link was used; null while it was not. */
  redeemedAt: string | null
  /** Written every five minutes at most. */
  lastSeenAt: string | null
  /** When the link, or from its use on the session, ends by itself. */
  expiresAt: string
  /** Until then it may be renewed, and passkeys open others. */
  renewableUntil: string | null
  /** When it was ended by hand. */
  endedAt: string | null
  userAgent: string | null
  /** The network address that it was opened from: of the client, where a trusted proxy tells it. Null while the link was not used, and where no address is known. */
  address: string | null
  /** The session that asks. */
  isOwn: boolean
}

export type ConsoleSessionPage = {
  data: Array<ConsoleSession>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

/** A business day is over, every device has closed it, and nothing is missing. */
export type DayCompletedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'day.completed'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: BusinessDay
}

export type DayMessage = {
  date: string
  language: 'en' | 'fr'
  subject: string
  /** Lines of plain text. */
  text: string
  /** A whole document that loads nothing and has no script. */
  html: string
}

/** A business day changed after it was complete. */
export type DayRevisedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'day.revised'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: BusinessDay
}

export type DayRevision = {
  /** The local date on which it begins. */
  date: string
  /** How often it changed since it was complete for the first time. */
  revision: number
  /** Whether nothing is missing as it stands now. */
  isComplete: boolean
  /** Whether every Z report agrees with its orders now. */
  balanced: boolean | null
  /** When the journal said that the day is complete for the first time. */
  completedAt: string
  /** The number of that entry. */
  completedSequence: number
  /** When the journal said last that it changed; null for some seconds after a change. */
  revisedAt: string | null
  /** As `GET /v1/sales/` has them, in hundredths. */
  before: {
    /** Counted orders that were closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** As `GET /v1/sales/` has them, in hundredths. */
  now: {
    /** Counted orders that were closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** With `orders`: those of the day that changed or came after it was complete; 100 at most. */
  orders?: Array<ChangedOrder>
}

export type DayRevisionList = {
  /** The days that changed, oldest first. */
  data: Array<DayRevision>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** ISO 4217; amounts are in hundredths of it. */
    currency: string
    /** Number of the journal at which it holds. */
    sequence: number
  }
}

export type Deduction = {
  /** `orderCanceled`: a whole order; `itemCanceled`: an item of an order that was kept; `loss`: an item that was lost or given away; `discount`: what a discount took off an item. */
  kind: 'orderCanceled' | 'itemCanceled' | 'loss' | 'discount'
  orderId: string
  orderNumber: string
  /** When the order was closed; of a canceled one that never was, when it was opened. */
  at: string
  businessDay: string
  /** Local hour of `at`. */
  hour: string
  /** Operator of the order: tills do not say who took off one of its items. */
  operatorId: string
  operatorName: string
  /** The item; null for a whole order. */
  description: string | null
  /** Quantity of the item; null for a whole order. */
  quantity: number | null
  /** `cancelReason` or `lossReason`, or the name of the discount; null where the till gave none. */
  reason: string | null
  /** What it took off, tax included: of a canceled order what its items come to. */
  amount: number
}

export type DeductionReason = {
  kind: 'orderCanceled' | 'itemCanceled' | 'loss' | 'discount'
  reason: string | null
  count: number
  amount: number
}

export type DeductionSum = {
  count: number
  amount: number
}

export type Deductions = {
  /** Newest first; 5,000 at most. */
  data: Array<Deduction>
  totals: {
    orderCanceled: DeductionSum
    itemCanceled: DeductionSum
    loss: DeductionSum
    discount: DeductionSum
  }
  operators: Array<OperatorDeductions>
  hours: Array<HourDeductions>
  /** By what was done and why, the largest sum first. */
  reasons: Array<DeductionReason>
  meta: {
    since: string
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Number of all deductions; `data` may have fewer. */
    totalCount: number
    /** Number of the journal at which it holds. */
    sequence: number
  }
}

export type Delivery = {
  id: string
  webhookId: string
  /** The `webhook-id` that was sent. */
  messageId: string
  event:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  sequence: number
  /** Number of the attempt, from 1. */
  attempt: number
  sentAt: string
  success: boolean
  /** 0 when no answer came. */
  status: number
  /** dns, connect, tls, timeout, reset, http or blocked; null on success. */
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | null
  message: string
  /** When this event is tried again; null when it is not. */
  nextAttemptAt: string | null
  durationMs: number
  phases: {
    dnsMs: number | null
    connectMs: number | null
    tlsMs: number | null
    headersMs: number | null
    bodyMs: number | null
  }
  /** Address that was called. */
  address: string | null
  request: {
    headers: Record<string, string>
  }
  response: {
    headers: Record<string, string>
    body: string
  }
}

export type DeliveryDetail = {
  id: string
  webhookId: string
  /** The `webhook-id` that was sent. */
  messageId: string
  event:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  sequence: number
  /** Number of the attempt, from 1. */
  attempt: number
  sentAt: string
  success: boolean
  /** 0 when no answer came. */
  status: number
  /** dns, connect, tls, timeout, reset, http or blocked; null on success. */
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | null
  message: string
  /** When this event is tried again; null when it is not. */
  nextAttemptAt: string | null
  durationMs: number
  phases: {
    dnsMs: number | null
    connectMs: number | null
    tlsMs: number | null
    headersMs: number | null
    bodyMs: number | null
  }
  /** Address that was called. */
  address: string | null
  request: {
    headers: Record<string, string>
    /** Null where the journal does not have the event any more. */
    body: string | null
    /** False where the document was redacted since: other bytes were sent. */
    isExact: boolean
  }
  response: {
    headers: Record<string, string>
    body: string
  }
  /** All of this event that are in the log, newest first. */
  attempts: Array<AttemptOfEvent>
}

export type DeliveryFailure = {
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked'
  /** 0 when no answer came. */
  status: number
  /** Attempts that failed so. */
  count: number
  firstAt: string
  lastAt: string
  lastMessage: string
  /** The last of them in the delivery log. */
  lastDeliveryId: string
}

export type DeliveryFailureList = {
  data: Array<DeliveryFailure>
}

export type DeliveryPage = {
  data: Array<Delivery>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
    /** Days that an attempt stays in the log. */
    keptDays: number
    /** Newest attempts of a webhook that stay in the log, however many there were. */
    keptAttempts: number
  }
}

export type Device = {
  id: string
  name: string
  model: string
}

export type DeviceCompleteness = {
  /** Null for a till that is told by its name only. */
  deviceId: string | null
  deviceName: string | null
  /** `idle`: nothing was heard of it for 14 business days; `retired`: the operator took it out of service. Neither holds anything back. */
  state: 'active' | 'idle' | 'retired'
  /** Every order of it that was closed until then has arrived; null while it never said. */
  completeUntil: string | null
  /** What says so: a Z report, or its own status. */
  basis: 'report' | 'status' | null
  /** When it last opened, closed or reported something, by its own clock. */
  lastSeenAt: string | null
  /** The till whose Z reports name its orders, where that is another one. */
  reportedBy: string | null
  /** Numbers of its Z reports that were passed over. */
  missingReports: Array<number>
  /** Orders that it says it closed and that never arrived. */
  missingOrders: number
  /** Orders that its Z reports name and that are still open. */
  openOrders: number
}

export type DeviceLastOrder = {
  id: string
  /** The first 101 characters. */
  orderNumber: string
  /** `createdAt` of the order. */
  openedAt: string
  /** When its latest version was accepted. */
  acceptedAt: string
}

export type DeviceList = {
  /** By name, those that are idle or retired last. */
  data: Array<DeviceState>
  meta: {
    /** Business day of the moment. */
    businessDay: string
    /** The earliest of its active devices; null while one of them never said. */
    completeUntil: string | null
    /** Number of the journal at which it holds. */
    sequence: number
  }
}

export type DeviceRecord = {
  type: 'device'
  data: Device | Removal
}

export type DeviceState = {
  /** Null for a till that is told by its name only. */
  deviceId: string | null
  deviceName: string | null
  /** As the location’s `deviceList` has it. */
  model: string | null
  /** `idle`: nothing was heard of it for 14 business days; `retired`: the operator took it out of service. */
  state: 'active' | 'idle' | 'retired'
  /** When it last opened, closed or reported something, by its own clock. */
  lastSeenAt: string | null
  /** When the latest of its orders was accepted. */
  lastAcceptedAt: string | null
  /** The newest of its last 29 business days. */
  lastOrder: DeviceLastOrder | null
  /** How many orders it has ever closed, by its own counter, as its last status says. */
  lastNumber: number | null
  /** The last Z report in which its orders are. */
  lastReport: {
    reportNumber: number
    finalizedAt: string
  } | null
  /** Every order of it that was closed until then has arrived; null while it never said. */
  completeUntil: string | null
  /** What says so: a Z report, or its own status. */
  basis: 'report' | 'status' | null
  /** The till whose Z reports name its orders, where that is another one. */
  reportedBy: string | null
  /** Numbers of its Z reports that were passed over. */
  missingReports: Array<number>
  /** Orders that it says it closed and that never arrived. */
  missingOrders: number
  /** Its orders that are open now. */
  openOrders: number
  /** Its orders of this business day, open or closed. */
  ordersToday: number
  /** Orders of it that were rejected in the last 24 hours, among the last 1,000 rejected records. */
  rejected24h: number
  /** Part of the versions of orders that it pushed in the last 24 hours to the process that answers, since that began, which was `stale`, older than what was stored. Null where it pushed none. */
  staleShare24h: number | null
  /** Between `updatedAt` of an order, by the till’s clock, and its acceptance: the middle one of the last 24 hours, among the last 1,000 orders of the location. Less than 0 when the till’s clock is ahead. */
  medianDelayMs: number | null
  /** By how much its clock was at least ahead when it pushed one of these orders; 0 when none shows it. */
  clockAheadMs: number | null
  /** When its last order was accepted, where that is longer ago than any pause between two of the last 24 hours (at least 15 minutes; 2 hours while there are fewer than five), and it has not closed with a Z report since. Null otherwise; of a till that makes no Z reports within its business day only. */
  silentSince: string | null
}

export type DeviceStatus = {
  deviceId: string
  /** When it says so, by its own clock: an older status than the one that is kept is stale. */
  at: string
  /** Every order that it closed then or before was acknowledged. Not ahead of the clock. */
  completeUntil: string
  /** How many orders it has ever closed until then, by its own counter. From its second status on the orders that arrived in between must be as many; where some are missing it is not complete until they arrive. */
  lastNumber?: number | null
}

export type DeviceStatusRecord = {
  type: 'device.status'
  data: DeviceStatus
}

export type Difference = {
  figure:
    | 'sales'
    | 'guests'
    | 'productSales'
    | 'productQuantity'
    | 'taxAmount'
    | 'taxableAmount'
    | 'payments'
    | 'discounts'
    | 'openingFloat'
    | 'cash'
    | 'orderTotal'
    | 'orderTax'
    | 'orderDiscount'
    | 'orderPayments'
  /** Which row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the order for the figures of one order. Null for a figure of the whole report. */
  key: string | null
  /** The same for people. */
  name: string | null
  /** What the report says: cents; guests and quantities are numbers. */
  reported: number
  /** What its orders add up to. */
  computed: number
  /** `reported` − `computed`. */
  difference: number
  /** How `computed` comes about. */
  formula: string
  /** The orders that `computed` was added up from. */
  orderIds: Array<string>
}

export type DisabledWebhook = {
  /** Id of the webhook. */
  id: string
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` or `key_revoked`. */
  reason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked'
  disabledAt: string
  /** The first failure after the last success, if it was failing. */
  failingSince: string | null
}

export type EReport = {
  /** By day, then by category. */
  transactions: Array<EReportingTransactions>
  /** What was paid, one row a day. */
  payments: Array<EReportingPayments>
  /** Kinds of service without a category, over all the days; in nothing above. Give each of them one. */
  unmapped: Array<EReportingUnmapped>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** The category of each kind of service, as the location has it. */
    categories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
    /** Number of the journal at which it holds. */
    sequence: number
  }
}

/** TG-37: what was paid for services (`TPS1`), one per day (flux 10.4). */
export type EReportingPayments = {
  /** TT-96: business day on which the order was closed. */
  date: string
  /** TT-98: the currency. */
  currency: string
  rates: Array<{
    /** TT-97: VAT rate in hundredths of a percent. */
    rate: number
    /** TT-99: what was paid, VAT included, tips not. */
    amount: number
  }>
}

/** TG-31: one per day and category (flux 10.3). */
export type EReportingTransactions = {
  /** TT-77: business day. */
  date: string
  /** TT-81: `TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme. */
  category: 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'
  /** TT-78: the currency. */
  currency: string
  /** TT-85: number of orders. */
  transactions: number
  /** TT-82: total without VAT. */
  taxable: number
  /** TT-83: VAT. The tax authority wants it in euros: convert it where `currency` is another. */
  tax: number
  rates: Array<{
    /** TT-86: VAT rate in hundredths of a percent. */
    rate: number
    /** TT-87: without VAT. */
    taxable: number
    /** TT-88: amount of VAT. */
    tax: number
  }>
  /** Sold without anybody saying how it is taxed, tax included: in no amount above. Correct the till, or report it by hand. */
  notStated: number
  /** False where `notStated` is not 0. */
  isComplete: boolean
}

export type EReportingUnmapped = {
  serviceType: string
  /** Number of orders. */
  transactions: number
  /** Amount without VAT. */
  taxable: number
  /** Amount of VAT. */
  tax: number
  /** Sold without a stated tax, in neither. */
  notStated: number
}

/** Any event; `type` determines the schema of `data`. */
export type Event =
  | OrderCreatedEvent
  | OrderUpdatedEvent
  | OrderPaidEvent
  | OrderCanceledEvent
  | OrderTransferredEvent
  | ReportCreatedEvent
  | ReportUpdatedEvent
  | CatalogProductsUpdatedEvent
  | CatalogModifiersUpdatedEvent
  | CatalogPaymentsUpdatedEvent
  | CatalogTaxesUpdatedEvent
  | LocationUpdatedEvent
  | DayCompletedEvent
  | DayRevisedEvent
  | AccountsUpdatedEvent
  | BatchCreatedEvent
  | ClosingCreatedEvent
  | CheckpointCreatedEvent
  | SourceDiffersEvent
  | WebhookDisabledEvent

export type EventPage = {
  data: Array<Event>
  meta: {
    /** Pass it as `after` to continue. */
    next: number
    /** Last sequence of the journal; equal to `next` at the end. */
    head: number
    /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was set back to an older state. A new journal of the same location, after an import, has different epochs. */
    epoch: string
  }
}

export type EventType =
  | 'order.created'
  | 'order.updated'
  | 'order.paid'
  | 'order.canceled'
  | 'order.transferred'
  | 'report.created'
  | 'report.updated'
  | 'catalog.products.updated'
  | 'catalog.modifiers.updated'
  | 'catalog.payments.updated'
  | 'catalog.taxes.updated'
  | 'location.updated'
  | 'day.completed'
  | 'day.revised'
  | 'accounts.updated'
  | 'batch.created'
  | 'closing.created'
  | 'checkpoint.created'
  | 'source.differs'
  | 'webhook.disabled'

export type EventTypeDescription = {
  name: EventType
  description: string
  /** JSON Schema (2020-12) of the delivered body. */
  schema: unknown
  /** Example body with fake data. */
  sample: unknown
}

export type FieldError = {
  in: 'path' | 'query' | 'header' | 'body'
  /** JSON Pointer (RFC 6901) into that part. */
  pointer: string
  /** Each has a page under `/docs/errors/`. */
  code:
    | 'missing'
    | 'unknown_field'
    | 'unknown_parameter'
    | 'repeated_parameter'
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'invalid_uuid'
    | 'invalid_datetime'
    | 'out_of_range'
    | 'too_short'
    | 'too_long'
    | 'duplicate_key'
    | 'invalid_json'
    | 'invalid_utf8'
    | 'invalid_text'
    | 'invalid_number'
    | 'line_too_long'
    | 'unknown_type'
    | 'ticket_differs'
    | 'external_id_taken'
    | 'clock_ahead'
    | 'wrong_location'
    | 'since_after_until'
    | 'range_too_long'
    | 'unknown_event'
    | 'invalid_cursor'
    | 'endpoint_url_invalid'
    | 'endpoint_url_too_long'
    | 'endpoint_url_scheme'
    | 'endpoint_url_credentials'
    | 'endpoint_url_address'
  detail: string
}

export type Figure = {
  figure:
    | 'sales'
    | 'guests'
    | 'productSales'
    | 'productQuantity'
    | 'taxAmount'
    | 'taxableAmount'
    | 'payments'
    | 'discounts'
    | 'openingFloat'
    | 'cash'
    | 'orderTotal'
    | 'orderTax'
    | 'orderDiscount'
    | 'orderPayments'
  /** Which row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the order for the figures of one order. Null for a figure of the whole report. */
  key: string | null
  /** The same for people. */
  name: string | null
  /** What the report says: cents; guests and quantities are numbers. */
  reported: number
  /** What its orders add up to. */
  computed: number
  /** `reported` − `computed`. */
  difference: number
  /** `equal`; `rounding`: they differ by no more than rounding explains, half a minor unit for each line that was counted; or `different`. */
  state: 'equal' | 'rounding' | 'different'
}

export type Health = {
  /** `ok` while the database answers. */
  status: string
  /** Time since the process began, in words. */
  uptime: string
  /** Supported versions, separated by commas. */
  apiVersions: string
  docURL: string
}

export type HistoryEntry = {
  sequence: number
  /** Time at which Tillgate accepted this version. */
  timestamp: string
  types: Array<EventType>
  /** This version of the order. */
  data: Order
}

/** By local hour, in the order of a business day. */
export type HourDeductions = {
  /** Local hour, such as `19`. */
  key: string
  name: string
  orderCanceled: DeductionSum
  itemCanceled: DeductionSum
  loss: DeductionSum
  discount: DeductionSum
}

export type IngestAnswer = {
  accepted: number
  unchanged: number
  stale: number
  rejected: number
  /** Number of stored records with `warnings`. */
  warned: number
  /** One entry for each of the first 1,000 records; after that only for `stale` and `rejected` records and those with warnings, at most 10,000. */
  results: Array<RecordResult>
  /** Number of records that were counted but not listed. */
  resultsOmitted: number
  /** Present if reading stopped before the end of the body; stored records stay stored. */
  stopped?: {
    line: number
    code:
      | 'body_interrupted'
      | 'pieces_too_small'
      | 'gzip_invalid'
      | 'gzip_bomb'
      | 'line_too_long'
      | 'too_many_blank_lines'
      | 'too_many_rejected'
      | 'location_missing'
      | 'location_invalid'
      | 'location_not_found'
      | 'file_unreadable'
      | 'key_unknown'
      | 'key_expired'
      | 'key_revoked'
      | 'location_inactive'
      | 'overloaded'
      | 'too_much_at_once'
      | 'disk_low'
    detail: string
  }
}

/** A record that a till pushes; `type` determines the schema of `data`. */
export type IngestRecord =
  | OrderRecord
  | ReportRecord
  | CatalogProductsRecord
  | CatalogModifiersRecord
  | CatalogPaymentsRecord
  | CatalogTaxesRecord
  | LocationRecord
  | DeviceStatusRecord
  | DeviceRecord
  | CatalogProductRecord
  | CatalogModifierRecord
  | CatalogPaymentRecord
  | CatalogTaxRecord
  | TicketRecord
  | ClosingRecord

export type ItemTax = {
  taxName: string
  /** A fraction: 0.1 is 10 %. */
  taxRate: number
  /** Tax contained in the item total, in major units. */
  taxAmount: number
  /** Refers to a catalog tax. */
  taxCatalogId: string
  /** False where nobody said how the item is taxed, which is not a rate of 0: rate and amount are 0 then, and figures and e-reporting list the item apart. */
  isStated?: boolean
}

export type JournalEntry = {
  sequence: number
  /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was set back to an older state. A new journal of the same location, after an import, has different epochs. */
  epoch: string
  /** First epoch of the journal, which `hash` covers; equal to `epoch` unless the journal was set back. */
  firstEpoch: string
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Open set: order, report, location, catalog.products, catalog.modifiers, catalog.payments, catalog.taxes; day, accounts, batch, closing, checkpoint, webhook and source for entries written by Tillgate; resumed and redaction for entries about the journal itself. */
  kind: string
  /** Id of the order, report, day, batch, closing, checkpoint, webhook or source; otherwise the id of the location. */
  resourceId: string
  /** Events of the change; none for a training order. */
  types: Array<EventType>
  /** Events of the change with their ids. */
  events: Array<{
    /** The `webhook-id` of the event. */
    id: string
    type: EventType
  }>
  /** Sequence of the previous entry of the same resource; null for the first. */
  previousSequence: number | null
  /** SHA-256 of the salt and the document as accepted; unchanged by redactions. */
  commitment: string
  /** Hash of the previous entry of the journal; 64 zeros for the first. */
  previousHash: string
  /** SHA-256 over `previousHash` and this entry, as described in the journal guide. */
  hash: string
  links: {
    /** URL of this entry. */
    self: string
    /** URL of the previous entry of the same resource, or null. */
    previous: string | null
    /** URL of the next entry of the journal, or null at the head. */
    next: string | null
    /** URL of the current resource, or null if the entry has none. */
    resource: string | null
    /** URL of all versions of the order, or null. */
    history: string | null
  }
  /** The document after the change. */
  data: unknown
}

export type JournalHead = {
  /** Sequence of the last entry; 0 before the first. */
  sequence: number
  /** Hash of the last entry; 64 zeros before the first. If you store it elsewhere, changes of earlier entries can be detected. */
  hash: string
  /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was set back to an older state. A new journal of the same location, after an import, has different epochs. */
  epoch: string
  /** Time at which the last entry was accepted; null before the first. */
  acceptedAt: string | null
}

export type KeyErrorList = {
  data: Array<{
    code:
      | 'validation_failed'
      | 'body_invalid'
      | 'request_malformed'
      | 'too_many_events'
      | 'nothing_usable'
      | 'key_missing'
      | 'key_unknown'
      | 'key_expired'
      | 'key_revoked'
      | 'bell_refused'
      | 'session_missing'
      | 'session_ended'
      | 'code_invalid'
      | 'passkey_refused'
      | 'cross_site'
      | 'console_insecure'
      | 'scope_missing'
      | 'location_required'
      | 'location_forbidden'
      | 'recipient_forbidden'
      | 'location_inactive'
      | 'route_not_found'
      | 'version_unsupported'
      | 'order_not_found'
      | 'report_not_found'
      | 'entry_not_found'
      | 'verification_not_found'
      | 'webhook_not_found'
      | 'location_not_found'
      | 'source_not_found'
      | 'delivery_not_found'
      | 'entry_source_not_found'
      | 'batch_not_found'
      | 'checkpoint_not_found'
      | 'closing_not_found'
      | 'key_not_found'
      | 'passkey_not_found'
      | 'session_not_found'
      | 'method_not_allowed'
      | 'request_timeout'
      | 'webhook_ambiguous'
      | 'sequence_ahead'
      | 'epoch_changed'
      | 'documents_aside'
      | 'webhook_limit'
      | 'session_not_renewable'
      | 'passkey_limit'
      | 'passkey_known'
      | 'location_exists'
      | 'key_ended'
      | 'webhook_stopped'
      | 'source_inactive'
      | 'source_failed'
      | 'webhook_disabled'
      | 'replay_running'
      | 'incomplete'
      | 'entry_refused'
      | 'books_incomplete'
      | 'accounts_unmapped'
      | 'batch_exists'
      | 'batch_changed'
      | 'not_checkpointed'
      | 'signing_off'
      | 'closing_exists'
      | 'format_unsuitable'
      | 'webhook_id_taken'
      | 'accounts_changed'
      | 'body_too_large'
      | 'media_type_unsupported'
      | 'host_unknown'
      | 'headers_too_large'
      | 'rate_limited'
      | 'too_much_at_once'
      | 'too_many_under_way'
      | 'shutting_down'
      | 'internal_error'
      | 'overloaded'
      | 'figures_building'
      | 'journal_rewound'
      | 'database_went_back'
      | 'database_unavailable'
      | 'sequence_not_reached'
      | 'disk_low'
      | 'database_full'
    operation: string
    count: number
    firstAt: string
    lastAt: string
    lastRequestId: string
    /** What to change, from the last response. */
    lastDetail: string
  }>
  meta: {
    /** Start time of the process that responds. */
    countedSince: string
  }
}

export type KeyUsage = {
  /** Steps without requests are omitted. */
  data: Array<{
    from: string
    requests: number
    /** Requests that were refused or failed. */
    refused: number
    /** Requests refused with 429. */
    rateLimited: number
    /** Requests that failed with 5xx. */
    failed: number
    /** Number of resources returned. */
    documents: number
  }>
  meta: {
    since: string
    until: string
    step: string
  }
}

export type Location = {
  id: string
  name: string
  address: string
  /** French establishment number, 14 digits. */
  siret: string
  city: string
  country: string
  /** French activity code. */
  naf: string
  phone: string
  /** Free text printed on tickets. */
  text: string
  /** European VAT number. */
  tva: string
  url: string
  zip: string
  /** Present only when requested with `devices=true`. */
  deviceList?: Array<Device>
}

export type LocationRecord = {
  type: 'location'
  data: Location
}

export type LocationSettings = {
  /** IANA time zone. */
  timeZone: string
  /** ISO 4217 code. */
  currency: string
  /** Local time at which a business day begins: sales after midnight belong to the evening before. */
  dayStartsAt: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts: string
  /** French e-reporting: the category of each `serviceType` that has another one than usual (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices that were taken out of service, by `deviceId` or name as `GET /v1/completeness/` has them, with the business day of it: nothing waits for them. One that does something on a later day is in service again. */
  retiredDevices: Record<string, string>
  /** What payments are, by the names that the tills give them: only `cash` fills the drawer. A name that is not here has the kind of its catalog payment, else that of a usual word. Case and accents do not matter. */
  paymentKinds: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a number of a till’s Z reports that was passed over is a report that is missing. `any`: the numbers of this location say nothing, such as those of one counter for several tills. */
  reportNumbers: 'consecutive' | 'any'
}

/** The location or its devices changed. */
export type LocationUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'location.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Location
}

export type MissingReport = {
  deviceName: string
  reportNumber: number
  /** Business day of the report before it. */
  previousDay: string
  /** Business day of the report after it. */
  nextDay: string
  /** The report after it, which may be of a later day than those asked for. */
  nextReportId: string
}

export type NoBookBatch = {
  batch: null
  /** With `dryRun`: what the batch would have. */
  due?: {
    /** Entries of the batch. */
    entries: number
    /** Entries among them that reverse an issued one. */
    reversals: number
    /** Day of the first entry. */
    since: string | null
    /** Day of the last entry. */
    until: string | null
    /** Σ debit of the entries, which is Σ credit. */
    debit: number
    /** More is due after this batch. */
    hasMore: boolean
    /** Names exactly these entries. */
    plan: string
  }
}

/** By operator, the largest sum first. */
export type OperatorDeductions = {
  /** Id of the operator. */
  key: string
  name: string
  orderCanceled: DeductionSum
  itemCanceled: DeductionSum
  loss: DeductionSum
  discount: DeductionSum
}

export type Order = {
  id: string
  /** The till, one of the location’s `deviceList`. */
  deviceId: string
  /** The till’s own time of creation, UTC. Lists are ordered by it. */
  createdAt: string
  /** The till’s own time of the last change, UTC: the version of the order. */
  updatedAt: string
  locationId: string
  /** Links to a Report; null before one is assigned. */
  reportId: string | null
  openedAt: string
  /** Null while the order is open. */
  closedAt: string | null
  /** Number of guests. */
  guests: number
  /** Table or place. */
  orderPlace: string
  orderNumber: string
  operatorId: string
  operatorName: string
  /** Major units, tax included, tips not included. */
  total: number
  /** Tax contained in `total`, major units. */
  totalTax: number
  /** Discounts taken off, major units. */
  totalDiscount: number
  /** The till’s own customer reference, empty when there is none. */
  customerId: string
  isCanceled: boolean
  isTransferred: boolean
  transferReason: string | null
  cancelReason: string | null
  items: Array<OrderItem>
  menus: Array<OrderMenu>
  payments: Array<OrderPayment>
  tips: Array<Tip> | null
  /** Open set: pos, kiosk, qr_table, website, mobile_app, phone, marketplace, catering, api, other (decision 0009). */
  channel: string
  /** Open set: eat_in, takeaway, delivery, curbside, drive_through, room_service, other (decision 0009). */
  serviceType: string
  /** A training order is listed and journaled, and means no event. Whoever adds up leaves it out. */
  isTraining: boolean
  /** Slug of the system the order came from (an open set). */
  source: string
  externalLocationId: string | null
  /** With `source` and `externalLocationId` a second key: two orders of a location cannot have the same three. */
  externalOrderId: string | null
  /** The order that this refund gives back, where the till knows it. */
  refundOf?: string | null
}

/** An order was canceled. */
export type OrderCanceledEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'order.canceled'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Order
}

/** The first version of an order arrived. */
export type OrderCreatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'order.created'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Order
}

export type OrderItem = {
  description: string
  /** Number of units; may be fractional. */
  quantity: number
  /** Weight sold, where the item is sold by weight. */
  weight: number | null
  /** Price of one unit in major units, tax included. */
  unitPrice: number
  /** Price of the line in major units, tax included, discounts taken off. */
  total: number
  category: string
  subCategory: string
  isCanceled: boolean
  cancelReason: string | null
  /** Name of the price type applied (an open set). */
  tier: string
  isTransferred: boolean
  transferReason: string | null
  /** May be empty. */
  discountsApplied: Array<AppliedDiscount>
  /** Present on some items only. */
  modifiers?: Array<AppliedModifier>
  /** Present on some items only. */
  stockImpactIndicator?: boolean
  tax: ItemTax
  /** Refers to a catalog product. */
  itemCatalogId: string
  isLoss: boolean
  lossReason: string | null
  /** The id of the element of `menus` this dish belongs to; null for an item sold on its own. */
  comboParentId: string | null
  /** Left out, `sale`. `voucher` is a voucher that was sold, `deposit` one for a container or in advance, `charge` a service charge or surcharge: they are in the `total` of the order and in no sales. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
}

export type OrderMenu = {
  id: string
  menuCatalogId: string
  name: string
  quantity: number
  unitPrice: number
  /** Informative: the items of the menu add up to the order total. */
  total: number
}

export type OrderPage = {
  data: Array<Order>
  meta: PageMeta
  links: PageLinks
}

/** An order is closed, not canceled, and its payments cover the total; once in its life. */
export type OrderPaidEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'order.paid'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Order
}

export type OrderPayment = {
  /** Amount that was paid, in major units. */
  paymentAmount: number
  paymentName: string
  /** Refers to a catalog payment. */
  paymentCatalogId: string
}

export type OrderRecord = {
  type: 'order'
  data: PushedOrder
}

export type OrderSent = {
  /** Its number in the journal. */
  sequence: number
  acceptedAt: string
  /** The till that sent it. */
  deviceId: string
  operatorName: string
}

/** An order was transferred. */
export type OrderTransferredEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'order.transferred'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Order
}

/** A newer version of an order arrived. */
export type OrderUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'order.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Order
}

export type OwnKey = {
  id: string
  kind: 'key' | 'session'
  name: string
  /** First characters of the key; empty for a session without a key. */
  hint: string
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  /** Id of the location; null for a key of the installation. */
  locationId: string | null
  recipientId: string | null
  createdAt: string
  expiresAt: string | null
  /** Time of the last use, updated about once a minute. */
  lastUsedAt: string | null
  /** As in `ratelimit-policy`: `q` requests in `w` seconds; null without a limit. */
  rateLimit: string | null
}

/** Absolute URLs that keep the filters. */
export type PageLinks = {
  /** Address of this page. */
  self: string
  /** The first page. */
  first: string
  /** The last page. */
  last: string
  /** The next page, or null. In lists by date it goes on after the last of this page. */
  next: string | null
  /** The page before, or null. */
  prev: string | null
}

export type PageMeta = {
  /** Resources that match the filters, over all pages. */
  totalCount: number
  /** Zero-based, as asked for. */
  currentPageIndex: number
  /** Number of pages of this size; 0 when nothing matches. */
  totalPage: number
  /** After the cap at 100. */
  pageSize: number
}

export type Passkey = {
  id: string
  /** What its owner calls it. */
  label: string
  /** Name in the link that the passkey came of. */
  name: string
  role: 'owner' | 'accountant' | 'integrator' | 'operator' | null
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  locationIds: Array<string>
  /** The link that it came of. */
  linkId: string
  /** The key that it ends with. */
  keyId: string | null
  /** It signs in on pages of this address. */
  origin: string
  /** Whether it goes along to other devices of the person. */
  isSynced: boolean
  createdAt: string
  lastUsedAt: string | null
  /** When it ends by itself. */
  expiresAt: string
  /** The session that asks was opened by it. */
  isOwn: boolean
}

export type PasskeyPage = {
  data: Array<Passkey>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type PendingEvent = {
  /** The `webhook-id` that is sent. */
  messageId: string
  sequence: number
  event:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  /** Kind of what the event is about. */
  resource: string
  resourceId: string
  /** Attempts that failed. */
  attempts: number
  /** Null: it is next at once, or waits behind an earlier event of the same resource. */
  nextAttemptAt: string | null
}

export type PendingPage = {
  data: Array<PendingEvent>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type PriceEntry = {
  priceTypeId: number
  priceTypeName: string
  /** Cents, tax included. */
  unitPrice: number
  /** Hundredths of a percent: 1000 is 10 %. */
  taxRate: number
}

export type Problem = {
  /** Page of the documentation of this code. */
  type: string
  title: string
  status: number
  /** What is wrong in this request and what to change. */
  detail: string
  /** Path of the request. */
  instance: string
  code:
    | 'validation_failed'
    | 'body_invalid'
    | 'request_malformed'
    | 'too_many_events'
    | 'nothing_usable'
    | 'key_missing'
    | 'key_unknown'
    | 'key_expired'
    | 'key_revoked'
    | 'bell_refused'
    | 'session_missing'
    | 'session_ended'
    | 'code_invalid'
    | 'passkey_refused'
    | 'cross_site'
    | 'console_insecure'
    | 'scope_missing'
    | 'location_required'
    | 'location_forbidden'
    | 'recipient_forbidden'
    | 'location_inactive'
    | 'route_not_found'
    | 'version_unsupported'
    | 'order_not_found'
    | 'report_not_found'
    | 'entry_not_found'
    | 'verification_not_found'
    | 'webhook_not_found'
    | 'location_not_found'
    | 'source_not_found'
    | 'delivery_not_found'
    | 'entry_source_not_found'
    | 'batch_not_found'
    | 'checkpoint_not_found'
    | 'closing_not_found'
    | 'key_not_found'
    | 'passkey_not_found'
    | 'session_not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'webhook_ambiguous'
    | 'sequence_ahead'
    | 'epoch_changed'
    | 'documents_aside'
    | 'webhook_limit'
    | 'session_not_renewable'
    | 'passkey_limit'
    | 'passkey_known'
    | 'location_exists'
    | 'key_ended'
    | 'webhook_stopped'
    | 'source_inactive'
    | 'source_failed'
    | 'webhook_disabled'
    | 'replay_running'
    | 'incomplete'
    | 'entry_refused'
    | 'books_incomplete'
    | 'accounts_unmapped'
    | 'batch_exists'
    | 'batch_changed'
    | 'not_checkpointed'
    | 'signing_off'
    | 'closing_exists'
    | 'format_unsuitable'
    | 'webhook_id_taken'
    | 'accounts_changed'
    | 'body_too_large'
    | 'media_type_unsupported'
    | 'host_unknown'
    | 'headers_too_large'
    | 'rate_limited'
    | 'too_much_at_once'
    | 'too_many_under_way'
    | 'shutting_down'
    | 'internal_error'
    | 'overloaded'
    | 'figures_building'
    | 'journal_rewound'
    | 'database_went_back'
    | 'database_unavailable'
    | 'sequence_not_reached'
    | 'disk_low'
    | 'database_full'
  /** Also in the header `x-request-id`. */
  requestId: string
  errors?: Array<FieldError>
}

export type PushedClosing = {
  /** Slug of the system. It is in every id, so it never changes. */
  source: string
  /** The shop in that system: its keys mean something there only. It becomes `externalLocationId`. */
  account: string
  /** The system’s own id of the closing. */
  key: string
  /** When it was changed last; left out, `to`. */
  version?: string
  number?: number
  /** The till that made it. */
  device: {
    /** The system’s own id; what is not known has the empty key. */
    key: string
    name?: string
  }
  from: string
  to: string
  said: ClosingSaid
  entries?: Array<{
    name: string
    amount: number
    /** As in a report: opening_float, cash_in, cash_out, … */
    type?: string
  }>
  /** Keys of the tickets in it. */
  tickets?: Array<string>
  /** The restaurant as it was printed. */
  header?: {
    name?: string
    address?: string
    zip?: string
    city?: string
    country?: string
    phone?: string
    siret?: string
    naf?: string
    vat?: string
    url?: string
    text?: string
  }
}

export type PushedOrder = {
  id: string
  /** The till, one of the location’s `deviceList`. */
  deviceId: string
  /** The till’s own time of creation, UTC. Lists are ordered by it. */
  createdAt?: string
  /** The till’s own time of the last change, UTC: the version of the order. */
  updatedAt?: string
  locationId: string
  /** Links to a Report; null before one is assigned. */
  reportId?: string | null
  openedAt: string
  /** Null while the order is open. */
  closedAt?: string | null
  /** Number of guests. */
  guests: number
  /** Table or place. */
  orderPlace: string
  orderNumber: string
  operatorId: string
  operatorName: string
  /** Major units, tax included, tips not included. */
  total: number
  /** Tax contained in `total`, major units. */
  totalTax: number
  /** Discounts taken off, major units. */
  totalDiscount: number
  /** The till’s own customer reference, empty when there is none. */
  customerId: string
  isCanceled: boolean
  isTransferred: boolean
  transferReason?: string | null
  cancelReason?: string | null
  items: Array<PushedOrderItem>
  menus: Array<OrderMenu>
  payments: Array<OrderPayment>
  tips?: Array<Tip> | null
  /** Open set: pos, kiosk, qr_table, website, mobile_app, phone, marketplace, catering, api, other (decision 0009). */
  channel: string
  /** Open set: eat_in, takeaway, delivery, curbside, drive_through, room_service, other (decision 0009). */
  serviceType: string
  /** A training order is listed and journaled, and means no event. Whoever adds up leaves it out. */
  isTraining: boolean
  /** Slug of the system the order came from (an open set). */
  source: string
  externalLocationId?: string | null
  /** With `source` and `externalLocationId` a second key: two orders of a location cannot have the same three. */
  externalOrderId?: string | null
  /** The order that this refund gives back, where the till knows it. */
  refundOf?: string | null
}

export type PushedOrderItem = {
  description: string
  /** Number of units; may be fractional. */
  quantity: number
  /** Weight sold, where the item is sold by weight. */
  weight?: number | null
  /** Price of one unit in major units, tax included. */
  unitPrice: number
  /** Price of the line in major units, tax included, discounts taken off. */
  total: number
  category: string
  subCategory: string
  isCanceled: boolean
  cancelReason?: string | null
  /** Name of the price type applied (an open set). */
  tier: string
  isTransferred: boolean
  transferReason?: string | null
  /** May be empty. */
  discountsApplied: Array<AppliedDiscount>
  /** Present on some items only. */
  modifiers?: Array<AppliedModifier>
  /** Present on some items only. */
  stockImpactIndicator?: boolean
  tax: ItemTax
  /** Refers to a catalog product. */
  itemCatalogId: string
  isLoss: boolean
  lossReason?: string | null
  /** The id of the element of `menus` this dish belongs to; null for an item sold on its own. */
  comboParentId?: string | null
  /** Left out, `sale`. `voucher` is a voucher that was sold, `deposit` one for a container or in advance, `charge` a service charge or surcharge: they are in the `total` of the order and in no sales. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
}

export type PushedReport = {
  id: string
  /** The till’s own time of creation, UTC. The list is ordered by it. */
  createdAt?: string
  /** The till’s own time of the last change, UTC: the version of the report. */
  updatedAt?: string
  locationId: string
  startedAt: string
  finalizedAt: string
  deviceName: string
  deviceIdentifier?: string | null
  reportNumber: number
  guestsNumber: number
  /** Cents, tax included. */
  totalSales: number
  reportHeaderInfo: ReportHeader
  reportProducts: Array<ReportProduct>
  reportClerksShift: Array<ClerkShift>
  clerkName?: string | null
  clerkId?: string | null
  reportDiscounts: Array<ReportDiscount>
  reportTaxes: Array<ReportTax>
  reportPayments: Array<ReportPayment>
  /** Cents in the drawer at the start. */
  initialCashBalance: number
  /** Cents in the drawer at the close. */
  finalCashBalance: number
  reportEntries: Array<ReportEntry>
  /** Ids of the Orders in the report. */
  orders: Array<string>
}

export type ReadsEntry = {
  /** Sequence of the entry in the log of the location. */
  sequence: number
  /** Time at which the entry was written. */
  at: string
  kind: 'reads'
  /** Id of the key or console session. */
  keyId: string
  /** Current name of the key or session, even if revoked, or its first characters if it has no name. Absent if it is neither a key nor a session, or was deleted. */
  keyName?: string
  operation: string
  /** Start of the counted minute. */
  minute: string
  /** Number of requests, answered or refused. */
  requests: number
  /** Requests that were refused or failed. */
  refused: number
  /** Requests refused with 429; absent in older entries. */
  rateLimited?: number
  /** Requests that failed with 5xx; absent in older entries. */
  failed?: number
  /** Number of resources returned. */
  documents: number
  /** Lowest sequence returned or written, or earliest `since`; null if no request had one. */
  from: number | string | null
  /** Highest sequence returned or written, or latest `until`; null if no request had one. */
  to: number | string | null
  /** Journal entries written by pushes of the key, as inclusive ranges of sequences; at most 500 per minute, the last of which may contain other entries. Absent if nothing was written, and in older entries. */
  written?: Array<Array<number>>
}

/** Ids of the orders by what they are for the report. */
export type ReconciledOrders = {
  /** Orders that are added up. */
  counted: Array<string>
  /** Named by the report, canceled or moved to another order: they count nowhere. */
  canceled: Array<string>
  /** Named by the report, training orders: they count nowhere. */
  training: Array<string>
  /** Named by the report, but their latest version that arrived is open: not counted. */
  open: Array<string>
  /** Named by the report and never arrived. */
  missing: Array<string>
  /** Carry the id of the report, which does not name them: not counted. */
  extra: Array<string>
  /** Named by the report and carry the id of another; also in one of the lists above. */
  elsewhere: Array<string>
}

export type Reconciliation = {
  reportId: string
  reportNumber: number
  /** No difference beyond rounding, and no order open, missing, extra or elsewhere. */
  balanced: boolean
  orders: ReconciledOrders
  /** Every figure of the report beside what its orders add up to. */
  figures: Array<Figure>
  /** Sections that the report leaves empty although its total is not 0, and that its orders would fill: they are not compared. */
  notStated: Array<'guests' | 'products' | 'quantities' | 'taxes' | 'taxable' | 'payments' | 'discounts'>
  /** The figures that do not agree, and orders that do not add up in themselves. */
  differences: Array<Difference>
  /** Its orders that changed after the report was accepted for the first time, with the version of then and the one of now; 100 at most. Null where versions of them lie in an archive. */
  changed: Array<ChangedOrder> | null
}

export type RecordResult = {
  /** Line of the NDJSON body, or position in the JSON array, from 1. */
  line: number
  /** `accepted`: stored and journaled. `unchanged`: this version was already stored. `stale`: a newer version is stored. `rejected`: not stored; kept for `tillgate rejected list`. */
  status: 'accepted' | 'unchanged' | 'stale' | 'rejected'
  type?: string
  /** As sent; for a rejected record it may not be a UUID. */
  id?: string
  /** Sequence in the journal of the location, if accepted. */
  sequence?: number
  /** Code of the first entry of `errors`. */
  code?:
    | 'missing'
    | 'unknown_field'
    | 'unknown_parameter'
    | 'repeated_parameter'
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'invalid_uuid'
    | 'invalid_datetime'
    | 'out_of_range'
    | 'too_short'
    | 'too_long'
    | 'duplicate_key'
    | 'invalid_json'
    | 'invalid_utf8'
    | 'invalid_text'
    | 'invalid_number'
    | 'line_too_long'
    | 'unknown_type'
    | 'ticket_differs'
    | 'external_id_taken'
    | 'clock_ahead'
    | 'wrong_location'
    | 'since_after_until'
    | 'range_too_long'
    | 'unknown_event'
    | 'invalid_cursor'
    | 'endpoint_url_invalid'
    | 'endpoint_url_too_long'
    | 'endpoint_url_scheme'
    | 'endpoint_url_credentials'
    | 'endpoint_url_address'
  detail?: string
  errors?: Array<FieldError>
  /** Possible mistakes of the till; the record was stored. */
  warnings?: Array<Warning>
}

export type Removal = {
  id: string
  removed: true
}

export type ReplayAnswer = {
  /** `failing`: after 5 failures in a row it is only probed until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Journal number up to which events are delivered or set aside for retry. */
  sequence: number
  /** Journal entries after that. */
  behind: number
  /** Events waiting for a retry. */
  setAside: number
  /** Failures in a row. */
  failures: number
  failingSince: string | null
  /** When the next retry or probe is due. */
  nextAttemptAt: string | null
  /** Events that are sent again, or would be: of a dry run, and where events were chosen. */
  events?: number
  /** False where there are more than `events` says. */
  eventsAreCounted?: boolean
}

/** Exactly one of `sequence` and `since`. With an end, `types` or `onlyFailed` it is of 10,000 events at most. */
export type ReplayInput = {
  /** Send again from this journal number on. */
  sequence?: number
  /** Send again what was accepted from this date or datetime on. */
  since?: string
  /** Up to this journal number, included. */
  untilSequence?: number
  /** Up to what was accepted at this date or datetime, included. */
  until?: string
  /** Only these events. */
  types?: Array<
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  >
  /** Only events that the delivery log knows failures of, and no success. */
  onlyFailed?: boolean
  /** Say how many events it would be, and send nothing. */
  dryRun?: boolean
}

export type Report = {
  id: string
  /** The till’s own time of creation, UTC. The list is ordered by it. */
  createdAt: string
  /** The till’s own time of the last change, UTC: the version of the report. */
  updatedAt: string
  locationId: string
  startedAt: string
  finalizedAt: string
  deviceName: string
  deviceIdentifier: string | null
  reportNumber: number
  guestsNumber: number
  /** Cents, tax included. */
  totalSales: number
  reportHeaderInfo: ReportHeader
  reportProducts: Array<ReportProduct>
  reportClerksShift: Array<ClerkShift>
  clerkName: string | null
  clerkId: string | null
  reportDiscounts: Array<ReportDiscount>
  reportTaxes: Array<ReportTax>
  reportPayments: Array<ReportPayment>
  /** Cents in the drawer at the start. */
  initialCashBalance: number
  /** Cents in the drawer at the close. */
  finalCashBalance: number
  reportEntries: Array<ReportEntry>
  /** Ids of the Orders in the report. */
  orders: Array<string>
}

export type ReportCheck = {
  reportId: string
  reportNumber: number
  deviceName: string
  /** The one on which most of it was taken; that of its own closing when it has no orders. */
  businessDay: string
  /** Its orders were closed on several business days. */
  severalDays: boolean
  startedAt: string
  finalizedAt: string
  /** `balanced`: every figure agrees. `waiting`: an order that it names is missing or open. `unbalanced`: all are here, and it does not agree. */
  verdict: 'balanced' | 'unbalanced' | 'waiting'
  /** Number of orders by how each stands to the report; its reconciliation has their ids. */
  orders: {
    /** Number of orders that are added up. */
    counted: number
    /** Named by the report, canceled or moved to another order. */
    canceled: number
    /** Named by the report, training orders. */
    training: number
    /** Named by the report, and still open. */
    open: number
    /** Named by the report, and never arrived. */
    missing: number
    /** Carry the id of the report, which does not name them. */
    extra: number
    /** Named by the report, and carry the id of another. */
    elsewhere: number
  }
  /** Figures that do not agree. */
  differences: number
  /** Hundredths: what the report states. */
  totalSales: number
  /** What its orders add up to. */
  computedSales: number
  /** `totalSales` − `computedSales`. */
  salesDifference: number
}

export type ReportCheckPage = {
  data: Array<ReportCheck>
  meta: {
    /** Resources that match the filters, over all pages. */
    totalCount: number
    /** Zero-based, as asked for. */
    currentPageIndex: number
    /** Number of pages of this size; 0 when nothing matches. */
    totalPage: number
    /** After the cap at 100. */
    pageSize: number
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** Reports of each verdict on these days, whichever was asked for. */
    verdicts: {
      balanced: number
      unbalanced: number
      waiting: number
    }
    /** Numbers that were passed over, of all these days, whichever page and verdict was asked for: those that `GET /v1/business-days/` tells of them, each once. */
    missingReports: Array<MissingReport>
    /** Number of the journal at which it holds. */
    sequence: number
  }
}

/** The first version of a Z report arrived. */
export type ReportCreatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'report.created'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Report
}

export type ReportDiscount = {
  discountName: string
  /** Amount that was deducted, in cents. */
  discountValue: number
  discountCatalogId: string
}

export type ReportEntry = {
  entryName: string
  /** Cents; may be negative. */
  entryAmount: number
  /** Open set: opening_float, cash_in, cash_out, bank_deposit, expense, tip_out, refund, no_sale, count_overage, count_shortage, correction, or empty (decision 0009). */
  entryType: string
}

/** The location as it stood when the report was closed. */
export type ReportHeader = {
  headerAddress: string
  headerCity: string
  headerCountry: string
  headerName: string
  headerPhone: string
  headerNaf: string
  headerSiret: string
  headerText: string
  headerTva: string
  headerUrl: string
  headerZip: string
}

export type ReportHistoryEntry = {
  sequence: number
  /** Time at which Tillgate accepted this version. */
  timestamp: string
  types: Array<EventType>
  /** This version of the report. */
  data: Report
}

export type ReportOfDay = {
  reportId: string
  reportNumber: number
  deviceName: string
  finalizedAt: string
  /** `balanced`: every figure agrees. `waiting`: an order that it names is missing or open. `unbalanced`: all are here, and it does not agree. */
  verdict: 'balanced' | 'unbalanced' | 'waiting'
}

export type ReportPage = {
  data: Array<Report>
  meta: PageMeta
}

export type ReportPayment = {
  paymentName: string
  /** Amount that was paid, in cents. */
  paymentAmount: number
}

export type ReportProduct = {
  productName: string
  /** Cents, tax included. */
  productSales: number
  category: string
  subCategory: string
  productQuantity: number
  productCatalogId: string
}

export type ReportRecord = {
  type: 'report'
  data: PushedReport
}

export type ReportTax = {
  taxName: string
  /** Hundredths of a percent: 1000 is 10 %. */
  taxRate: number
  /** Amount of tax, in cents. */
  taxAmount: number
  /** Cents, tax not included. */
  taxableAmount: number
}

/** A newer version of a Z report arrived. */
export type ReportUpdatedEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'report.updated'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: Report
}

export type Resent = {
  messageId: string
  sequence: number
  event:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
}

export type Sales = {
  /** By period, then by name. */
  data: Array<SalesRow>
  totals: SalesFigures
  excluded: {
    /** Canceled orders; in no figure above. */
    canceled: {
      orders: number
      salesInclTax: number
    }
    /** Training orders; in no figure above. */
    training: {
      orders: number
      salesInclTax: number
    }
    /** Items of counted orders that were lost; in no figure above. */
    losses: {
      items: number
      salesInclTax: number
    }
    /** Vouchers, deposits and charges of counted orders, by `kind` of the item; in no figure above. */
    notSales: {
      items: number
      amount: number
    }
  }
  /** Orders that were opened on these days and are not closed; in no figure above. */
  open: {
    orders: number
    salesInclTax: number
  }
  /** The same of the range that `compare` names. */
  comparison?: {
    /** First business day compared with. */
    since: string
    /** Last business day compared with. */
    until: string
    data: Array<SalesRow>
    totals: SalesFigures
    change: SalesChange
    /** With `upToNow`, where the last day is not over: what was closed before this moment of the last business day compared with is in, so long after its beginning as it is now after that of today. */
    upTo?: string
  }
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    by: string
    /** Time of day that was asked for, where one was. */
    before?: string
    /** Time of day from which on, where one was asked for. */
    from?: string
    /** Weekday that was asked for, where one was. */
    weekday?: number
    /** ISO 4217; amounts are in hundredths of it. */
    currency: string
    timeZone: string
    /** Local time at which a business day begins. */
    dayStartsAt: string
    /** Number of the journal at which the figures hold. */
    sequence: number
    /** First business day of which there is an order; null where there is none. */
    firstDay: string | null
    /** Everything that was closed until then has arrived; null while nobody can tell. */
    completeUntil: string | null
  }
}

/** By which fraction each total is more than the one compared with, 0.05 for 5 %; null where that is 0. */
export type SalesChange = {
  orders: number | null
  guests: number | null
  items: number | null
  listInclTax: number | null
  discounts: number | null
  salesInclTax: number | null
  tax: number | null
  salesExclTax: number | null
  tips: number | null
  refunds: number | null
  averagePerOrder: number | null
  averagePerGuest: number | null
}

export type SalesFigures = {
  /** Counted orders: closed, not canceled, no training. */
  orders: number
  /** Guests of the counted orders. */
  guests: number | null
  /** Quantity of the counted items, three decimals at most. */
  items: number | null
  /** `salesInclTax` + `discounts`. */
  listInclTax: number | null
  /** Discounts on the counted items. */
  discounts: number | null
  /** Σ total of the counted orders; in a part by item, of its items; by payment, what was paid. */
  salesInclTax: number | null
  /** Σ tax of the counted items. */
  tax: number | null
  /** `salesInclTax` − `tax`. */
  salesExclTax: number | null
  /** Tips, in no other figure. */
  tips: number | null
  /** Σ of the totals below zero, as a positive amount; they lower `salesInclTax` as well. */
  refunds: number | null
  /** `salesInclTax` ÷ `orders`, rounded. */
  averagePerOrder: number | null
  /** `salesInclTax` ÷ `guests`, rounded. */
  averagePerGuest: number | null
}

export type SalesOfLocation = {
  locationId: string
  name: string
  city: string
  timeZone: string
  currency: string
  /** Null while the figures of the location are being built. */
  sales: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    orders: number
    guests: number
    salesInclTax: number
    open: {
      orders: number
      salesInclTax: number
    }
    /** The same weekdays of the week before, to the minute where the last day is not over; null where they lie before the first business day of the location. */
    comparison: {
      /** First business day compared with. */
      since: string
      orders: number
      guests: number
      salesInclTax: number
      /** By which fraction `salesInclTax` is more than before, 0.05 for 5 %; null where nothing was sold before. */
      change: number | null
    } | null
  } | null
}

export type SalesOfLocations = {
  /** By location id. */
  data: Array<SalesOfLocation>
  /** One sum for each currency. */
  totals: Array<{
    currency: string
    /** Locations with figures in this currency. */
    locations: number
    orders: number
    guests: number
    salesInclTax: number
    /** Like with like; null where no location can be compared. */
    comparison: {
      /** Locations that are compared: those with a comparison of their own. */
      locations: number
      /** What these locations sold. */
      salesInclTax: number
      /** What the same locations sold in the days compared with. */
      salesInclTaxBefore: number
      /** By which fraction `salesInclTax` is more than before, 0.05 for 5 %; null where nothing was sold before. */
      change: number | null
    } | null
  }>
  meta: {
    /** Active locations that the caller may read. */
    locations: number
    /** Whether the figures of all of them are in the sums. */
    isComplete: boolean
  }
}

export type SalesRow = {
  /** Day, Monday of the week, month (`2026-03`), weekday (1 Monday to 7 Sunday), hour (`19`) or half hour (`19:30`); null when not by time. */
  period: string | null
  /** Id, rate or name of the dimension, or the time of day of `weekday,halfHour`; null when not by one. */
  key: string | null
  /** What people call the key, as the latest order does; `others`, with the key null, is the sum of all names beyond the 5,000 that sold most. */
  name: string | null
  /** Counted orders: closed, not canceled, no training. */
  orders: number
  /** Guests of the counted orders. */
  guests: number | null
  /** Quantity of the counted items, three decimals at most. */
  items: number | null
  /** `salesInclTax` + `discounts`. */
  listInclTax: number | null
  /** Discounts on the counted items. */
  discounts: number | null
  /** Σ total of the counted orders; in a part by item, of its items; by payment, what was paid. */
  salesInclTax: number | null
  /** Σ tax of the counted items. */
  tax: number | null
  /** `salesInclTax` − `tax`. */
  salesExclTax: number | null
  /** Tips, in no other figure. */
  tips: number | null
  /** Σ of the totals below zero, as a positive amount; they lower `salesInclTax` as well. */
  refunds: number | null
  /** `salesInclTax` ÷ `orders`, rounded. */
  averagePerOrder: number | null
  /** `salesInclTax` ÷ `guests`, rounded. */
  averagePerGuest: number | null
}

export type SearchAnswer = {
  /** Orders, then reports, each the newest first; then products by name, and an entry of the journal. */
  data: Array<SearchHit>
  meta: {
    /** Number of the journal that was the head then. */
    sequence: number
  }
}

export type SearchHit = {
  /** What was found; an `entry` of the journal. */
  kind: 'order' | 'report' | 'product' | 'entry'
  /** Id of what was found; for an entry, of what it is about. */
  id: string
  /** Its number or name; of an entry its number, as in `#51238`. */
  label: string
  /** When the till made it; null for a product. */
  at: string | null
  /** Place of an order, till of a report, category of a product, kind of an entry. */
  detail: string | null
  /** Path at which it is read; of a product, that of the list. */
  url: string
}

export type SourceBell = {
  /** The source is read now, if it is active. */
  rung: boolean
}

export type SourceDay = {
  date: string
  /** What was paid by the orders that are stored, tips in it; of SumUp what was sold, without tips. */
  here: number
  /** The same as the source states it. */
  there: number
  /** `here` less `there`. */
  difference: number
  comparedAt: string
  /** When it was read again because it differed. */
  rereadAt: string | null
}

export type SourceDifference = {
  /** Id of the day of the source: the same when it is told again with other amounts. */
  id: string
  sourceId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** The shop in the source. */
  account: string
  /** The business day. */
  date: string
  /** What was paid by the orders that are stored, tips in it; of SumUp what was sold, without tips. */
  here: number
  /** The same as the source states it. */
  there: number
  /** `here` less `there`. */
  difference: number
}

/** A business day of a source is not what the source says, also after it was read again. */
export type SourceDiffersEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'source.differs'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: SourceDifference
}

export type SourceLeft = {
  key: string
  reason: string
}

export type SourceMember = {
  member: string
  count: number
}

export type SourceNotice = {
  /** Key of the document in its source. */
  key: string
  /** `left`: it is no sale. `refused`: it could not be read, and is read again. */
  kind: 'left' | 'refused'
  reason: string
  at: string
  /** How often it was read again. */
  tries: number
  nextTryAt: string | null
  /** The rejected record that has the document, while that is kept. */
  rejectedId: string | null
}

export type SourceReason = {
  kind: 'left' | 'refused'
  reason: string
  count: number
}

export type SourceRefused = {
  key: string
  reason: string
  document: string
}

export type Ticket = {
  /** Slug of the system. It is in every id, so it never changes. */
  source: string
  /** The shop in that system: its keys mean something there only. It becomes `externalLocationId`. */
  account: string
  /** The system’s own id of the sale, check or refund. It becomes `externalOrderId`. */
  key: string
  /** When the system changed it last: the newest version counts. */
  version: string
  opened: string
  /** Left out or null while it is open. */
  closed?: string | null
  /** The till that made it. */
  device?: {
    /** The system’s own id; what is not known has the empty key. */
    key: string
    name?: string
  }
  /** The person who served. */
  operator?: {
    /** The system’s own id; what is not known has the empty key. */
    key: string
    name?: string
  }
  /** Table or place. */
  place?: string
  /** As it is printed. */
  number?: string
  guests?: number
  /** The system’s own id of the customer. */
  customer?: string
  /** Left out, `pos`. */
  channel?: string
  /** Kind of service; left out, `eat_in`. */
  service?: string
  state?: 'sale' | 'canceled' | 'training'
  /** Why it was canceled. */
  reason?: string
  /** Key of the ticket that this refund gives back. */
  refundOf?: string
  /** Key of the closing that it is in. */
  closing?: string
  items: Array<TicketItem>
  menus?: Array<TicketMenu>
  /** Discounts on the whole ticket, not yet taken off the items: shared out among them, each rate its share. */
  discounts?: Array<TicketDiscount>
  payments: Array<TicketPayment>
  /** What cash was rounded by: total + rounding was paid. −2 where 12.02 became 12.00. */
  rounding?: number
  said?: TicketSaid
}

export type TicketDiscount = {
  name: string
  /** The system’s own id; the name when left out. */
  key?: string
  /** Taken off, positive; of a refund negative. */
  amount: number
}

export type TicketItem = {
  name: string
  /** The system’s own id of the product; the name when left out. */
  product?: string
  /** Negative where it is given back. */
  quantity: number
  unit?: 'each' | 'kg' | 'g' | 'lb' | 'oz'
  /** Amount of the whole line: discounts taken off, included taxes in it, taxes on top not. */
  amount: number
  /** Left out or empty: nobody said how it is taxed. */
  taxes?: Array<TicketTax>
  discounts?: Array<TicketDiscount>
  modifiers?: Array<TicketModifier>
  /** Category of the product. */
  category?: string
  /** Sub-category of the product. */
  sub?: string
  /** Name of the price type. */
  tier?: string
  /** Key of the menu of this ticket that it belongs to. */
  menu?: string
  /** Left out, `sale`. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
  /** It stays, and is in no sum. */
  state?: 'canceled' | 'loss'
  /** Why it was canceled or lost. */
  reason?: string
}

export type TicketMenu = {
  /** Key of this menu on this ticket. */
  key: string
  /** The system’s own id of the menu. */
  product?: string
  name: string
  quantity: number
  /** Informative: the items of the menu have the amounts. */
  amount: number
}

export type TicketModifier = {
  /** The question that it answers. */
  group?: {
    /** The system’s own id; what is not known has the empty key. */
    key: string
    name?: string
  }
  /** The system’s own id; the name where there is none. */
  key: string
  name: string
  /** Price of one; it is in `amount` of the item too. */
  amount?: number
  quantity?: number
}

export type TicketPayment = {
  name: string
  /** The system’s own id or type of the means of payment. */
  key: string
  kind?: 'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  /** Without the tip and without change; negative where it was paid back. */
  amount: number
  /** Paid with it beside the amount. */
  tip?: number
}

export type TicketRecord = {
  type: 'ticket'
  data: Ticket
}

/** What the system itself states of the whole. A ticket whose items do not make it is refused with the difference: only these totals can show what a converter forgot. */
export type TicketSaid = {
  /** Taxes in it, tips and cash rounding not. */
  total?: number
  tax?: number
  tips?: number
  /** What was paid, without tips. */
  payments?: number
}

export type TicketTax = {
  name: string
  /** The system’s own id of the tax. */
  key: string
  /** A fraction: 0.1 is 10 %. */
  rate: number
  /** Tax of the whole line, in minor units. */
  amount: number
  /** `included`: `amount` of the item contains it. `added`: it comes on top, and is added to the item. */
  mode: 'included' | 'added'
}

export type Tip = {
  /** Major units; not part of the order total. */
  amount: number
  paymentCatalogId?: string
  operatorId?: string
}

export type Verification = {
  id: string
  /** `ok`: every entry from `from` to `to` holds; those before `from` held when they were walked. `broken`: one does not. `failed`: it was cut off, which says nothing of the journal. */
  state: 'running' | 'ok' | 'broken' | 'failed'
  /** The first entry that is walked. */
  from: number
  /** The last one: the head of the journal when it began. */
  to: number
  /** The last entry that held so far. */
  verifiedTo: number
  /** The hash of that entry, which stands for everything before it. */
  hash: string
  /** The first entry that does not hold. */
  brokenAt: number | null
  /** Why it does not, or why it was cut off. */
  reason: string | null
  startedAt: string
  endedAt: string | null
}

export type VerificationInput = {
  /** From the first entry on, instead of where the last verification that held came to. */
  full?: boolean
}

export type VerificationList = {
  /** The newest first. */
  data: Array<Verification>
}

export type Warning = {
  /** JSON Pointer (RFC 6901) into the record. */
  pointer: string
  /** Each has a page under `/docs/warnings/`. */
  code:
    | 'amounts_in_cents'
    | 'prices_in_units'
    | 'price_negative'
    | 'decimals_beyond_currency'
    | 'tax_rate_over_one'
    | 'tax_rate_under_one_percent'
    | 'tax_rate_mismatch'
    | 'total_mismatch'
    | 'tax_mismatch'
    | 'discount_mismatch'
    | 'quantity_implausible'
    | 'payments_missing'
    | 'payments_mismatch'
    | 'refund_over_sale'
    | 'report_total_hundredfold'
    | 'unknown_order'
    | 'order_outside_report'
    | 'order_of_other_report'
    | 'report_number_twice'
    | 'reports_overlap'
    | 'time_ahead'
    | 'time_long_past'
    | 'time_long_ago'
    | 'created_at_missing'
    | 'times_behind'
    | 'times_reversed'
    | 'unknown_product'
    | 'unknown_tax'
    | 'unknown_payment'
    | 'unknown_device'
    | 'unknown_menu'
    | 'list_shrunk'
    | 'id_twice'
    | 'id_reused'
    | 'id_placeholder'
    | 'order_sent_twice'
    | 'text_placeholder'
    | 'text_padded'
    | 'device_name_twice'
    | 'siret_invalid'
    | 'count_restarted'
  detail: string
}

export type Webhook = {
  id: string
  createdAt: string
  updatedAt: string
  /** Event names, without duplicates. */
  events: Array<
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  >
  endpointUrl: string
  locationId: string
  /** Who is called; with `locationId` the pair that an upsert without `id` finds. */
  recipientId: string
  /** What people call it; not there where nobody named it. */
  name?: string
}

/** A webhook of the location is called no more. */
export type WebhookDisabledEvent = {
  /** The `webhook-id`: the same in retries, replays and the feed. */
  id: string
  type: 'webhook.disabled'
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Sequence of the change in the journal of the location. */
  sequence: number
  data: DisabledWebhook
}

export type WebhookInput = {
  events: Array<
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  >
  /** Absolute https URL without credentials, 2,048 characters at most. */
  endpointUrl: string
  locationId: string
  recipientId: string
  /** Update this webhook, or create it with this id. */
  id?: string
  /** What people call it; an empty one takes it away, and none leaves it as it is. */
  name?: string
}

export type WebhookPage = {
  data: Array<Webhook>
  meta: PageMeta
  links: PageLinks
}

export type WebhookSecret = {
  /** Standard Webhooks secret. */
  secret: string
}

export type WebhookStatistics = {
  data: Array<WebhookStatisticsOfOne>
  meta: {
    since: string
    until: string
    step: string
  }
}

export type WebhookStatisticsOfOne = {
  webhookId: string
  /** Without those in which nothing was sent. */
  steps: Array<WebhookStatisticsStep>
}

export type WebhookStatisticsStep = {
  from: string
  successes: number
  failures: number
  /** Half of the attempts took no longer. */
  p50Ms: number | null
  /** 95 of 100 attempts took no longer. */
  p95Ms: number | null
  failuresByClass: Record<string, number>
}

export type WebhookStatus = {
  /** `failing`: after 5 failures in a row it is only probed until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Journal number up to which events are delivered or set aside for retry. */
  sequence: number
  /** Journal entries after that. */
  behind: number
  /** Events waiting for a retry. */
  setAside: number
  /** Failures in a row. */
  failures: number
  failingSince: string | null
  /** When the next retry or probe is due. */
  nextAttemptAt: string | null
}

export type WebhookTestEntry = {
  /** Status of the delivery; 0 when no answer came. */
  status: number
  success: boolean
  message: string
  /** Empty when no answer came. */
  response: {
    headers?: Record<string, string>
    body?: string
    durationMs?: number
  }
}

export type WebhookTestInput = {
  locationId?: string
}

/** One entry per event that was sent, by event name. */
export type WebhookTestResult = Record<string, WebhookTestEntry>

/** What `data` of each event is. */
export type EventData = {
  'accounts.updated': BookAccountsVersion
  'batch.created': BookBatch
  'catalog.modifiers.updated': Array<CatalogModifierGroup>
  'catalog.payments.updated': Array<CatalogPayment>
  'catalog.products.updated': Array<CatalogProduct>
  'catalog.taxes.updated': Array<CatalogTax>
  'checkpoint.created': Checkpoint
  'closing.created': Closing
  'day.completed': BusinessDay
  'day.revised': BusinessDay
  'location.updated': Location
  'order.canceled': Order
  'order.created': Order
  'order.paid': Order
  'order.transferred': Order
  'order.updated': Order
  'report.created': Report
  'report.updated': Report
  'source.differs': SourceDifference
  'webhook.disabled': DisabledWebhook
}

/** What each event is about: the kind of resource, and the member of `data` that tells one of the kind from another; null: there is one. */
export const eventResources = {
  'accounts.updated': { kind: 'accounts', key: null },
  'batch.created': { kind: 'batch', key: 'number' },
  'catalog.modifiers.updated': { kind: 'catalog.modifiers', key: null },
  'catalog.payments.updated': { kind: 'catalog.payments', key: null },
  'catalog.products.updated': { kind: 'catalog.products', key: null },
  'catalog.taxes.updated': { kind: 'catalog.taxes', key: null },
  'checkpoint.created': { kind: 'checkpoint', key: 'size' },
  'closing.created': { kind: 'closing', key: 'id' },
  'day.completed': { kind: 'day', key: 'date' },
  'day.revised': { kind: 'day', key: 'date' },
  'location.updated': { kind: 'location', key: 'id' },
  'order.canceled': { kind: 'order', key: 'id' },
  'order.created': { kind: 'order', key: 'id' },
  'order.paid': { kind: 'order', key: 'id' },
  'order.transferred': { kind: 'order', key: 'id' },
  'order.updated': { kind: 'order', key: 'id' },
  'report.created': { kind: 'report', key: 'id' },
  'report.updated': { kind: 'report', key: 'id' },
  'source.differs': { kind: 'source', key: 'id' },
  'webhook.disabled': { kind: 'webhook', key: 'id' },
} as const satisfies Record<keyof EventData, { kind: string; key: string | null }>

export type GetLiveAnswer = {
  status: string
}

export type GetReadyAnswer = {
  status: string
}

export type ListAccessQuery = {
  /** Read on after this one. */
  after?: number
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Capped at 1,000. */
  limit?: number
}

export type AdminListAllActsQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
}

export type AdminListActsQuery = {
  /** Only entries of this location. */
  location?: string
  /** With `-sequence` newest first. */
  sort?: 'sequence' | '-sequence'
  /** Read on after this one, in the direction of `sort`. */
  after?: number
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Capped at 1,000. */
  limit?: number
}

export type AdminListKeysQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only entries of this location. */
  location?: string
  /** Whether they may be used. */
  state?: 'active' | 'ended' | 'all'
}

export type AdminCreateKeyBody = AdminKeyInput

export type AdminRotateKeyBody = AdminKeyRotation

export type AdminListLocationsQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type AdminCreateLocationBody = AdminLocationInput

export type AdminListLocationNamesQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only those whose name, city or id has this in it; case and accents do not matter. */
  q?: string
  /** Only these, separated by commas; 50 at most. */
  ids?: string
}

export type AdminChangeLocationBody = AdminLocationChange

export type AdminGetOverviewQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Hours without anything accepted after which a location is told of. Left out: when it has had no order for two hours longer than usual from that moment of the week on, or nothing for 24 hours while it is too new to say. */
  silentHours?: number
  /** Days without a verification of its journal that held after which a location is told of. */
  verifiedDays?: number
  /** Only locations that need attention, of the whole installation, the worst first; 500 at most. Without a page: `cursor` and `size` mean nothing. What was found is kept for 10 seconds. */
  troubled?: true
}

export type AdminListRejectedQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** The location that the records were sent for. */
  location: string
  /** Only this record, as long as it is kept. */
  id?: string
  /** Only records rejected for this. */
  code?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
}

export type AdminDeleteRejectedQuery = {
  /** The location that the records were sent for. */
  location: string
  /** Those received before this date or datetime. */
  before: string
}

export type AdminSummariseRejectedQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only entries of this location. */
  location?: string
  /** Only records rejected for this. */
  code?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Counts the whole installation, not a page of locations: `meta.next` is null. */
  all?: true
}

export type AdminListSourcesQuery = {
  /** Only entries of this location. */
  location?: string
}

export type AdminAddSourceBody = AdminSourceInput

export type AdminListWebhooksQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only entries of this location. */
  location?: string
  /** Only webhooks that stand so. */
  state?: 'enabled' | 'failing' | 'disabled'
}

export type SetBookAccountsBody = BookAccountsOwn

export type IssueBookBatchBody = BookBatchInput

export type ListBookBatchesQuery = {
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
}

export type GetBookBatchQuery = {
  /** `fec`: journal in FEC format. `csv`: for a spreadsheet. `hledger`: plain-text accounting, for ledger too. */
  format?: 'json' | 'fec' | 'csv' | 'hledger'
  /** Dialect of `csv`: `excel-fr` (`;`, decimal comma), which is usual here, or `rfc4180`. */
  dialect?: 'excel-fr' | 'rfc4180'
  /** Character set of `fec`: `iso-8859-15` unless it says `utf-8`. */
  encoding?: 'iso-8859-15' | 'utf-8'
}

export type ListBookDaysQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
}

export type ListBookingEntriesQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
  /** `fec`: journal in FEC format. `csv`: for a spreadsheet. `hledger`: plain-text accounting, for ledger too. */
  format?: 'json' | 'fec' | 'csv' | 'hledger'
  /** Dialect of `csv`: `excel-fr` (`;`, decimal comma), which is usual here, or `rfc4180`. */
  dialect?: 'excel-fr' | 'rfc4180'
  /** Character set of `fec`: `iso-8859-15` unless it says `utf-8`. */
  encoding?: 'iso-8859-15' | 'utf-8'
  /** Entries of sources that stand so. */
  state?: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  /** Ids of reports, or dates of days without one, separated by commas, that are booked from their own figures alone, to see what that makes. */
  accept?: string
  /** Leaves out of a file what cannot be booked. Without it that is 409 `books_incomplete`. */
  skip?: boolean
  /** Number of the page, from 0. */
  index?: number
  /** Entries per page. Values above 100 are capped. */
  size?: number
}

export type ListUnmappedQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
}

export type ListBusinessDaysQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
}

export type ListRevisedDaysQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
  /** Tell the orders that changed, too; of 7 days at most. */
  orders?: true
}

export type GetDayMessageQuery = {
  /** In which it is written, amounts and dates as well. */
  language?: 'en' | 'fr'
  /** Decides before `Accept`: all parts as JSON, the text alone, or the HTML alone. */
  format?: 'json' | 'text' | 'html'
}

export type ListCatalogChangesQuery = {
  /** List of the catalog. */
  list?: 'products' | 'modifiers' | 'payments' | 'taxes'
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ListCheckpointsQuery = {
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** Only the first checkpoint that covers this entry of the journal. */
  covers?: number
}

export type ProveGrowthQuery = {
  /** Size of the checkpoint that you have; 0 for none. */
  from: number
  /** Size of a later one; the last where it is left out. */
  to?: number
}

export type CloseDaysBody = ClosingInput

export type ListClosingsQuery = {
  /** Closings of days, months or years. */
  period?: 'day' | 'month' | 'year'
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** Only the closing that closed this business day: the first that ends with it or later. */
  date?: string
}

export type CreateConsoleLinkBody = ConsoleLinkInput

export type ListConsolePasskeysQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ListConsoleSessionsQuery = {
  /** Page size; values above 50 are reduced to 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** A link that waits for its use is live. */
  state?: 'live' | 'ended' | 'all'
}

export type GetDeductionsQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
}

export type GetEReportQuery = {
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
}

export type ListEventsQuery = {
  /** Continue after this sequence. */
  after?: number
  /** The `meta.epoch` that `after` comes from. A position that this journal left or never had is refused with 409, which names the position to continue from. */
  epoch?: string
  /** Same as the header `Last-Event-ID`, for clients that resume by URL: pages and streams begin after this event. The header takes precedence over it, and it takes precedence over `after`. */
  lastEventId?: string
  /** Alias of `lastEventId`, which takes precedence. */
  'Last-Event-ID'?: string
  /** Event names separated by commas; all events if absent. */
  types?: string
  /** Changes per page, at most 1,000. A page ends early at 8 MiB; continue from `meta.next`. */
  limit?: number
  /** For a stream: reduces the `data` of each event to the `id` of the resource, for clients that only need to know what changed. */
  data?: 'id'
  /** Seconds to wait for new events if there are none, at most 60. */
  wait?: number
}

export type ProveEventQuery = {
  /** Size of an older checkpoint; the last one where it is left out. */
  size?: number
}

export type ExportTableQuery = {
  /** Business days of this month: `2026-03`. */
  month: string
  /** Format of the file. */
  format?: 'parquet' | 'csv' | 'ndjson'
  /** Dialect of `csv`: `excel-fr` has semicolons and decimal commas. */
  dialect?: 'rfc4180' | 'excel-fr'
}

export type IngestQuery = {
  /** Return verdicts and warnings without storing anything. Records are checked in groups of 300. */
  dryRun?: true
  /** Import historical records: they are journaled, readable and counted in figures, but cause no webhook or event. */
  history?: true
}

export type ListIngestWarningsQuery = {
  /** So many at most. */
  limit?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Received then or later: a date or ISO 8601 datetime, inclusive. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Received then or earlier: a date or ISO 8601 datetime, inclusive. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Only warnings of this code. */
  code?:
    | 'amounts_in_cents'
    | 'prices_in_units'
    | 'price_negative'
    | 'decimals_beyond_currency'
    | 'tax_rate_over_one'
    | 'tax_rate_under_one_percent'
    | 'tax_rate_mismatch'
    | 'total_mismatch'
    | 'tax_mismatch'
    | 'discount_mismatch'
    | 'quantity_implausible'
    | 'payments_missing'
    | 'payments_mismatch'
    | 'refund_over_sale'
    | 'report_total_hundredfold'
    | 'unknown_order'
    | 'order_outside_report'
    | 'order_of_other_report'
    | 'report_number_twice'
    | 'reports_overlap'
    | 'time_ahead'
    | 'time_long_past'
    | 'time_long_ago'
    | 'created_at_missing'
    | 'times_behind'
    | 'times_reversed'
    | 'unknown_product'
    | 'unknown_tax'
    | 'unknown_payment'
    | 'unknown_device'
    | 'unknown_menu'
    | 'list_shrunk'
    | 'id_twice'
    | 'id_reused'
    | 'id_placeholder'
    | 'order_sent_twice'
    | 'text_placeholder'
    | 'text_padded'
    | 'device_name_twice'
    | 'siret_invalid'
    | 'count_restarted'
  /** Only warnings about records of this type. */
  type?:
    | 'order'
    | 'report'
    | 'catalog.products'
    | 'catalog.modifiers'
    | 'catalog.payments'
    | 'catalog.taxes'
    | 'location'
    | 'device.status'
}

export type ListIngestWarningsAnswer = {
  data: Array<{
    /** Time of the push. */
    receivedAt: string
    /** Line of the push, or position in the array. */
    line: number
    type:
      | 'order'
      | 'report'
      | 'catalog.products'
      | 'catalog.modifiers'
      | 'catalog.payments'
      | 'catalog.taxes'
      | 'location'
      | 'device.status'
    /** Id of the record; for a catalog list, the id of the location. */
    id: string
    /** JSON Pointer (RFC 6901) into the record. */
    pointer: string
    /** Each has a page under `/docs/warnings/`. */
    code:
      | 'amounts_in_cents'
      | 'prices_in_units'
      | 'price_negative'
      | 'decimals_beyond_currency'
      | 'tax_rate_over_one'
      | 'tax_rate_under_one_percent'
      | 'tax_rate_mismatch'
      | 'total_mismatch'
      | 'tax_mismatch'
      | 'discount_mismatch'
      | 'quantity_implausible'
      | 'payments_missing'
      | 'payments_mismatch'
      | 'refund_over_sale'
      | 'report_total_hundredfold'
      | 'unknown_order'
      | 'order_outside_report'
      | 'order_of_other_report'
      | 'report_number_twice'
      | 'reports_overlap'
      | 'time_ahead'
      | 'time_long_past'
      | 'time_long_ago'
      | 'created_at_missing'
      | 'times_behind'
      | 'times_reversed'
      | 'unknown_product'
      | 'unknown_tax'
      | 'unknown_payment'
      | 'unknown_device'
      | 'unknown_menu'
      | 'list_shrunk'
      | 'id_twice'
      | 'id_reused'
      | 'id_placeholder'
      | 'order_sent_twice'
      | 'text_placeholder'
      | 'text_padded'
      | 'device_name_twice'
      | 'siret_invalid'
      | 'count_restarted'
    detail: string
  }>
  meta: {
    /** Give it as `cursor` to go on; null at the end. */
    next: string | null
  }
}

export type VerifyJournalBody = VerificationInput

export type ListOwnKeyErrorsQuery = {
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
}

export type GetOwnKeyUsageQuery = {
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Length of a step; steps begin at full hours or days in UTC. */
  step?: '1m' | '5m' | '1h' | '1d'
}

export type GetOwnLocationQuery = {
  /** Include `deviceList`. Only `true` is allowed. */
  devices?: true
}

export type ListOrdersQuery = {
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** From a link `next`: the page begins after that place in the list, whatever came in before it meanwhile. `index` then only counts. */
  after?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Ascending by creation date (ties by id), or descending. */
  sort?: 'createdAt' | '-createdAt'
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that are waited for. */
  require?: 'complete'
  /** Only the orders of this report. */
  reportId?: string
  /** Only orders of this `orderNumber`. */
  number?: string
  /** Only orders of this till. */
  deviceId?: string
  /** Only orders of this operator. */
  operatorId?: string
  /** Only orders of this channel. */
  channel?: string
  /** Only orders of this kind of service. */
  serviceType?: string
  /** Only training orders, or only others. */
  isTraining?: boolean
  /** Only the orders behind a figure: counted ones. `category`, `productId`, `discountId`, `taxRate` and `isTaxNotStated` then look at counted items alone, which are neither canceled nor lost nor moved to another order, and are a sale. */
  isCounted?: true
  /** Only canceled orders, or only others. */
  isCanceled?: boolean
  /** Only orders with a payment of this `paymentName`. */
  payment?: string
  /** Only orders with an item of this category. */
  category?: string
  /** Only orders with an item of this product of the catalog. */
  productId?: string
  /** Only orders with this discount of the catalog on an item. */
  discountId?: string
  /** Only orders with an item of this rate, in hundredths of a percent as the figures have it. */
  taxRate?: number
  /** Only orders with an item whose tax nobody stated. */
  isTaxNotStated?: true
  /** Only orders of this `total` or more, in major units. */
  minTotal?: number
  /** Only orders of this `total` or less. */
  maxTotal?: number
  /** Only orders that were closed on this business day of the location or a later one, as the figures count them, whenever they were created. Without `closedUntil`, that day alone. */
  closedSince?: string
  /** The last business day of closing; without `closedSince` that day alone. */
  closedUntil?: string
  /** Only days of closing that are this weekday, 1 for Monday to 7 for Sunday. */
  weekday?: number
  /** Only orders that were closed in this local hour of the days of closing. */
  hour?: string
  /** Only orders that were closed in the local half hour that begins so. */
  halfHour?: string
  /** Closed orders have `closedAt`; open ones are still at the table. */
  state?: 'open' | 'closed' | 'all'
}

export type ProveOrderQuery = {
  /** Size of an older checkpoint; the last one where it is left out. */
  size?: number
}

export type ListReportsQuery = {
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** From a link `next`: the page begins after that place in the list, whatever came in before it meanwhile. `index` then only counts. */
  after?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Ascending by creation date (ties by id), or descending. */
  sort?: 'createdAt' | '-createdAt'
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that are waited for. */
  require?: 'complete'
}

export type ListReportChecksQuery = {
  /** Number of the page, from 0. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
  /** Only reports of this verdict. */
  verdict?: 'balanced' | 'unbalanced' | 'waiting'
  /** As the tills closed them (ties by id), or the newest first. */
  sort?: 'finalizedAt' | '-finalizedAt'
}

export type ProveReportQuery = {
  /** Size of an older checkpoint; the last one where it is left out. */
  size?: number
}

export type GetReportReconciliationQuery = {
  /** Names of the payments that fill the cash drawer, separated by commas, in place of what the location says: its setting `paymentKinds`, the `kind` of catalog payments, and the usual words such as Espèces, Cash and Bar. */
  cash?: string
  /** Answer what is wrong and nothing else: `figures` are those that do not agree, and of `orders` the lists that keep the report from being balanced; `counted`, `canceled` and `training` are empty. */
  only?: 'differences'
}

export type GetSalesQuery = {
  /** Decides before `Accept`, for plain links: `csv` is a file for spreadsheets, which begins with the mark of UTF-8. */
  format?: 'json' | 'csv'
  /** First business day; today when left out. */
  since?: string
  /** Last business day; the same as `since` when left out. */
  until?: string
  /** `total`; a grain `day`, `week`, `month`, `weekday`, `hour`, `halfHour`; a dimension `product`, `category`, `tax`, `payment`, `channel`, `serviceType`, `operator`, `device`, `discount`, `report`; or a grain and a dimension, as in `day,product`; `hour` with a dimension for 31 days and 20,000 orders at most; or days by the time of day, as in `weekday,halfHour`. */
  by?: string
  /** Only business days that are this weekday, 1 for Monday to 7 for Sunday; not with `hour` and a dimension. */
  weekday?: number
  /** Only what was closed at this local full or half hour of its business day or later; with `total` and the grains alone. `excluded` and `open` are those of whole days. */
  from?: string
  /** Only what was closed before this local full or half hour of its business day; with `total` and the grains alone. `excluded` and `open` are those of whole days. */
  before?: string
  /** Beside it the days just before, the same weekdays before, the same dates a year earlier, the same weekdays 52 weeks earlier (`yearWeekday`), or `fourWeeks`: one of the four weeks before on average, those without sales left out; not by `day`, `week` and `month`. */
  compare?: 'previous' | 'weekday' | 'year' | 'yearWeekday' | 'fourWeeks'
  /** Where the range ends with the business day that is not over, the days compared with end as long after their beginning, to the minute. Needs `compare`; not with `from` and `before`, nor with `hour` and a dimension. */
  upToNow?: true
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that are waited for. */
  require?: 'complete'
}

export type ListSalesOfLocationsQuery = {
  /** Business days by a word, in the time zone of each location; not with `since` and `until`. */
  range?: 'today' | 'yesterday' | '7d' | '28d' | 'month' | 'lastMonth' | 'year'
  /** First business day. */
  since?: string
  /** Last business day; the same as `since` when left out. */
  until?: string
}

export type SearchQuery = {
  /** Beginning of an order number, or its end among the last orders; number of a Z report, with or without Z; number of the journal or id of an event; words of the name of a product, or an id of an order, report or product from its first 8 digits on. */
  q: string
  /** Hits of each kind at most; capped at 50. */
  limit?: number
}

export type ListWebhooksQuery = {
  /** Zero-based page. Values above 9007199254740991 are read as that. */
  index?: number
  /** Resources per page. Values above 100 are capped. */
  size?: number
}

export type UpsertWebhookBody = WebhookInput

export type GetWebhookStatisticsQuery = {
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Length of a step; steps begin at full hours or days in UTC. */
  step?: '5m' | '1h' | '1d'
}

export type TestWebhookBody = WebhookTestInput

export type ListDeliveriesQuery = {
  /** Resources per page. Values above 100 are capped. */
  size?: number
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Only attempts for this event. */
  event?:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
  /** Only attempts with this outcome. */
  outcome?: 'success' | 'failure'
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ListDeliveryFailuresQuery = {
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  since?: string
  /** Date or ISO 8601 datetime, inclusive, on `createdAt`. A date is the whole UTC day; no zone means UTC. */
  until?: string
  /** Only attempts for this event. */
  event?:
    | 'order.created'
    | 'order.updated'
    | 'order.paid'
    | 'order.canceled'
    | 'order.transferred'
    | 'report.created'
    | 'report.updated'
    | 'catalog.products.updated'
    | 'catalog.modifiers.updated'
    | 'catalog.payments.updated'
    | 'catalog.taxes.updated'
    | 'location.updated'
    | 'day.completed'
    | 'day.revised'
    | 'accounts.updated'
    | 'batch.created'
    | 'closing.created'
    | 'checkpoint.created'
    | 'source.differs'
    | 'webhook.disabled'
}

export type ListPendingEventsQuery = {
  /** Page size; values above 100 are reduced to 100. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ReplayWebhookBody = ReplayInput
