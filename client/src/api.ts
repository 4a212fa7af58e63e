// This file is made from openapi.json by `npm run make -- openapi`.

export type AccessPage = {
  data: Array<ReadsEntry | ActEntry>
  meta: {
    /** Pass it as `after` to continue. */
    next: number
    /** Last entry; equal to `next` at the end. */
    head: number
  }
}

/** The accounts of the location changed. */
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
  /** Current name of the key or session that did it, even if revoked; without a name, its first characters. Absent if it is neither a key nor a session, or was deleted. */
  byName?: string
  /** With `cli`: the user account that ran the command; with sudo, the account that called it. */
  account?: string
  /** Id of the affected key, webhook or session. */
  subject: string | null
  /** Current name of the key or session that it was done to, even if revoked; without a name, its first characters. Absent if it is neither a key nor a session, or was deleted. */
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
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminDeleted = {
  deleted: number
}

export type AdminInstallationProblem = {
  /** `disk_low`: pushes are refused for lack of disk space. `database_clock`: the clocks of the database and of this process differ by five seconds or more. `disk_filling`: less than a tenth of the disk, or less than four times the reserve, is free. `disk_days_left`: at the current rate, pushes will be refused within two weeks for lack of disk space. `backup_old`: a location has no valid backup of the last two days. `entries_lost`: acknowledged entries are lost, and the loss was not acknowledged. */
  kind: 'disk_low' | 'disk_filling' | 'disk_days_left' | 'entries_lost' | 'backup_old' | 'database_clock'
  /** By kind: difference of the clocks, or age of the oldest of the last backups, in milliseconds; free bytes; days left; minimum number of lost entries; otherwise 1. */
  count: number
}

export type AdminKey = {
  id: string
  /** First characters of the key. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  /** Recipient whose webhooks the key can use; null if the key is not restricted to one recipient. */
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  /** Null if the key does not expire. */
  expiresAt: string | null
  /** Null if the key was not revoked. */
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
}

export type AdminKeyInput = {
  /** Id of the location; absent for a key with scope `admin`. */
  locationId?: string
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  name?: string
  /** Restrict the key to the webhooks of this recipient. */
  recipientId?: string
  /** Expiry of the key; never by default. */
  expiresAt?: string
  /** Create a key that begins with `tg_test_`. */
  test?: boolean
}

export type AdminKeyMade = {
  id: string
  /** First characters of the key. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  /** Recipient whose webhooks the key can use; null if the key is not restricted to one recipient. */
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  /** Null if the key does not expire. */
  expiresAt: string | null
  /** Null if the key was not revoked. */
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
  /** The key. It is shown only once, and stored as a hash. */
  key: string
  /** Expiry of the replaced key, or null. */
  formerUntil: string | null
}

export type AdminKeyPage = {
  data: Array<AdminKey>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminKeyRevoked = {
  id: string
  /** First characters of the key. */
  hint: string
  name: string
  /** Null for a key of the installation. */
  locationId: string | null
  /** Recipient whose webhooks the key can use; null if the key is not restricted to one recipient. */
  recipientId: string | null
  scopes: Array<'read' | 'webhooks' | 'ingest' | 'books' | 'admin'>
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  /** Null if the key does not expire. */
  expiresAt: string | null
  /** Null if the key was not revoked. */
  revokedAt: string | null
  /** Written about once a minute. */
  lastUsedAt: string | null
  /** Webhooks of the key, which continue. */
  webhooks: Array<string>
}

export type AdminKeyRotation = {
  /** Time for which both keys are valid. */
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
  /** Local time at which a business day begins. Sales before it belong to the previous business day. */
  dayStartsAt: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts: string
  /** French e-reporting: the category of each `serviceType` that differs from the default (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices out of service, by `deviceId` or name as in `GET /v1/completeness/`, each with the business day on which it was taken out. Days do not wait for them. A device with activity on a later day is in service again. */
  retiredDevices: Record<string, string>
  /** Kinds of payments by the name that tills use; only `cash` counts as cash in the drawer. For other names, `kind` of the catalog payment decides, then a list of common names. Case and accents are ignored. */
  paymentKinds: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a gap in the numbers of a till’s Z reports is a missing report. `any`: gaps are ignored, for example because several tills share one counter. */
  reportNumbers: 'consecutive' | 'any'
  createdAt: string
  /** Null if the location is active. */
  deactivatedAt: string | null
  /** Last sequence of its journal. */
  sequence: number
  /** Time of the last accepted record. */
  lastAcceptedAt: string | null
  /** When the newest order was opened. */
  lastOrderAt: string | null
  /** Sales of the current business day; null while the figures are being built. */
  today: AdminLocationToday | null
  openOrders: number
  /** Number of records rejected in the last 24 hours. */
  rejected24h: number
  webhooks: {
    enabled: number
    failing: number
    disabled: number
  }
  /** Everything that active tills closed until this time has arrived; null while unknown. */
  completeUntil: string | null
  /** Time of its last valid backup; null if it has none. */
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
  /** Local time at which a business day begins. Sales before it belong to the previous business day. */
  dayStartsAt?: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts?: string
  /** French e-reporting: the category of each `serviceType` that differs from the default (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories?: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices out of service, by `deviceId` or name as in `GET /v1/completeness/`, each with the business day on which it was taken out. Days do not wait for them. A device with activity on a later day is in service again. */
  retiredDevices?: Record<string, string>
  /** Kinds of payments by the name that tills use; only `cash` counts as cash in the drawer. For other names, `kind` of the catalog payment decides, then a list of common names. Case and accents are ignored. */
  paymentKinds?: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a gap in the numbers of a till’s Z reports is a missing report. `any`: gaps are ignored, for example because several tills share one counter. */
  reportNumbers?: 'consecutive' | 'any'
}

export type AdminLocationInput = {
  /** Name of the restaurant. */
  name: string
  /** Id of the location, if the till has one. */
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
  /** Local time at which a business day begins. Sales before it belong to the previous business day. */
  dayStartsAt?: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts?: string
  /** French e-reporting: the category of each `serviceType` that differs from the default (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories?: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices out of service, by `deviceId` or name as in `GET /v1/completeness/`, each with the business day on which it was taken out. Days do not wait for them. A device with activity on a later day is in service again. */
  retiredDevices?: Record<string, string>
  /** Kinds of payments by the name that tills use; only `cash` counts as cash in the drawer. For other names, `kind` of the catalog payment decides, then a list of common names. Case and accents are ignored. */
  paymentKinds?: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a gap in the numbers of a till’s Z reports is a missing report. `any`: gaps are ignored, for example because several tills share one counter. */
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
  /** Null if the location is active. */
  deactivatedAt: string | null
}

export type AdminLocationNamePage = {
  data: Array<AdminLocationName>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminLocationPage = {
  data: Array<AdminLocation>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminLocationToday = {
  businessDay: string
  /** Number of counted orders. */
  orders: number
  /** In minor units of the currency of the location. */
  salesInclTax: number
}

export type AdminMetrics = {
  /** Start of the statistics of this process. */
  since: string
  /** Routes that were called, most requests first. */
  routes: Array<AdminRoute>
}

export type AdminOverview = {
  data: Array<AdminOverviewOfOne>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
    /** With `troubled`: number of all locations. */
    locations?: number
    /** Number of locations that need attention. */
    troubled?: number
  }
  /** Problems of the installation itself. */
  installation: {
    /** Problems; empty if there are none. */
    problems: Array<AdminInstallationProblem>
  }
}

export type AdminOverviewOfOne = {
  locationId: string
  name: string
  city: string
  sequence: number
  /** Time of the last accepted record. */
  lastAcceptedAt: string | null
  /** Problems that need attention; empty if there are none. */
  problems: Array<{
    /** `journal_broken`: the last verification failed. `silent`: no order for longer than usual, or, for a location too new to tell, nothing for 24 hours. `report_unbalanced`: Z reports of the last 7 days that differ from their orders. `not_verified`: no successful verification for `verifiedDays`. `clock_ahead`: tills whose clock was a minute or more ahead when they pushed one of the last 100 orders. */
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
    /** Start of the problem; null if unknown. */
    since: string | null
    /** Number of records, reports, tills or days, or of entries that a webhook is behind; otherwise 1. */
    count: number
    /** Id of the webhook, or of the till that is furthest ahead. */
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
  /** The record as sent by the till. */
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
  /** JSON Pointer of the first fault in the record; empty if there is none. */
  pointer: string
  count: number
  firstAt: string
  lastAt: string
  /** Id of the newest record. */
  lastId: string
}

export type AdminRejectedPage = {
  data: Array<AdminRejected>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminRejectedSummary = {
  data: Array<AdminRejectedGroup>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AdminRoute = {
  method: string
  /** Path of the route; `none` for requests without a route. */
  route: string
  requests: number
  /** Number of responses with status 400 to 499. */
  refused: number
  /** Number of responses with status 500 and above. */
  failed: number
  /** Median response time, rounded up to a histogram step; null above ten seconds. */
  medianMs: number | null
  /** 95th percentile of the response time. */
  p95Ms: number | null
}

export type AdminSetting = {
  /** Environment variable of the setting. */
  name: string
  group: string
  /** Description of the setting. */
  help: string
  /** Current value; null if not set, and for settings with a password. */
  value: string | null
  /** Default value, in words. */
  default: string
  /** Whether the default applies. */
  isDefault: boolean
  /** Whether it contains a password, which is never shown. */
  isSecret: boolean
}

export type AdminSettings = {
  data: Array<AdminSetting>
}

export type AdminSource = {
  id: string
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** Id of the shop in the source. */
  account: string
  /** `failing`: the last run failed and is retried. `stopped`: a problem must be resolved first, see `lastError`. `paused`: paused manually, or never started. */
  state: 'active' | 'failing' | 'paused' | 'stopped'
  /** Reference to its secret, never the secret itself. */
  secret: string
  /** Whether the point-of-sale system can call `POST /v1/sources/{id}/bell`. */
  hasBell: boolean
  /** Interval between two runs. */
  everySeconds: number
  createdAt: string
  /** Documents last changed before this time are not read. */
  readsFrom: string
  /** Changes before this time were stored without events; null if nothing is stored yet. */
  storedFrom: string | null
  /** Changes up to this time are stored; null before the first. */
  readUntil: string | null
  /** Start of the last run. */
  beganAt: string | null
  /** End of the last successful run. */
  succeededAt: string | null
  /** Time of the next run; null if none is scheduled. */
  nextRunAt: string | null
  /** Number of failed runs since the last successful one. */
  failures: number
  /** Time of the first failure since the last successful run; null if there is none. */
  failingSince: string | null
  /** Error of the last failed run; null if none has failed since the last successful run. */
  lastError: string | null
  /** Number of new or changed records. */
  accepted: number
  /** When its days were last compared with the source. */
  comparedAt: string | null
}

export type AdminSourceCheck = {
  /** Last ended business day. */
  date: string
  currency: string
  /** Number of documents changed since the start of the day. */
  documents: number
  /** Number of counted orders of the day. */
  orders: number
  /** Sum of the counted orders of the day. */
  sales: number
  /** Payments of the counted orders of the day, including tips; for SumUp, sales without tips. */
  here: number
  /** The amount of `here` according to the source. */
  there: number
  difference: number
  /** Whether there are more documents than a check reads. */
  isCut: boolean
  /** At most 200 records. */
  left: Array<SourceLeft>
  /** At most 50, each with the beginning of its document. */
  refused: Array<SourceRefused>
  /** Document fields that are not used, at most 50. */
  unmapped: Array<SourceMember>
}

export type AdminSourceDetail = {
  id: string
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** Id of the shop in the source. */
  account: string
  /** `failing`: the last run failed and is retried. `stopped`: a problem must be resolved first, see `lastError`. `paused`: paused manually, or never started. */
  state: 'active' | 'failing' | 'paused' | 'stopped'
  /** Reference to its secret, never the secret itself. */
  secret: string
  /** Whether the point-of-sale system can call `POST /v1/sources/{id}/bell`. */
  hasBell: boolean
  /** Interval between two runs. */
  everySeconds: number
  createdAt: string
  /** Documents last changed before this time are not read. */
  readsFrom: string
  /** Changes before this time were stored without events; null if nothing is stored yet. */
  storedFrom: string | null
  /** Changes up to this time are stored; null before the first. */
  readUntil: string | null
  /** Start of the last run. */
  beganAt: string | null
  /** End of the last successful run. */
  succeededAt: string | null
  /** Time of the next run; null if none is scheduled. */
  nextRunAt: string | null
  /** Number of failed runs since the last successful one. */
  failures: number
  /** Time of the first failure since the last successful run; null if there is none. */
  failingSince: string | null
  /** Error of the last failed run; null if none has failed since the last successful run. */
  lastError: string | null
  /** Number of new or changed records. */
  accepted: number
  /** When its days were last compared with the source. */
  comparedAt: string | null
  currency: string
  /** Compared business days of the last 14, newest first. */
  days: Array<SourceDay>
  /** Latest 200 documents. */
  notices: Array<SourceNotice>
  /** Number of skipped and refused documents by reason, at most 50. */
  reasons: Array<SourceReason>
}

export type AdminSourceInput = {
  locationId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** Id of the shop in the source. */
  account: string
  /** Reference to its secret, for the process that runs deliveries: `env:SOURCE_…`, or `file:` with a path in `TILLGATE_SOURCE_SECRETS_DIR`. Never the secret itself. */
  secret: string
  /** Reference to the key that signs notifications of the point-of-sale system, in the same form. */
  bellSecret?: string
  /** Documents last changed before this time are not read. By default 31 days ago. */
  since?: string
  /** Seconds between two runs; 300 by default. */
  everySeconds?: number
}

/** Sources of a location, or of the installation, at most 1,000. */
export type AdminSourceList = {
  data: Array<AdminSource>
}

export type AdminSystem = {
  version: string
  node: string
  startedAt: string
  /** Memory of this process, in bytes. */
  memoryBytes: number
  /** Number of locations, counted up to 1,000. */
  locations: number
  /** Disk of the embedded database; null for an external database. */
  disk: {
    freeBytes: number
    totalBytes: number
    /** Free space in bytes below which pushes are refused. */
    reserveBytes: number
    /** Trend of the disk; null until it was observed for three days. */
    trend: {
      /** Start of the observation, at most two weeks ago. */
      since: string
      /** Decrease of free space per day, in bytes; negative if it grows. */
      bytesPerDay: number
      /** Days until pushes are refused at this rate; null if free space does not decrease. */
      daysLeft: number | null
    } | null
  } | null
  upkeep: {
    /** Oldest of the last valid backups of all locations; null if there is none. */
    oldestBackupAt: string | null
    /** Number of locations without a backup. */
    withoutBackup: number
    /** Oldest of the last successful verifications of all locations. */
    oldestVerificationAt: string | null
    withoutVerification: number
    /** Number of locations whose last verification failed. */
    broken: number
  }
  /** Time by which the database clock is ahead of the clock of this process. */
  clockOffsetMs: number
  /** Database connections of all processes, by PostgreSQL state. */
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
      /** Number of rows, estimated by PostgreSQL. */
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
  /** With `locationId`, selects the webhook to update if `id` is absent. */
  recipientId: string
  /** Name of the webhook; absent if it has none. */
  name?: string
  /** `failing`: after 5 consecutive failures only probes are sent until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Sequence up to which events were delivered or scheduled for a retry. */
  sequence: number
  /** Number of journal entries after `sequence`. */
  behind: number
  /** Number of events that wait for a retry. */
  setAside: number
  /** Number of consecutive failures. */
  failures: number
  /** First failure since the last success; null if there is none. */
  failingSince: string | null
  /** Time of the next retry or probe. */
  nextAttemptAt: string | null
}

export type AdminWebhookPage = {
  data: Array<AdminWebhook>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type AppliedDiscount = {
  discountName: string
  /** Amount deducted, in major units. */
  discountValue: number
  discountCatalogId: string
}

export type AppliedModifier = {
  modifierGroupId: string
  modifierId: string
  name: string
  /** Price of one modifier, in major units, tax included. The `unitPrice` of the item includes it. */
  price?: number
  /** Quantity per item; 1 if absent. */
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
  /** Id of the Z report, or date of a business day without one. */
  reportId: string
  /** Reason given by the person who accepts it. */
  reason: string
}

export type BookAccount = {
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Auxiliary account number, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookAccounts = {
  /** Version of the accounts; 0 if none were set. */
  version: number
  /** Journal sequence; 0 if none were set. */
  sequence: number
  own: BookAccountsOwn
  effective: BookAccountsEffective
}

/** The defaults combined with `own`. */
export type BookAccountsEffective = {
  /** `direct`: one entry of payments against revenue and tax. `clearing`: an entry of sales and an entry of cash, linked by `accounts.clearing`. */
  layout: 'direct' | 'clearing'
  /** `direct` uses `cash` only. */
  journals: {
    cash?: BookJournal
    sales?: BookJournal
  }
  /** Splits revenue by this dimension in addition to the tax rate. */
  revenueBy: 'rate' | 'category' | 'serviceType'
  /** `gross`: revenue at list price, with discounts on `accounts.discount`. */
  discounts: 'net' | 'gross'
  /** Whether cash movements are booked. */
  drawer: boolean
  /** Minor units by which the tax of a Z report may differ from its orders, per rate. The tax of the Z report is booked. */
  taxTolerance: number
  /** First day of the books: earlier entries are never issued, because another program booked them. */
  startsOn: string | null
  /** The books are closed up to this day. Later entries for it are dated on the following day. */
  closedUntil: string | null
  /** Codes of tills by name, used in `pieceRef`: `C1-Z358`. */
  tills: Record<string, string>
  /** Whether counted orders of a complete day that no Z report names are booked as an entry of the day. */
  withoutReport: 'day' | 'refuse'
  /** Accounts of payments, one row per name. */
  payments: Array<BookPayment>
  /** The most specific row wins (category before service before rate), then the last. */
  revenue: Array<BookRevenue>
  /** Accounts of VAT, one row per rate. */
  tax: Array<BookTax>
  /** Accounts for cash movements, by type. */
  entries: Array<BookDrawerEntry>
  /** Other accounts: `untaxed` for sales without a stated tax, `vouchers` and `deposits` for liabilities to guests, `debts` for payments on account, `rounding` for cash rounding. If `overpaid` or `unpaid` is null, a Z report that needs it is refused. */
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

/** Accounts set by the location. */
export type BookAccountsOwn = {
  /** `direct`: one entry of payments against revenue and tax. `clearing`: an entry of sales and an entry of cash, linked by `accounts.clearing`. */
  layout?: 'direct' | 'clearing'
  /** `direct` uses `cash` only. */
  journals?: {
    cash?: BookJournal
    sales?: BookJournal
  }
  /** Splits revenue by this dimension in addition to the tax rate. */
  revenueBy?: 'rate' | 'category' | 'serviceType'
  /** `gross`: revenue at list price, with discounts on `accounts.discount`. */
  discounts?: 'net' | 'gross'
  /** Whether cash movements are booked. */
  drawer?: boolean
  /** Minor units by which the tax of a Z report may differ from its orders, per rate. The tax of the Z report is booked. */
  taxTolerance?: number
  /** First day of the books: earlier entries are never issued, because another program booked them. */
  startsOn?: string | null
  /** The books are closed up to this day. Later entries for it are dated on the following day. */
  closedUntil?: string | null
  /** Codes of tills by name, used in `pieceRef`: `C1-Z358`. */
  tills?: Record<string, string>
  /** Whether counted orders of a complete day that no Z report names are booked as an entry of the day. */
  withoutReport?: 'day' | 'refuse'
  /** Accounts of payments, one row per name. */
  payments?: Array<BookPayment>
  /** The most specific row wins (category before service before rate), then the last. */
  revenue?: Array<BookRevenue>
  /** Accounts of VAT, one row per rate. */
  tax?: Array<BookTax>
  /** Accounts for cash movements, by type. */
  entries?: Array<BookDrawerEntry>
  /** Other accounts: `untaxed` for sales without a stated tax, `vouchers` and `deposits` for liabilities to guests, `debts` for payments on account, `rounding` for cash rounding. If `overpaid` or `unpaid` is null, a Z report that needs it is refused. */
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
  /** Journal sequence at which the batch was computed. */
  sequence: number
  currency: string
  timeZone: string
  siren: string | null
  entries: Array<BookingEntry>
  accepted: Array<BookAcceptance>
  /** Ids of skipped sources. */
  skipped: Array<string>
  /** More entries are due than fit into one batch; issue the next one. */
  hasMore: boolean
}

export type BookBatchInput = {
  /** Last business day to issue. */
  until: string
  /** Number of the last batch, 0 before the first, so that a repeated request issues nothing twice. */
  after: number
  /** Z reports, or days without a Z report, to book from their own figures. */
  accept?: Array<BookAcceptance>
  /** `suspense` books amounts without an account to the suspense account. */
  unmapped?: 'refuse' | 'suspense'
  /** Skip refused and waiting sources, for a later batch. */
  skip?: boolean
  /** Counts the entries without issuing them: see `due`. */
  dryRun?: boolean
  /** `plan` of a dry run: issues exactly these entries, or none (409 `batch_changed`). */
  plan?: string
  /** Ids of sources to reverse and reissue with the current accounts, although nothing changed. */
  reissue?: Array<string>
}

export type BookBatchList = {
  /** Batches, newest first. */
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
  /** Journal sequence at which the batch was computed. */
  sequence: number
  /** Number of entries in the batch. */
  entries: number
}

export type BookDay = {
  /** Business day that is booked. */
  date: string
  /** Worst state of its sources; null without sources. */
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty' | null
  /** Sales of the day, tax included, in minor units. */
  salesInclTax: number
  sources: Array<BookDaySource>
  /** Batches with entries of the day. */
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
    /** Journal sequence of this state. */
    sequence: number
    /** Everything that active tills closed until this time has arrived. */
    completeUntil: string | null
    accountsVersion: number
  }
}

export type BookDaySource = {
  id: string
  type: 'report' | 'day'
  pieceRef: string
  /** Null for a day. */
  reportNumber: number | null
  /** Till of the Z report; null for a day. */
  deviceName: string | null
  state: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  salesInclTax: number
  reasons: Array<BookReason>
  warnings: Array<BookWarning>
  /** Names without an account. A batch is refused until each has one or is booked to the suspense account. */
  unmapped: number
  /** Numbers of the issued entries; empty before they are issued. */
  numbers: Array<string>
}

export type BookDrawerEntry = {
  entryType: string
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Auxiliary account number, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookHindrance = {
  /** `source` is a Z report or day that cannot be booked now; its names are checked when it can be. */
  what: 'payment' | 'tax' | 'revenue' | 'entry' | 'source'
  name?: string
  rate?: number
  category?: string
  entryType?: string
  /** Sum booked to the suspense account for this name. */
  amount: number
  /** Number of Z reports or days with this name. */
  sources: number
  /** For a source: the id of the Z report, or the date of the day. */
  id?: string
  /** For a source: its business day. */
  date?: string
  pieceRef?: string
  /** For a source: refused, waiting or blocked. */
  state?: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  /** For a source: why it cannot be booked. */
  reasons?: Array<BookReason>
}

export type BookJournal = {
  /** Code of the journal. */
  code: string
  /** Name of the journal. */
  name: string
}

export type BookPayment = {
  /** Name used by the tills; case and accents are ignored. */
  name: string
  /** Number of the account. */
  account?: string
  /** Name of the account. */
  accountName?: string
  /** Auxiliary account number, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
  /** Whether it is cash, which counts in the drawer and is booked to the cash account. Not with `account`. */
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
  /** Amount in the Z report, in minor units. */
  reported: number | null
  /** Sum of the orders of the Z report, in minor units. */
  computed: number | null
  /** Reported amount minus computed amount. */
  difference: number | null
  /** Affected orders, at most 100. */
  orderIds: Array<string>
}

export type BookRefused = {
  /** Id of the Z report, or date of the day. */
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
  /** Auxiliary account number, if any. */
  auxiliary?: string
  /** Name of the auxiliary account. */
  auxiliaryName?: string
}

export type BookSource = {
  /** A Z report, or a business day without a Z report. */
  type: 'report' | 'day'
  /** Null for a day. */
  reportId: string | null
  /** Null for a day. */
  reportNumber: number | null
  /** Till; null for a day. */
  deviceName: string | null
  /** Journal sequence of the Z report, or of the last order. */
  sequence: number
}

export type BookTax = {
  /** Hundredths of a percent. */
  rate: number
  /** Number of the account. */
  account: string
  /** Name of the account. */
  accountName?: string
  /** Auxiliary account number, if any. */
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
  /** Sum booked to the suspense account for this name. */
  amount: number
  /** Number of Z reports or days with this name. */
  sources: number
}

export type BookVat = {
  /** Hundredths of a percent. */
  rate: number
  taxable: number
  tax: number
  /** Tax computed from the taxable sum; tills round item by item. */
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
  /** Amount of the warning in minor units; null if it has none. */
  amount: number | null
}

export type BookingEntriesOfSource = {
  data: Array<BookingEntry>
  meta: {
    /** Journal sequence of this state. */
    sequence: number
    accountsVersion: number
  }
}

export type BookingEntry = {
  /** Id of the Z report, or date of the day; followed by `/sales` or `/cash` in the layout `clearing`. */
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
  /** Version of the accounts used. */
  accountsVersion: number
  hash: string
  /** Number of the issued entry; null before it is issued. */
  number: string | null
  /** Batch that issued the entry. */
  batch: number | null
  /** Number of the reversed entry. */
  reverses: string | null
  warnings: Array<BookWarning>
}

export type BookingEntryList = {
  /** Ordered by date, till and number. */
  data: Array<BookingEntry>
  /** Sources that cannot be booked now: waiting, refused or blocked. */
  refused: Array<BookRefused>
  unmapped: Array<BookUnmapped>
  /** VAT of all entries of the range, highest rate first. */
  vat: Array<BookVat>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Journal sequence of this state. */
    sequence: number
    /** Everything that active tills closed until this time has arrived. */
    completeUntil: string | null
    accountsVersion: number
    /** Derived from the `siret` of the location, if valid. */
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
  /** Null if there is none. */
  auxiliary: string | null
  /** Null if there is none. */
  auxiliaryName: string | null
  label: string
  /** Not negative; either debit or credit is 0. */
  debit: number
  /** Not negative; either debit or credit is 0. */
  credit: number
  /** Kind of amount of the line. */
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
  /** Key of the amount: payment name, rate, rate with category or service, or type of the cash movement. */
  key: string | null
}

export type BusinessDay = {
  /** Local date on which it begins. */
  date: string
  /** `open`: not ended, or not closed by every active device. `closed`: closed by all of them, but something is missing. `complete`: nothing is missing. `revised`: changed after it was complete. */
  status: 'open' | 'closed' | 'complete' | 'revised'
  /** Number of changes since it was first complete. */
  revision: number
  /** Whether it has ended, every active device has closed it, and nothing is missing now. */
  isComplete: boolean
  startsAt: string
  /** Start of the next business day. */
  endsAt: string
  /** Whether every Z report agrees with its orders; null without Z reports. */
  balanced: boolean | null
  /** Sales as in `GET /v1/sales/`, in minor units. */
  sales: {
    /** Number of counted orders closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** Z reports of the day, in order of closing. */
  reports: Array<ReportOfDay>
  /** Missing numbers of Z reports; at most 100 of each gap. */
  missingReports: Array<{
    deviceName: string
    reportNumber: number
  }>
  orders: {
    /** Orders of a Z report that have not arrived; at most 100 of each report. */
    missing: Array<string>
    /** Orders of a Z report that are still open; at most 100 of each report. */
    open: Array<string>
    /** Orders with the id of a Z report that does not list them; at most 100 of each report. */
    extra: Array<string>
    /** Counted orders of the day that are in no Z report, of devices that have made one. */
    unreported: number
  }
  /** Devices that have not closed the day. */
  waitingFor: Array<{
    deviceId: string | null
    deviceName: string | null
  }>
}

export type BusinessDayList = {
  /** Requested days, oldest first. */
  data: Array<BusinessDay>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** ISO 4217; amounts are in its minor units. */
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Journal sequence of this state. */
    sequence: number
    /** Everything that active tills closed until this time has arrived; null while unknown. */
    completeUntil: string | null
    /** Whether a Z report or a till status has ever closed a day at this location. If false, days with sales are neither complete nor missing anything. */
    closesDays: boolean
  }
}

export type CatalogChange = {
  kind: 'added' | 'changed' | 'removed'
  /** Id of the product, modifier group, payment or tax. */
  id: string
  name: string
  /** Fields that changed; empty if the entry was added or removed. */
  fields: Array<CatalogFieldChange>
}

export type CatalogFieldChange = {
  field: string
  /** Name of the price or option that changed. */
  of: string | null
  /** Value before, as text; null if there was none. */
  before: string | null
  /** Value after, as text; null if there is none. */
  after: string | null
}

export type CatalogModifierGroup = {
  id: string
  name: string
  options: Array<{
    id: string
    name: string
    /** Supplement in minor units, tax included. */
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
  /** The kind of payment; only `cash` counts as cash in the drawer. A setting of the location for this name takes precedence. Without either, common names decide. */
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
  /** Sequence of the journal entry. */
  sequence: number
  acceptedAt: string
  /** Number of entries added since the previous version. */
  added: number
  /** Number of entries that changed. */
  changed: number
  /** Number of entries removed. */
  removed: number
  /** The first 200 changes; values are cut off after 1,000 characters. */
  changes: Array<CatalogChange>
}

export type CatalogVersionPage = {
  /** Versions, newest first. */
  data: Array<CatalogVersion>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type ChangedOrder = {
  orderId: string
  orderNumber: string
  operatorName: string
  /** When the latest version was accepted. */
  changedAt: string
  /** Total when the day was complete; null if the order did not count or did not exist. */
  before: number | null
  /** Current total; null if the order does not count, for example because it was canceled. */
  now: number | null
  /** Sender and time of acceptance of two versions: when the day was complete, and the latest. */
  versions: {
    /** Version when the day was complete. */
    before: {
      /** Journal sequence of the version. */
      sequence: number
      acceptedAt: string
      /** Id of the till that sent it. */
      deviceId: string
      operatorName: string
    } | null
    now: OrderSent
  }
}

export type Checkpoint = {
  /** Number of journal entries that it covers. */
  size: number
  /** Sequence of the last entry that it covers. */
  sequence: number
  /** Root of the tree (RFC 6962) over the hashes of the covered entries, in base64. */
  root: string
  /** Name of the log and the key, composed of the installation, the location and the epoch of its journal. */
  origin: string
  createdAt: string
  /** The checkpoint as text (c2sp.org/tlog-checkpoint), with its signatures. */
  note: string
  /** Verifier keys of the signatures (c2sp.org/signed-note), newest first. */
  keys: Array<string>
  /** In the first checkpoint of a new key: a note in which the previous key and the new key sign the new key. */
  rotation: string | null
}

/** A checkpoint of the journal was signed. */
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
  /** First checkpoint that it signed. */
  firstSize: number
  /** Last checkpoint that it signed. */
  lastSize: number
  /** Note in which the previous key signed it; null for the first key, and if the note was lost. */
  rotation: string | null
}

export type CheckpointKeys = {
  /** Ordered newest first. */
  data: Array<CheckpointKey>
}

export type CheckpointPage = {
  /** Ordered newest first. */
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
  /** Period of the closing; months and fiscal years add up their days. */
  period: 'day' | 'month' | 'year'
  /** Number of the closing per period, without gaps, from 1. */
  number: number
  /** Last business day. */
  date: string
  createdAt: string
  /** First journal sequence that no earlier closing covers. */
  fromSequence: number
  /** Last journal sequence that it covers. Entries up to it, for days up to `date`, are in this closing or an earlier one. */
  toSequence: number
  /** Number of journal entries from `fromSequence` to `toSequence`. */
  entries: number
  /** Number of the first daily closing of the month or year; null for a daily closing. */
  first: number | null
  /** Number of the last daily closing of the month or year; null for a daily closing. */
  last: number | null
  currency: string
  timeZone: string
  dayStartsAt: string
  totals: ClosingTotals
  /** Highest rate first. */
  taxes: Array<ClosingTax>
  /** Largest amount first. */
  payments: Array<ClosingPayment>
  /** Sums per business day, including late entries of earlier days. */
  days: Array<ClosingDay>
  /** New and changed Z reports, in journal order; none for a month or year. */
  reports: Array<ClosingReport>
  others: ClosingOthers
  perpetual: ClosingPerpetual
  /** Whether nothing was missing on its business days. */
  complete: boolean
  /** Tills with missing data. */
  waitingFor: Array<{
    deviceId: string | null
    deviceName: string | null
  }>
  /** Everything that tills closed until this time is in this closing or an earlier one; null if unknown. For a month or year, the value of its last day. */
  completeUntil: string | null
  left?: ClosingLeft
  /** Id of the previous closing of the same period. */
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
  /** Last business day, which must have ended. */
  until: string
  /** Number of the last daily closing, 0 before the first, so that a repeated request closes nothing twice. */
  after: number
}

/** Entries of business days after `date`, which belong to the next closings. A closing without this field was made by an earlier version and contains all entries. */
export type ClosingLeft = {
  orders: number
  salesInclTax: number
  tax: number
  reports: number
}

export type ClosingList = {
  data: Array<Closing>
}

/** Omitted elements of the lists: payments beyond 200 names, and the oldest days and reports beyond 366 and 400. */
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
  /** Number of omitted Z reports. */
  reports: number
}

export type ClosingPage = {
  /** Closings, newest first. */
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

/** Sums over this closing and all earlier ones. */
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

/** Figures stated by the point-of-sale system; absent if not stated. */
export type ClosingSaid = {
  /** Sales, including taxes. */
  total: number
  taxes?: Array<{
    name: string
    rate: number
    amount: number
    /** Amount without tax. */
    base: number
  }>
  payments?: Array<{
    name: string
    amount: number
  }>
  products?: Array<{
    /** Key used by the items of tickets. */
    key: string
    name: string
    category?: string
    sub?: string
    quantity: number
    amount: number
  }>
  discounts?: Array<TicketDiscount>
  guests?: number
  /** Cash in the drawer at the start and at closing. */
  cash?: {
    initial: number
    final: number
  }
}

export type ClosingTax = {
  /** Hundredths of a percent; null if not stated. */
  rate: number | null
  taxable: number
  tax: number
}

export type ClosingTotals = {
  /** Number of counted orders, minus those removed later. */
  orders: number
  salesInclTax: number
  tax: number
  salesExclTax: number
  discounts: number
  tips: number
  refunds: number
  /** Sum of the totals of canceled orders. */
  canceledSales: number
}

export type Completeness = {
  /** Earliest `completeUntil` of the active devices; null if it is unknown for one of them. */
  completeUntil: string | null
  /** Journal sequence of this state. */
  sequence: number
  /** By name, idle and retired devices last. */
  devices: Array<DeviceCompleteness>
}

export type ConsoleLink = {
  /** Id of the session; it is not secret. */
  id: string
  /** Opens the console once. It is shown only once; treat it like a password. */
  url: string
  /** Expiry of the link. */
  expiresAt: string
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  /** First element of `locationIds`. */
  locationId: string
  locationIds: Array<string>
}

export type ConsoleLinkInput = {
  /** Scopes of the session, a subset of those of the key; `read` by default. */
  scopes?: Array<'read' | 'webhooks' | 'books'>
  /** A role in place of scopes; `operator` means integrator here. */
  role?: 'owner' | 'accountant' | 'integrator' | 'operator'
  /** Name of the person, shown in lists. */
  name?: string
  /** Absolute https URL that the console opens when the session ends. */
  returnUrl?: string
  /** Seconds for which the link is valid. */
  expiresIn?: number
  /** Duration of the session in seconds. */
  sessionSeconds?: number
  /** Locations of the session; by default the location of the creator. */
  locationIds?: Array<string>
  /** For this many seconds after its first use, the session can be renewed, each time for `sessionSeconds`, and resumed with a passkey. 0 allows neither. The session ends when the key ends. */
  renewSeconds?: number
}

export type ConsoleSession = {
  id: string
  /** `operator`: from `tillgate console`. `key`: signed in with a key. `link`: signed in with a link. */
  kind: 'operator' | 'key' | 'link'
  role: 'owner' | 'accountant' | 'integrator' | 'operator' | null
  name: string
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  /** Locations of the session; null for all. */
  locationIds: Array<string> | null
  recipientId: string | null
  /** Id of the key, session or passkey that created it, or `cli`. */
  madeBy: string
  /** Id of the API key whose end also ends it; null if it depends on no key. */
  keyId: string | null
  createdAt: string
  /** When the link was used; null if unused. */
  redeemedAt: string | null
  /** Time of the last use, updated at most every five minutes. */
  lastSeenAt: string | null
  /** Expiry of the link, or of the session once the link was used. */
  expiresAt: string
  /** Time until which it can be renewed, or resumed with a passkey. */
  renewableUntil: string | null
  /** When it was ended manually. */
  endedAt: string | null
  /** `User-Agent` of the browser; null if unknown. */
  userAgent: string | null
  /** IP address that opened it; of the client if a trusted proxy reports it. Null while the link is unused, and if the address is unknown. */
  address: string | null
  /** Whether it is the session of this request. */
  isOwn: boolean
}

export type ConsoleSessionPage = {
  data: Array<ConsoleSession>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

/** A business day has ended, every active device has closed it, and nothing is missing. */
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
  /** The message as plain text. */
  text: string
  /** A complete HTML document without scripts and external resources. */
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
  /** Local date on which it begins. */
  date: string
  /** Number of changes since it was first complete. */
  revision: number
  /** Whether nothing is missing now. */
  isComplete: boolean
  /** Whether every Z report agrees with its orders now. */
  balanced: boolean | null
  /** Time at which the day was first complete. */
  completedAt: string
  /** Journal sequence at which the day was first complete. */
  completedSequence: number
  /** Time of the last change in the journal; null for some seconds after a change. */
  revisedAt: string | null
  /** Sales as in `GET /v1/sales/`, in minor units. */
  before: {
    /** Number of counted orders closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** Sales as in `GET /v1/sales/`, in minor units. */
  now: {
    /** Number of counted orders closed on the day. */
    orders: number
    salesInclTax: number
    tax: number
    salesExclTax: number
  }
  /** With `orders`: orders of the day that changed or arrived after it was complete; at most 100. */
  orders?: Array<ChangedOrder>
}

export type DayRevisionList = {
  /** Changed business days, oldest first. */
  data: Array<DayRevision>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** ISO 4217; amounts are in its minor units. */
    currency: string
    /** Journal sequence of this state. */
    sequence: number
  }
}

export type Deduction = {
  /** `orderCanceled`: an entire order. `itemCanceled`: an item of an order. `loss`: an item that was lost or given away. `discount`: a discount on an item. */
  kind: 'orderCanceled' | 'itemCanceled' | 'loss' | 'discount'
  orderId: string
  orderNumber: string
  /** When the order was closed; for a canceled order that was never closed, when it was opened. */
  at: string
  businessDay: string
  /** Local hour of `at`. */
  hour: string
  /** Operator of the order; tills do not report operators of items. */
  operatorId: string
  operatorName: string
  /** Name of the item; null for an entire order. */
  description: string | null
  /** Quantity of the item; null for an entire order. */
  quantity: number | null
  /** `cancelReason`, `lossReason` or the name of the discount; null if the till gave none. */
  reason: string | null
  /** Deducted amount, tax included; for a canceled order, the sum of its items that are sales. */
  amount: number
}

export type DeductionReason = {
  kind: 'orderCanceled' | 'itemCanceled' | 'loss' | 'discount'
  /** Null if the till gave none. */
  reason: string | null
  count: number
  amount: number
}

export type DeductionSum = {
  count: number
  amount: number
}

export type Deductions = {
  /** Newest first, at most 5,000. */
  data: Array<Deduction>
  totals: {
    orderCanceled: DeductionSum
    itemCanceled: DeductionSum
    loss: DeductionSum
    discount: DeductionSum
  }
  operators: Array<OperatorDeductions>
  hours: Array<HourDeductions>
  /** Sums by kind and reason, largest first. */
  reasons: Array<DeductionReason>
  meta: {
    since: string
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Number of deductions; `data` may have fewer. */
    totalCount: number
    /** Journal sequence of this state. */
    sequence: number
  }
}

export type Delivery = {
  id: string
  webhookId: string
  /** The `webhook-id` header. */
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
  /** Attempt number, from 1. */
  attempt: number
  sentAt: string
  success: boolean
  /** 0 without a response. */
  status: number
  /** dns, connect, tls, timeout, reset, http or blocked; null on success. */
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | null
  message: string
  /** Time of the next attempt; null if there is none. */
  nextAttemptAt: string | null
  durationMs: number
  phases: {
    /** Null if the phase was not reached, or not needed. */
    dnsMs: number | null
    /** Null if the phase was not reached, or not needed. */
    connectMs: number | null
    /** Null if the phase was not reached, or not needed. */
    tlsMs: number | null
    /** Null if the phase was not reached, or not needed. */
    headersMs: number | null
    /** Null if the phase was not reached, or not needed. */
    bodyMs: number | null
  }
  /** URL that was called. */
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
  /** The `webhook-id` header. */
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
  /** Attempt number, from 1. */
  attempt: number
  sentAt: string
  success: boolean
  /** 0 without a response. */
  status: number
  /** dns, connect, tls, timeout, reset, http or blocked; null on success. */
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | null
  message: string
  /** Time of the next attempt; null if there is none. */
  nextAttemptAt: string | null
  durationMs: number
  phases: {
    /** Null if the phase was not reached, or not needed. */
    dnsMs: number | null
    /** Null if the phase was not reached, or not needed. */
    connectMs: number | null
    /** Null if the phase was not reached, or not needed. */
    tlsMs: number | null
    /** Null if the phase was not reached, or not needed. */
    headersMs: number | null
    /** Null if the phase was not reached, or not needed. */
    bodyMs: number | null
  }
  /** URL that was called. */
  address: string | null
  request: {
    headers: Record<string, string>
    /** Null if the journal no longer has the event. */
    body: string | null
    /** False if the document was redacted since: the bytes sent were different. */
    isExact: boolean
  }
  response: {
    headers: Record<string, string>
    body: string
  }
  /** All logged attempts of this event, newest first. */
  attempts: Array<AttemptOfEvent>
}

export type DeliveryFailure = {
  errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked'
  /** 0 without a response. */
  status: number
  /** Number of attempts that failed this way. */
  count: number
  firstAt: string
  lastAt: string
  lastMessage: string
  /** Id of the latest of these attempts. */
  lastDeliveryId: string
}

export type DeliveryFailureList = {
  data: Array<DeliveryFailure>
}

export type DeliveryPage = {
  data: Array<Delivery>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
    /** Days for which attempts are kept. */
    keptDays: number
    /** Maximum number of attempts kept per webhook. */
    keptAttempts: number
  }
}

export type Device = {
  id: string
  name: string
  model: string
}

export type DeviceCompleteness = {
  /** Id of the device; null for a till that is known only by name. */
  deviceId: string | null
  /** Null if unknown. */
  deviceName: string | null
  /** `idle`: no activity for 14 business days. `retired`: taken out of service by the operator. Only `active` devices delay the location. */
  state: 'active' | 'idle' | 'retired'
  /** All its orders closed until this time have arrived; null while unknown. */
  completeUntil: string | null
  /** What determines `completeUntil`: a Z report, or a `device.status` record of the device. */
  basis: 'report' | 'status' | null
  /** Time of its last activity, by the clock of the device. */
  lastSeenAt: string | null
  /** Name of the other till whose Z reports contain the orders of this device; null if there is none. */
  reportedBy: string | null
  /** Missing numbers of its Z reports; at most 100 of each gap. */
  missingReports: Array<number>
  /** Number of missing orders: closed according to the counter of the device, but not arrived. */
  missingOrders: number
  /** Open orders of its Z reports. */
  openOrders: number
}

export type DeviceLastOrder = {
  id: string
  /** First 101 characters of the order number. */
  orderNumber: string
  /** The `createdAt` of the order. */
  openedAt: string
  /** When the latest version was accepted. */
  acceptedAt: string
}

export type DeviceList = {
  /** By name, idle and retired devices last. */
  data: Array<DeviceState>
  meta: {
    /** Current business day. */
    businessDay: string
    /** Earliest `completeUntil` of the active devices; null if it is unknown for one of them. */
    completeUntil: string | null
    /** Journal sequence of this state. */
    sequence: number
  }
}

export type DeviceRecord = {
  type: 'device'
  data: Device | Removal
}

export type DeviceState = {
  /** Id of the device; null for a till that is known only by name. */
  deviceId: string | null
  /** Null if unknown. */
  deviceName: string | null
  /** Model from the `deviceList` of the location. */
  model: string | null
  /** `idle`: no activity for 14 business days. `retired`: taken out of service by the operator. */
  state: 'active' | 'idle' | 'retired'
  /** Time of its last activity, by the clock of the device. */
  lastSeenAt: string | null
  /** When its latest order was accepted. */
  lastAcceptedAt: string | null
  /** Newest order of its last 29 business days. */
  lastOrder: DeviceLastOrder | null
  /** Number of orders that it has ever closed, from its last status. */
  lastNumber: number | null
  /** Last Z report with its orders. */
  lastReport: {
    reportNumber: number
    finalizedAt: string
  } | null
  /** All its orders closed until this time have arrived; null while unknown. */
  completeUntil: string | null
  /** What determines `completeUntil`: a Z report, or a `device.status` record of the device. */
  basis: 'report' | 'status' | null
  /** Name of the other till whose Z reports contain the orders of this device; null if there is none. */
  reportedBy: string | null
  /** Missing numbers of its Z reports; at most 100 of each gap. */
  missingReports: Array<number>
  /** Number of missing orders: closed according to the counter of the device, but not arrived. */
  missingOrders: number
  /** Number of its open orders. */
  openOrders: number
  /** Number of its orders of this business day, open or closed. */
  ordersToday: number
  /** Number of its orders rejected in the last 24 hours, among the last 1,000 rejected records. */
  rejected24h: number
  /** Share of `stale` versions among the order versions that it pushed to this process in the last 24 hours. Null if it pushed none. */
  staleShare24h: number | null
  /** Median time from `updatedAt` of an order, by the clock of the till, to its acceptance. Counts orders of the last 24 hours among the last 1,000 of the location. Negative if the clock of the till is ahead. */
  medianDelayMs: number | null
  /** Minimum time by which its clock was ahead when it pushed an order of the last 24 hours; 0 if no order shows that it was. */
  clockAheadMs: number | null
  /** Set if the till is silent: when its last order was accepted. A till is silent if no Z report followed, and if this is longer ago than any pause between two orders of the last 24 hours (at least 15 minutes; 2 hours with fewer than six orders). A till without Z reports is silent only within its business day. */
  silentSince: string | null
}

export type DeviceStatus = {
  deviceId: string
  /** Time of the status by the clock of the device. A status older than the stored one is stale. */
  at: string
  /** All orders that it closed until this time were acknowledged. Must not be in the future. */
  completeUntil: string
  /** Number of orders that the device has ever closed, by its own counter. Each increase must be followed by as many orders; until they arrive, the device is incomplete. The first status only sets the start of the count. */
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
  /** Row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the id of the order. Null for a figure of the whole report. */
  key: string | null
  /** Readable name of the row. */
  name: string | null
  /** Value in the report: an amount in minor units, or a number of guests or products. */
  reported: number
  /** Sum of the orders. */
  computed: number
  /** `reported` − `computed`. */
  difference: number
  /** Formula of `computed`. */
  formula: string
  /** Orders used for `computed`. */
  orderIds: Array<string>
}

export type DisabledWebhook = {
  /** Id of the webhook. */
  id: string
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` or `key_revoked`. */
  reason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked'
  disabledAt: string
  /** First failure since the last success, if `failing`. */
  failingSince: string | null
}

export type EReport = {
  /** Ordered by day, then by category. */
  transactions: Array<EReportingTransactions>
  /** Payments, one row per day. */
  payments: Array<EReportingPayments>
  /** Service types without a category, over all days; not contained in the sums above. Assign a category to each. */
  unmapped: Array<EReportingUnmapped>
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    currency: string
    timeZone: string
    dayStartsAt: string
    /** Category of each service type, from the settings of the location. */
    categories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
    /** Journal sequence to which the sums apply. */
    sequence: number
  }
}

/** TG-37: payments for services (`TPS1`), one per day (flux 10.4). */
export type EReportingPayments = {
  /** TT-96: business day on which the order was closed. */
  date: string
  /** TT-98: the currency. */
  currency: string
  rates: Array<{
    /** TT-97: VAT rate in hundredths of a percent. */
    rate: number
    /** TT-99: amount paid, including VAT, excluding tips. */
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
  /** TT-83: VAT. The tax authority requires euros: convert it if `currency` differs. */
  tax: number
  rates: Array<{
    /** TT-86: VAT rate in hundredths of a percent. */
    rate: number
    /** TT-87: without VAT. */
    taxable: number
    /** TT-88: amount of VAT. */
    tax: number
  }>
  /** Sales without a stated tax, tax included; not contained in the amounts above. Correct the till, or report them manually. */
  notStated: number
  /** False if `notStated` is not 0. */
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
  /** Sales without a stated tax; not contained in the amounts above. */
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
    /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was restored to an earlier state. A new journal of the same location, after an import, has different epochs. */
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
  /** JSON Pointer (RFC 6901) into the part of the request. */
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
  /** Row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the id of the order. Null for a figure of the whole report. */
  key: string | null
  /** Readable name of the row. */
  name: string | null
  /** Value in the report: an amount in minor units, or a number of guests or products. */
  reported: number
  /** Sum of the orders. */
  computed: number
  /** `reported` − `computed`. */
  difference: number
  /** `equal`; `rounding`: the difference can be explained by rounding, half a minor unit per counted line; or `different`. */
  state: 'equal' | 'rounding' | 'different'
}

export type Health = {
  /** `ok` while the database responds. */
  status: string
  /** Time since the process started, as readable text. */
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

/** Sums by local hour, in the order of a business day. */
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

/** A pushed record; `type` determines the schema of `data`. */
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
  /** Tax included in the item total, in major units. */
  taxAmount: number
  /** Id of a catalog tax. */
  taxCatalogId: string
  /** False if the tax of the item is not stated, which differs from a rate of 0. Rate and amount are then 0, and figures and e-reporting list the item separately. */
  isStated?: boolean
}

export type JournalEntry = {
  sequence: number
  /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was restored to an earlier state. A new journal of the same location, after an import, has different epochs. */
  epoch: string
  /** First epoch of the journal, which `hash` covers; equal to `epoch` unless an earlier state was restored. */
  firstEpoch: string
  /** Time at which Tillgate accepted the change. */
  timestamp: string
  locationId: string
  /** Open set: order, report, location, catalog.products, catalog.modifiers, catalog.payments, catalog.taxes; day, accounts, batch, closing, checkpoint, webhook and source for entries written by Tillgate; resumed, redaction, aside and returned for entries about the journal itself. */
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
  /** Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was restored to an earlier state. A new journal of the same location, after an import, has different epochs. */
  epoch: string
  /** When the last entry was accepted; null before the first. */
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
  /** Local time at which a business day begins. Sales before it belong to the previous business day. */
  dayStartsAt: string
  /** First day of the fiscal year, month and day. */
  fiscalYearStarts: string
  /** French e-reporting: the category of each `serviceType` that differs from the default (`TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme). */
  eReportingCategories: Record<string, 'TLB1' | 'TPS1' | 'TNT1' | 'TMA1'>
  /** Devices out of service, by `deviceId` or name as in `GET /v1/completeness/`, each with the business day on which it was taken out. Days do not wait for them. A device with activity on a later day is in service again. */
  retiredDevices: Record<string, string>
  /** Kinds of payments by the name that tills use; only `cash` counts as cash in the drawer. For other names, `kind` of the catalog payment decides, then a list of common names. Case and accents are ignored. */
  paymentKinds: Record<
    string,
    'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  >
  /** `consecutive`: a gap in the numbers of a till’s Z reports is a missing report. `any`: gaps are ignored, for example because several tills share one counter. */
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
  /** Business day of the previous report. */
  previousDay: string
  /** Business day of the following report. */
  nextDay: string
  /** The following report, which may be outside the requested range. */
  nextReportId: string
}

export type NoBookBatch = {
  batch: null
  /** With `dryRun`: the contents of the batch. */
  due?: {
    /** Entries of the batch. */
    entries: number
    /** Entries that reverse an issued one. */
    reversals: number
    /** Day of the first entry. */
    since: string | null
    /** Day of the last entry. */
    until: string | null
    /** Sum of the debits, equal to the sum of the credits. */
    debit: number
    /** More entries are due after this batch. */
    hasMore: boolean
    /** Identifies exactly these entries. */
    plan: string
  }
}

/** Sums by operator, largest first. */
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
  /** Id of the till, from the location’s `deviceList`. */
  deviceId: string
  /** Creation time set by the till, UTC. Lists are ordered by it. */
  createdAt: string
  /** Time of the last change set by the till, UTC. It identifies the version of the order. */
  updatedAt: string
  locationId: string
  /** Id of the report; null until one is assigned. */
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
  /** In major units, including tax, excluding tips. */
  total: number
  /** Tax included in `total`, in major units. */
  totalTax: number
  /** Discounts deducted, in major units. */
  totalDiscount: number
  /** Customer reference of the till; empty if there is none. */
  customerId: string
  isCanceled: boolean
  isTransferred: boolean
  /** Null if the till gave none. */
  transferReason: string | null
  /** Null if the till gave none. */
  cancelReason: string | null
  items: Array<OrderItem>
  menus: Array<OrderMenu>
  payments: Array<OrderPayment>
  tips: Array<Tip> | null
  /** Open set: pos, kiosk, qr_table, website, mobile_app, phone, marketplace, catering, api, other (decision 0009). */
  channel: string
  /** Open set: eat_in, takeaway, delivery, curbside, drive_through, room_service, other (decision 0009). */
  serviceType: string
  /** A training order is listed and journaled, but causes no event. Exclude it from sums. */
  isTraining: boolean
  /** Slug of the system that the order comes from (open set). */
  source: string
  externalLocationId: string | null
  /** Unique within a location, together with `source` and `externalLocationId`. */
  externalOrderId: string | null
  /** Id of the refunded order, if the till knows it. */
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
  /** Quantity; may be fractional. */
  quantity: number
  /** Weight sold, for items sold by weight. */
  weight: number | null
  /** Price of one unit in major units, tax included. */
  unitPrice: number
  /** Price of the line in major units, tax included, after discounts. */
  total: number
  category: string
  subCategory: string
  isCanceled: boolean
  /** Null if the till gave none. */
  cancelReason: string | null
  /** Name of the price type applied (open set). */
  tier: string
  isTransferred: boolean
  /** Null if the till gave none. */
  transferReason: string | null
  /** May be empty. */
  discountsApplied: Array<AppliedDiscount>
  /** Present on some items only. */
  modifiers?: Array<AppliedModifier>
  /** Present on some items only. */
  stockImpactIndicator?: boolean
  tax: ItemTax
  /** Id of a catalog product. */
  itemCatalogId: string
  isLoss: boolean
  /** Null if the till gave none. */
  lossReason: string | null
  /** Id of the element of `menus` that the item belongs to; null for an item sold separately. */
  comboParentId: string | null
  /** `sale` if absent. `voucher`: a voucher that was sold. `deposit`: a container deposit or an advance payment. `charge`: a service charge or surcharge. The last three count in the `total` of the order, but not as sales. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
}

export type OrderMenu = {
  id: string
  menuCatalogId: string
  name: string
  quantity: number
  /** Price of one menu in major units, tax included. */
  unitPrice: number
  /** For information: the order total is the sum of its items. */
  total: number
}

export type OrderPage = {
  data: Array<Order>
  meta: PageMeta
  links: PageLinks
}

/** An order was closed, is not canceled, and its payments cover the total. Sent once per order. */
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
  /** Amount paid, in major units. */
  paymentAmount: number
  paymentName: string
  /** Id of a catalog payment. */
  paymentCatalogId: string
}

export type OrderRecord = {
  type: 'order'
  data: PushedOrder
}

export type OrderSent = {
  /** Journal sequence of the version. */
  sequence: number
  acceptedAt: string
  /** Id of the till that sent it. */
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
  /** Recipient whose webhooks the key can use; null if the key is not restricted to one recipient. */
  recipientId: string | null
  createdAt: string
  /** Null if the key does not expire. */
  expiresAt: string | null
  /** Time of the last use, updated about once a minute. */
  lastUsedAt: string | null
  /** As in `ratelimit-policy`: `q` requests in `w` seconds; null without a limit. */
  rateLimit: string | null
}

/** Absolute URLs with the same filters. */
export type PageLinks = {
  /** URL of this page. */
  self: string
  /** URL of the first page. */
  first: string
  /** URL of the last page. */
  last: string
  /** URL of the next page, or null. In lists by date it continues after the last resource of this page. */
  next: string | null
  /** URL of the previous page, or null. */
  prev: string | null
}

export type PageMeta = {
  /** Number of resources that match the filters, over all pages. */
  totalCount: number
  /** Requested page, from 0. */
  currentPageIndex: number
  /** Number of pages; 0 if nothing matches. */
  totalPage: number
  /** Applied page size, at most 100. */
  pageSize: number
}

export type Passkey = {
  id: string
  /** Name given by its owner. */
  label: string
  /** Name of the user, as in the link of the passkey. */
  name: string
  role: 'owner' | 'accountant' | 'integrator' | 'operator' | null
  scopes: Array<'read' | 'webhooks' | 'books' | 'admin'>
  locationIds: Array<string>
  /** Id of the link of the passkey. */
  linkId: string
  /** Id of the API key whose end also ends it; null if it depends on no key. */
  keyId: string | null
  /** Origin on which it signs in. */
  origin: string
  /** Whether it is synced to the other devices of the person. */
  isSynced: boolean
  createdAt: string
  /** Time of the last sign-in with the passkey; null before the first. */
  lastUsedAt: string | null
  /** Expiry of the passkey. */
  expiresAt: string
  /** Whether it opened the session of this request. */
  isOwn: boolean
}

export type PasskeyPage = {
  data: Array<Passkey>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type PendingEvent = {
  /** The `webhook-id` header. */
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
  /** Kind of the resource. */
  resource: string
  resourceId: string
  /** Number of failed attempts. */
  attempts: number
  /** Null if the event is sent next, or waits for an earlier event of the same resource. */
  nextAttemptAt: string | null
}

export type PendingPage = {
  data: Array<PendingEvent>
  meta: {
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type PriceEntry = {
  priceTypeId: number
  priceTypeName: string
  /** In minor units, tax included. */
  unitPrice: number
  /** Hundredths of a percent: 1000 is 10 %. */
  taxRate: number
}

export type Problem = {
  /** Documentation page of this code. */
  type: string
  title: string
  status: number
  /** What is wrong with this request, and what to change. */
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
  /** Slug of the point-of-sale system. It is part of every id, so it must not change. */
  source: string
  /** Id of the shop in the point-of-sale system; keys are unique in it. It becomes `externalLocationId`. */
  account: string
  /** Id of the closing in the system. */
  key: string
  /** Time of the last change; `to` by default. */
  version?: string
  number?: number
  /** Till of the closing. */
  device: {
    /** Id in the other system; the empty key if unknown. */
    key: string
    name?: string
  }
  from: string
  to: string
  said: ClosingSaid
  entries?: Array<{
    name: string
    amount: number
    /** Type as in a report: opening_float, cash_in, cash_out, … */
    type?: string
  }>
  /** Keys of the tickets in it. */
  tickets?: Array<string>
  /** Restaurant details as printed. */
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
  /** Id of the till, from the location’s `deviceList`. */
  deviceId: string
  /** Creation time set by the till, UTC. Lists are ordered by it. */
  createdAt?: string
  /** Time of the last change set by the till, UTC. It identifies the version of the order. */
  updatedAt?: string
  locationId: string
  /** Id of the report; null until one is assigned. */
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
  /** In major units, including tax, excluding tips. */
  total: number
  /** Tax included in `total`, in major units. */
  totalTax: number
  /** Discounts deducted, in major units. */
  totalDiscount: number
  /** Customer reference of the till; empty if there is none. */
  customerId: string
  isCanceled: boolean
  isTransferred: boolean
  /** Null if the till gave none. */
  transferReason?: string | null
  /** Null if the till gave none. */
  cancelReason?: string | null
  items: Array<PushedOrderItem>
  menus: Array<OrderMenu>
  payments: Array<OrderPayment>
  tips?: Array<Tip> | null
  /** Open set: pos, kiosk, qr_table, website, mobile_app, phone, marketplace, catering, api, other (decision 0009). */
  channel: string
  /** Open set: eat_in, takeaway, delivery, curbside, drive_through, room_service, other (decision 0009). */
  serviceType: string
  /** A training order is listed and journaled, but causes no event. Exclude it from sums. */
  isTraining: boolean
  /** Slug of the system that the order comes from (open set). */
  source: string
  externalLocationId?: string | null
  /** Unique within a location, together with `source` and `externalLocationId`. */
  externalOrderId?: string | null
  /** Id of the refunded order, if the till knows it. */
  refundOf?: string | null
}

export type PushedOrderItem = {
  description: string
  /** Quantity; may be fractional. */
  quantity: number
  /** Weight sold, for items sold by weight. */
  weight?: number | null
  /** Price of one unit in major units, tax included. */
  unitPrice: number
  /** Price of the line in major units, tax included, after discounts. */
  total: number
  category: string
  subCategory: string
  isCanceled: boolean
  /** Null if the till gave none. */
  cancelReason?: string | null
  /** Name of the price type applied (open set). */
  tier: string
  isTransferred: boolean
  /** Null if the till gave none. */
  transferReason?: string | null
  /** May be empty. */
  discountsApplied: Array<AppliedDiscount>
  /** Present on some items only. */
  modifiers?: Array<AppliedModifier>
  /** Present on some items only. */
  stockImpactIndicator?: boolean
  tax: ItemTax
  /** Id of a catalog product. */
  itemCatalogId: string
  isLoss: boolean
  /** Null if the till gave none. */
  lossReason?: string | null
  /** Id of the element of `menus` that the item belongs to; null for an item sold separately. */
  comboParentId?: string | null
  /** `sale` if absent. `voucher`: a voucher that was sold. `deposit`: a container deposit or an advance payment. `charge`: a service charge or surcharge. The last three count in the `total` of the order, but not as sales. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
}

export type PushedReport = {
  id: string
  /** Creation time set by the till, UTC. The list is ordered by it. */
  createdAt?: string
  /** Time of the last change set by the till, UTC. It identifies the version of the report. */
  updatedAt?: string
  locationId: string
  startedAt: string
  finalizedAt: string
  deviceName: string
  deviceIdentifier?: string | null
  reportNumber: number
  guestsNumber: number
  /** In minor units, tax included. */
  totalSales: number
  reportHeaderInfo: ReportHeader
  reportProducts: Array<ReportProduct>
  reportClerksShift: Array<ClerkShift>
  clerkName?: string | null
  clerkId?: string | null
  reportDiscounts: Array<ReportDiscount>
  reportTaxes: Array<ReportTax>
  reportPayments: Array<ReportPayment>
  /** Cash in the drawer at the start, in minor units. */
  initialCashBalance: number
  /** Cash in the drawer at closing, in minor units. */
  finalCashBalance: number
  reportEntries: Array<ReportEntry>
  /** Ids of the orders in the report. */
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
  /** Current name of the key or session, even if revoked; without a name, its first characters. Absent if it is neither a key nor a session, or was deleted. */
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

/** Ids of orders by their relation to the report. */
export type ReconciledOrders = {
  /** Orders that are counted. */
  counted: Array<string>
  /** Orders of the report that were canceled or moved to another order; not counted. */
  canceled: Array<string>
  /** Training orders of the report; not counted. */
  training: Array<string>
  /** Orders of the report whose latest version is open; not counted. */
  open: Array<string>
  /** Orders of the report that have not arrived. */
  missing: Array<string>
  /** Orders with the id of the report that it does not list; not counted. */
  extra: Array<string>
  /** Orders of the report with the id of another report; also in one of the lists above. */
  elsewhere: Array<string>
}

export type Reconciliation = {
  reportId: string
  reportNumber: number
  /** Whether there is no difference beyond rounding, and no order is open, missing, extra or elsewhere. */
  balanced: boolean
  orders: ReconciledOrders
  /** Figures of the report and the sums of its orders. */
  figures: Array<Figure>
  /** Sections that are empty in the report although its total is not 0 and its orders have values for them; they are not compared. */
  notStated: Array<'guests' | 'products' | 'quantities' | 'taxes' | 'taxable' | 'payments' | 'discounts'>
  /** Figures that differ, and orders that are inconsistent. */
  differences: Array<Difference>
  /** Orders that changed after the report was first accepted, with the version then and now; at most 100. Null if their versions are archived. */
  changed: Array<ChangedOrder> | null
}

export type RecordResult = {
  /** Line of the NDJSON body, or position in the JSON array, from 1. */
  line: number
  /** `accepted`: stored and journaled. `unchanged`: this version was already stored. `stale`: a newer version is stored. `rejected`: not stored; kept for `tillgate rejected list`. */
  status: 'accepted' | 'unchanged' | 'stale' | 'rejected'
  type?: string
  /** In lower case; for a rejected record, as it was sent. */
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
  /** `failing`: after 5 consecutive failures only probes are sent until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Sequence up to which events were delivered or scheduled for a retry. */
  sequence: number
  /** Number of journal entries after `sequence`. */
  behind: number
  /** Number of events that wait for a retry. */
  setAside: number
  /** Number of consecutive failures. */
  failures: number
  /** First failure since the last success; null if there is none. */
  failingSince: string | null
  /** Time of the next retry or probe. */
  nextAttemptAt: string | null
  /** Number of events to replay, for a dry run and for a replay of selected events. */
  events?: number
  /** False if there are more events than `events`. */
  eventsAreCounted?: boolean
}

/** Exactly one of `sequence` and `since` is required. If an end, `types` or `onlyFailed` is given, at most 10,000 events are sent. */
export type ReplayInput = {
  /** Replay from this sequence. */
  sequence?: number
  /** Replay changes accepted since this date or datetime. */
  since?: string
  /** Replay up to and including this sequence. */
  untilSequence?: number
  /** Replay changes accepted until this date or datetime, inclusive. */
  until?: string
  /** Only these event types. */
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
  /** Replay only events with failed but no successful attempts in the delivery log. */
  onlyFailed?: boolean
  /** Count the events without sending them. */
  dryRun?: boolean
}

export type Report = {
  id: string
  /** Creation time set by the till, UTC. The list is ordered by it. */
  createdAt: string
  /** Time of the last change set by the till, UTC. It identifies the version of the report. */
  updatedAt: string
  locationId: string
  startedAt: string
  finalizedAt: string
  deviceName: string
  deviceIdentifier: string | null
  reportNumber: number
  guestsNumber: number
  /** In minor units, tax included. */
  totalSales: number
  reportHeaderInfo: ReportHeader
  reportProducts: Array<ReportProduct>
  reportClerksShift: Array<ClerkShift>
  clerkName: string | null
  clerkId: string | null
  reportDiscounts: Array<ReportDiscount>
  reportTaxes: Array<ReportTax>
  reportPayments: Array<ReportPayment>
  /** Cash in the drawer at the start, in minor units. */
  initialCashBalance: number
  /** Cash in the drawer at closing, in minor units. */
  finalCashBalance: number
  reportEntries: Array<ReportEntry>
  /** Ids of the orders in the report. */
  orders: Array<string>
}

export type ReportCheck = {
  reportId: string
  reportNumber: number
  deviceName: string
  /** Business day with the highest sales of the report; the day of its closing if it has no orders. */
  businessDay: string
  /** Whether its orders were closed on several business days. */
  severalDays: boolean
  startedAt: string
  finalizedAt: string
  /** `balanced`: all figures agree. `waiting`: an order of the report is missing or open. `unbalanced`: all orders are stored, but figures differ. */
  verdict: 'balanced' | 'unbalanced' | 'waiting'
  /** Number of orders by their relation to the report; the reconciliation has their ids. */
  orders: {
    /** Number of counted orders. */
    counted: number
    /** Number of orders of the report that were canceled or moved to another order. */
    canceled: number
    /** Number of training orders of the report. */
    training: number
    /** Number of open orders of the report. */
    open: number
    /** Number of orders of the report that have not arrived. */
    missing: number
    /** Number of orders with the id of the report that it does not list. */
    extra: number
    /** Number of orders of the report with the id of another report. */
    elsewhere: number
  }
  /** Number of figures that differ. */
  differences: number
  /** Total of the report, in minor units. */
  totalSales: number
  /** Sum of the orders. */
  computedSales: number
  /** `totalSales` − `computedSales`. */
  salesDifference: number
}

export type ReportCheckPage = {
  data: Array<ReportCheck>
  meta: {
    /** Number of resources that match the filters, over all pages. */
    totalCount: number
    /** Requested page, from 0. */
    currentPageIndex: number
    /** Number of pages; 0 if nothing matches. */
    totalPage: number
    /** Applied page size, at most 100. */
    pageSize: number
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    /** Number of reports per verdict on these days, regardless of the filter. */
    verdicts: {
      balanced: number
      unbalanced: number
      waiting: number
    }
    /** Missing report numbers of all these days, regardless of page and filter, as in `GET /v1/business-days/`, each once; at most 100 of each gap. */
    missingReports: Array<MissingReport>
    /** Journal sequence of this state. */
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
  /** Amount deducted, in minor units. */
  discountValue: number
  discountCatalogId: string
}

export type ReportEntry = {
  entryName: string
  /** In minor units; may be negative. */
  entryAmount: number
  /** Open set: opening_float, cash_in, cash_out, bank_deposit, expense, tip_out, refund, no_sale, count_overage, count_shortage, correction, or empty (decision 0009). */
  entryType: string
}

/** The location at the time the report was closed. */
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
  /** `balanced`: all figures agree. `waiting`: an order of the report is missing or open. `unbalanced`: all orders are stored, but figures differ. */
  verdict: 'balanced' | 'unbalanced' | 'waiting'
}

export type ReportPage = {
  data: Array<Report>
  meta: PageMeta
}

export type ReportPayment = {
  paymentName: string
  /** Amount paid, in minor units. */
  paymentAmount: number
}

export type ReportProduct = {
  productName: string
  /** In minor units, tax included. */
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
  /** Amount of tax, in minor units. */
  taxAmount: number
  /** In minor units, tax not included. */
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
  /** Ordered by period, then by name. */
  data: Array<SalesRow>
  totals: SalesFigures
  excluded: {
    /** Canceled orders; not contained in the figures above. */
    canceled: {
      orders: number
      salesInclTax: number
    }
    /** Training orders; not contained in the figures above. */
    training: {
      orders: number
      salesInclTax: number
    }
    /** Lost items of counted orders; not contained in the figures above. */
    losses: {
      items: number
      salesInclTax: number
    }
    /** Vouchers, deposits and charges of counted orders, by `kind` of the item; not contained in the figures above. */
    notSales: {
      items: number
      amount: number
    }
  }
  /** Orders opened on these days and not closed; not contained in the figures above. */
  open: {
    orders: number
    salesInclTax: number
  }
  /** The same figures for the range of `compare`. */
  comparison?: {
    /** First business day of the comparison. */
    since: string
    /** Last business day of the comparison. */
    until: string
    data: Array<SalesRow>
    totals: SalesFigures
    change: SalesChange
    /** With `upToNow`, if the last day has not ended: end of the comparison on its last business day. It is as long after the start of that day as now is after the start of the current day. */
    upTo?: string
  }
  meta: {
    /** First business day. */
    since: string
    /** Last business day. */
    until: string
    by: string
    /** Requested end time of day, if any. */
    before?: string
    /** Requested start time of day, if any. */
    from?: string
    /** Requested weekday, if any. */
    weekday?: number
    /** ISO 4217; amounts are in its minor units. */
    currency: string
    timeZone: string
    /** Local time at which a business day begins. */
    dayStartsAt: string
    /** Journal sequence of the figures. */
    sequence: number
    /** First business day with an order; null if there is none. */
    firstDay: string | null
    /** Everything that active tills closed until this time has arrived; null while unknown. */
    completeUntil: string | null
  }
}

/** Relative change of each total, 0.05 for 5 %; null if the compared total is 0. */
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
  /** Number of counted orders: closed, not canceled, not training, not moved to another order. */
  orders: number
  /** Number of guests of the counted orders. */
  guests: number | null
  /** Quantity of the counted items, with at most three decimals. */
  items: number | null
  /** `salesInclTax` + `discounts`. */
  listInclTax: number | null
  /** Sum of discounts on the counted items. */
  discounts: number | null
  /** Sum of `total` of the counted orders, without vouchers, deposits and charges. With a dimension of items: sum of the counted items. With `payment`: sum of the payments. */
  salesInclTax: number | null
  /** Sum of tax of the counted items. */
  tax: number | null
  /** `salesInclTax` − `tax`. */
  salesExclTax: number | null
  /** Sum of tips. No other figure includes tips. */
  tips: number | null
  /** Sum of orders’ sales below zero, as a positive amount; also deducted from `salesInclTax`. */
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
  /** Sales of the location; null while its figures are being built. */
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
    /** The latest earlier range of as many days that begins on the same weekday, up to the same time if the last day has not ended; null if it begins before the first business day of the location. */
    comparison: {
      /** First business day of the comparison. */
      since: string
      orders: number
      guests: number
      salesInclTax: number
      /** Relative change of `salesInclTax`, 0.05 for 5 %; null without sales before. */
      change: number | null
    } | null
  } | null
}

export type SalesOfLocations = {
  /** Locations, ordered by id. */
  data: Array<SalesOfLocation>
  /** One sum per currency. */
  totals: Array<{
    currency: string
    /** Number of locations with figures in this currency. */
    locations: number
    orders: number
    guests: number
    salesInclTax: number
    /** Comparison over the locations that have one; null if none has. */
    comparison: {
      /** Number of locations with a comparison. */
      locations: number
      /** Sales of the locations with a comparison. */
      salesInclTax: number
      /** Sales of the locations with a comparison, on the compared days. */
      salesInclTaxBefore: number
      /** Relative change of `salesInclTax`, 0.05 for 5 %; null without sales before. */
      change: number | null
    } | null
  }>
  meta: {
    /** Number of active locations that the caller can read. */
    locations: number
    /** Whether the sums include every active location that the caller can read. */
    isComplete: boolean
  }
}

export type SalesRow = {
  /** Day, Monday of the week, month (`2026-03`), weekday (1 Monday to 7 Sunday), hour (`19`) or half hour (`19:30`); null when not grouped by time. */
  period: string | null
  /** Id, rate or name of the dimension, or the time of day of `weekday,halfHour`; null without a dimension. */
  key: string | null
  /** Name of the key in the latest order; `others`, with a null key, is the sum of all names beyond the 5,000 best-selling ones. */
  name: string | null
  /** Number of counted orders: closed, not canceled, not training, not moved to another order. */
  orders: number
  /** Number of guests of the counted orders. */
  guests: number | null
  /** Quantity of the counted items, with at most three decimals. */
  items: number | null
  /** `salesInclTax` + `discounts`. */
  listInclTax: number | null
  /** Sum of discounts on the counted items. */
  discounts: number | null
  /** Sum of `total` of the counted orders, without vouchers, deposits and charges. With a dimension of items: sum of the counted items. With `payment`: sum of the payments. */
  salesInclTax: number | null
  /** Sum of tax of the counted items. */
  tax: number | null
  /** `salesInclTax` − `tax`. */
  salesExclTax: number | null
  /** Sum of tips. No other figure includes tips. */
  tips: number | null
  /** Sum of orders’ sales below zero, as a positive amount; also deducted from `salesInclTax`. */
  refunds: number | null
  /** `salesInclTax` ÷ `orders`, rounded. */
  averagePerOrder: number | null
  /** `salesInclTax` ÷ `guests`, rounded. */
  averagePerGuest: number | null
}

export type SearchAnswer = {
  /** Orders, then reports, each newest first; then products by name, and a journal entry. */
  data: Array<SearchHit>
  meta: {
    /** Sequence of the head of the journal. */
    sequence: number
  }
}

export type SearchHit = {
  /** Kind of the result; `entry` is a journal entry. */
  kind: 'order' | 'report' | 'product' | 'entry'
  /** Id of the result; for an entry, the id of its resource. */
  id: string
  /** Number or name; for an entry its sequence, as in `#51238`. */
  label: string
  /** Creation time set by the till; null for a product. */
  at: string | null
  /** Table of an order, till of a report, category of a product, or kind of an entry. */
  detail: string | null
  /** Path of the resource; for a product, path of the list. */
  url: string
}

export type SourceBell = {
  /** Whether the source is read now. */
  rung: boolean
}

export type SourceDay = {
  date: string
  /** Payments of the stored orders, including tips; for SumUp, sales without tips. */
  here: number
  /** The amount of `here` according to the source. */
  there: number
  /** `here` minus `there`. */
  difference: number
  comparedAt: string
  /** When the day was read again because it differed. */
  rereadAt: string | null
}

export type SourceDifference = {
  /** Id of the day of the source; unchanged if it is reported again with other amounts. */
  id: string
  sourceId: string
  source: 'square' | 'toast' | 'sumup' | 'loyverse' | 'lightspeed-k'
  /** Id of the shop in the source. */
  account: string
  /** The business day. */
  date: string
  /** Payments of the stored orders, including tips; for SumUp, sales without tips. */
  here: number
  /** The amount of `here` according to the source. */
  there: number
  /** `here` minus `there`. */
  difference: number
}

/** A business day differs from the totals of the source, even after it was read again. */
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
  /** `left`: not a sale. `refused`: could not be read, and is read again. */
  kind: 'left' | 'refused'
  reason: string
  at: string
  /** Number of further attempts to read it. */
  tries: number
  /** Time of the next attempt to read it; null if there is none. */
  nextTryAt: string | null
  /** Id of the rejected record with the document, while it is stored. */
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
  /** Slug of the point-of-sale system. It is part of every id, so it must not change. */
  source: string
  /** Id of the shop in the point-of-sale system; keys are unique in it. It becomes `externalLocationId`. */
  account: string
  /** Id of the sale, check or refund in the system. It becomes `externalOrderId`. */
  key: string
  /** Time of the last change in the system; the newest version counts. */
  version: string
  opened: string
  /** Absent or null while it is open. */
  closed?: string | null
  /** Till of the ticket. */
  device?: {
    /** Id in the other system; the empty key if unknown. */
    key: string
    name?: string
  }
  /** Operator who served. */
  operator?: {
    /** Id in the other system; the empty key if unknown. */
    key: string
    name?: string
  }
  /** Table or place. */
  place?: string
  /** Number as printed. */
  number?: string
  guests?: number
  /** Id of the customer in the system. */
  customer?: string
  /** `pos` by default. */
  channel?: string
  /** Service type; `eat_in` by default. */
  service?: string
  state?: 'sale' | 'canceled' | 'training'
  /** Reason of the cancellation. */
  reason?: string
  /** Key of the refunded ticket. */
  refundOf?: string
  /** Key of the closing that contains it. */
  closing?: string
  items: Array<TicketItem>
  menus?: Array<TicketMenu>
  /** Discounts on the whole ticket that are not yet deducted from the items; they are distributed over the items, in proportion per rate. */
  discounts?: Array<TicketDiscount>
  payments: Array<TicketPayment>
  /** Cash rounding: the amount paid is total + rounding; −2 if 12.02 became 12.00. */
  rounding?: number
  said?: TicketSaid
}

export type TicketDiscount = {
  name: string
  /** Id in the system; the name by default. */
  key?: string
  /** Deducted amount, positive; negative for a refund. */
  amount: number
}

export type TicketItem = {
  name: string
  /** Id of the product in the system; the name by default. */
  product?: string
  /** Negative for a refund. */
  quantity: number
  unit?: 'each' | 'kg' | 'g' | 'lb' | 'oz'
  /** Amount of the line after discounts, with included taxes but without added taxes. */
  amount: number
  /** Absent or empty if the tax is not stated. */
  taxes?: Array<TicketTax>
  discounts?: Array<TicketDiscount>
  modifiers?: Array<TicketModifier>
  /** Category of the product. */
  category?: string
  /** Sub-category of the product. */
  sub?: string
  /** Name of the price type. */
  tier?: string
  /** Key of its menu on this ticket. */
  menu?: string
  /** `sale` by default. */
  kind?: 'sale' | 'voucher' | 'deposit' | 'charge'
  /** A canceled item stays on the ticket, but is not in any sum. */
  state?: 'canceled' | 'loss'
  /** Reason of the cancellation or loss. */
  reason?: string
}

export type TicketMenu = {
  /** Key of the menu on this ticket. */
  key: string
  /** Id of the menu in the system. */
  product?: string
  name: string
  quantity: number
  /** For information; the items of the menu have the amounts. */
  amount: number
}

export type TicketModifier = {
  /** Group of the modifier. */
  group?: {
    /** Id in the other system; the empty key if unknown. */
    key: string
    name?: string
  }
  /** Id in the system; the name if there is none. */
  key: string
  name: string
  /** Price of one modifier, in minor units; included in `amount` of the item. */
  amount?: number
  quantity?: number
}

export type TicketPayment = {
  name: string
  /** Id or type of the payment method in the system. */
  key: string
  kind?: 'cash' | 'card' | 'meal_voucher' | 'gift_card' | 'cheque' | 'account' | 'rounding' | 'other'
  /** Without tip and change; negative for a refund. */
  amount: number
  /** Tip paid in addition to the amount. */
  tip?: number
}

export type TicketRecord = {
  type: 'ticket'
  data: Ticket
}

/** Totals stated by the point-of-sale system. A ticket whose items do not match is refused with the difference: only these totals can reveal mistakes of a converter. */
export type TicketSaid = {
  /** With taxes, without tips and cash rounding. */
  total?: number
  tax?: number
  tips?: number
  /** Amount paid, without tips. */
  payments?: number
}

export type TicketTax = {
  name: string
  /** Id of the tax in the system. */
  key: string
  /** A fraction: 0.1 is 10 %. */
  rate: number
  /** Tax of the line, in minor units. */
  amount: number
  /** `included`: contained in `amount` of the item. `added`: added to the item. */
  mode: 'included' | 'added'
}

export type Tip = {
  /** In major units; not part of the order total. */
  amount: number
  paymentCatalogId?: string
  operatorId?: string
}

export type Verification = {
  id: string
  /** `ok`: every entry from `from` to `to` is valid; earlier entries were valid when they were verified. `broken`: an entry is not valid. `failed`: the verification was interrupted, which says nothing about the journal. */
  state: 'running' | 'ok' | 'broken' | 'failed'
  /** First entry to verify. */
  from: number
  /** Last entry to verify: the head of the journal at the start. */
  to: number
  /** Last valid entry so far. */
  verifiedTo: number
  /** Hash of the last valid entry so far; it covers all earlier entries. */
  hash: string
  /** First entry that is not valid. */
  brokenAt: number | null
  /** Why it is not valid, or why the verification was interrupted. */
  reason: string | null
  startedAt: string
  /** Null while the verification is running. */
  endedAt: string | null
}

export type VerificationInput = {
  /** Start at the first entry instead of the end of the last successful verification. */
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
  /** With `locationId`, selects the webhook to update if `id` is absent. */
  recipientId: string
  /** Name of the webhook; absent if it has none. */
  name?: string
}

/** A webhook of the location was disabled. */
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
  /** Absolute https URL without credentials, at most 2,048 characters. */
  endpointUrl: string
  locationId: string
  recipientId: string
  /** Id of the webhook to update, or to create if it does not exist. */
  id?: string
  /** Name of the webhook; an empty name removes it, and an absent one keeps it. */
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
  /** Steps without attempts are omitted. */
  steps: Array<WebhookStatisticsStep>
}

export type WebhookStatisticsStep = {
  from: string
  successes: number
  failures: number
  /** Median duration of attempts. */
  p50Ms: number | null
  /** 95th percentile of the duration of attempts. */
  p95Ms: number | null
  failuresByClass: Record<string, number>
}

export type WebhookStatus = {
  /** `failing`: after 5 consecutive failures only probes are sent until one delivery succeeds. */
  state: 'enabled' | 'failing' | 'disabled'
  /** `gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup). */
  disabledReason: 'gone' | 'failing' | 'operator' | 'paused' | 'key_revoked' | 'location' | 'restored' | null
  /** Sequence up to which events were delivered or scheduled for a retry. */
  sequence: number
  /** Number of journal entries after `sequence`. */
  behind: number
  /** Number of events that wait for a retry. */
  setAside: number
  /** Number of consecutive failures. */
  failures: number
  /** First failure since the last success; null if there is none. */
  failingSince: string | null
  /** Time of the next retry or probe. */
  nextAttemptAt: string | null
}

export type WebhookTestEntry = {
  /** HTTP status of the delivery; 0 without a response. */
  status: number
  success: boolean
  message: string
  /** Empty without a response. */
  response: {
    headers?: Record<string, string>
    body?: string
    durationMs?: number
  }
}

export type WebhookTestInput = {
  locationId?: string
}

/** One entry per event sent, by event name. */
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

/** What each event is about: the kind of its resource, and the member of `data` that identifies the resource; null if a location has only one. */
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
  /** Continue after this sequence. */
  after?: number
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Page size, at most 1,000. */
  limit?: number
}

export type AdminListActsQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only for this location. */
  location?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
}

export type AdminListKeysQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only for this location. */
  location?: string
  /** Only keys in this state. */
  state?: 'active' | 'ended' | 'all'
}

export type AdminCreateKeyBody = AdminKeyInput

export type AdminRotateKeyBody = AdminKeyRotation

export type AdminListLocationsQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type AdminCreateLocationBody = AdminLocationInput

export type AdminListLocationNamesQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only locations whose name, city or id contains this text; case and accents are ignored. */
  q?: string
  /** Only these ids, separated by commas; at most 50. */
  ids?: string
}

export type AdminChangeLocationBody = AdminLocationChange

export type AdminGetOverviewQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Hours without accepted records after which a location needs attention. By default, it needs attention when the time since its last order is more than two hours longer than its usual pause at that time of the week. A location with less than three weeks of data needs attention after 24 hours without accepted records. */
  silentHours?: number
  /** Days without a successful verification of its journal after which a location needs attention. */
  verifiedDays?: number
  /** Only locations that need attention, of the whole installation, worst first; at most 500. Not paged: `cursor` and `size` are ignored. The result is cached for 10 seconds. */
  troubled?: true
}

export type AdminListRejectedQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Location of the records. */
  location: string
  /** Only this record, as long as it is stored. */
  id?: string
  /** Only records rejected with this code. */
  code?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
}

export type AdminDeleteRejectedQuery = {
  /** Location of the records. */
  location: string
  /** Only records received before this date or datetime. */
  before: string
}

export type AdminSummariseRejectedQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only for this location. */
  location?: string
  /** Only records rejected with this code. */
  code?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Count the whole installation instead of a page of locations; `meta.next` is null. */
  all?: true
}

export type AdminListSourcesQuery = {
  /** Only for this location. */
  location?: string
}

export type AdminAddSourceBody = AdminSourceInput

export type AdminListWebhooksQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Only for this location. */
  location?: string
  /** Only webhooks in this state. */
  state?: 'enabled' | 'failing' | 'disabled'
}

export type SetBookAccountsBody = BookAccountsOwn

export type IssueBookBatchBody = BookBatchInput

export type ListBookBatchesQuery = {
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
}

export type GetBookBatchQuery = {
  /** `fec`: journal in FEC format. `csv`: for spreadsheets. `hledger`: plain-text accounting, also for ledger. */
  format?: 'json' | 'fec' | 'csv' | 'hledger'
  /** Dialect of `csv`: `excel-fr` (`;`, decimal comma; the default) or `rfc4180`. */
  dialect?: 'excel-fr' | 'rfc4180'
  /** Character set of `fec`: `iso-8859-15` (default) or `utf-8`. */
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
  /** `fec`: journal in FEC format. `csv`: for spreadsheets. `hledger`: plain-text accounting, also for ledger. */
  format?: 'json' | 'fec' | 'csv' | 'hledger'
  /** Dialect of `csv`: `excel-fr` (`;`, decimal comma; the default) or `rfc4180`. */
  dialect?: 'excel-fr' | 'rfc4180'
  /** Character set of `fec`: `iso-8859-15` (default) or `utf-8`. */
  encoding?: 'iso-8859-15' | 'utf-8'
  /** Only entries of sources in this state. */
  state?: 'waiting' | 'refused' | 'ready' | 'issued' | 'changed' | 'blocked' | 'empty'
  /** Ids of Z reports, or dates of days without a Z report, separated by commas, to book from their own figures in the preview. */
  accept?: string
  /** Omits entries that cannot be booked from a file. Otherwise they cause 409 `books_incomplete`. */
  skip?: boolean
  /** Page number, from 0. */
  index?: number
  /** Entries per page, at most 100. */
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
  /** Include the changed orders; at most 7 days. */
  orders?: true
}

export type GetDayMessageQuery = {
  /** Language of the text, amounts and dates. */
  language?: 'en' | 'fr'
  /** Takes precedence over `Accept`: all parts as JSON, only the text, or only the HTML. */
  format?: 'json' | 'text' | 'html'
}

export type ListCatalogChangesQuery = {
  /** The catalog list. */
  list?: 'products' | 'modifiers' | 'payments' | 'taxes'
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ListCheckpointsQuery = {
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** Only the first checkpoint that covers this entry of the journal. */
  covers?: number
}

export type ProveGrowthQuery = {
  /** Size of your checkpoint; 0 for none. */
  from: number
  /** Size of a later checkpoint; the last one by default. */
  to?: number
}

export type CloseDaysBody = ClosingInput

export type ListClosingsQuery = {
  /** Period of the closings: day, month or year. */
  period?: 'day' | 'month' | 'year'
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** Only the closing that closed this business day. Records that arrived later are in later closings. */
  date?: string
}

export type CreateConsoleLinkBody = ConsoleLinkInput

export type ListConsolePasskeysQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ListConsoleSessionsQuery = {
  /** Page size, at most 50. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** `live`: sessions, and links that were not used yet. */
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
  /** Same as the header `Last-Event-ID`, for clients that resume by URL: pages and streams begin after this event. The header takes precedence over this parameter, which takes precedence over `after`. */
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
  /** Size of an older checkpoint; the last one by default. */
  size?: number
}

export type ExportTableQuery = {
  /** Month of the business days, such as `2026-03`. */
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
  /** Maximum number of warnings. */
  limit?: number
  /** `meta.next` of the previous page. */
  cursor?: string
  /** Received at or after: a date or ISO 8601 datetime, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Received at or before: a date or ISO 8601 datetime, inclusive. A date is a full UTC day; the default zone is UTC. */
  until?: string
  /** Only warnings with this code. */
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
  /** Only warnings for records of this type. */
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
    /** Pass it as `cursor` to continue; null at the end. */
    next: string | null
  }
}

export type VerifyJournalBody = VerificationInput

export type ListOwnKeyErrorsQuery = {
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
}

export type GetOwnKeyUsageQuery = {
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  until?: string
  /** Length of a step; steps begin at full hours or days in UTC. */
  step?: '1m' | '5m' | '1h' | '1d'
}

export type GetOwnLocationQuery = {
  /** Include `deviceList`. Only `true` is allowed. */
  devices?: true
}

export type ListOrdersQuery = {
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** From a `next` link: the page begins after this position, regardless of resources that arrived before it. `index` then only numbers the page. */
  after?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  until?: string
  /** Order by creation date, then id: ascending or descending. */
  sort?: 'createdAt' | '-createdAt'
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that have not reported. */
  require?: 'complete'
  /** Only the orders of this report. */
  reportId?: string
  /** Only orders of this `orderNumber`. */
  number?: string
  /** Only orders of this device. */
  deviceId?: string
  /** Only orders of this operator. */
  operatorId?: string
  /** Only orders of this channel. */
  channel?: string
  /** Only orders of this service type. */
  serviceType?: string
  /** `true`: only training orders. `false`: only orders that are not training orders. */
  isTraining?: boolean
  /** Only orders that figures count. `category`, `productId`, `discountId`, `taxRate` and `isTaxNotStated` then match only counted items: sales that were not canceled, lost or moved to another order. */
  isCounted?: true
  /** `true`: only canceled orders. `false`: only orders that are not canceled. */
  isCanceled?: boolean
  /** Only orders with a payment of this `paymentName`. */
  payment?: string
  /** Only orders with an item of this category. */
  category?: string
  /** Only orders with an item of this catalog product. */
  productId?: string
  /** Only orders with this catalog discount on an item. */
  discountId?: string
  /** Only orders with an item of this tax rate, in hundredths of a percent. */
  taxRate?: number
  /** Only orders with an item whose tax is not stated. */
  isTaxNotStated?: true
  /** Only orders with at least this `total`, in major units. */
  minTotal?: number
  /** Only orders with at most this `total`. */
  maxTotal?: number
  /** Only orders that were closed on or after this business day of the location, as figures count them, regardless of when they were created. Without `closedUntil`, that day alone. */
  closedSince?: string
  /** Last business day of closing; without `closedSince`, that day alone. */
  closedUntil?: string
  /** Only orders closed on this weekday, from 1 (Monday) to 7 (Sunday). */
  weekday?: number
  /** Only orders closed in this local hour. */
  hour?: string
  /** Only orders closed in the local half hour that begins at this time. */
  halfHour?: string
  /** `closed`: orders with `closedAt`. `open`: orders without it. */
  state?: 'open' | 'closed' | 'all'
}

export type ProveOrderQuery = {
  /** Size of an older checkpoint; the last one by default. */
  size?: number
}

export type ListReportsQuery = {
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** From a `next` link: the page begins after this position, regardless of resources that arrived before it. `index` then only numbers the page. */
  after?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  until?: string
  /** Order by creation date, then id: ascending or descending. */
  sort?: 'createdAt' | '-createdAt'
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that have not reported. */
  require?: 'complete'
}

export type ListReportChecksQuery = {
  /** Page number, from 0. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** First business day; by default 31 days up to the last one. */
  since?: string
  /** Last business day; today by default. */
  until?: string
  /** Only reports with this verdict. */
  verdict?: 'balanced' | 'unbalanced' | 'waiting'
  /** In order of closing, then id, or newest first. */
  sort?: 'finalizedAt' | '-finalizedAt'
}

export type ProveReportQuery = {
  /** Size of an older checkpoint; the last one by default. */
  size?: number
}

export type GetReportReconciliationQuery = {
  /** Names of cash payments, separated by commas. Replaces the kinds of payments of the location: its setting `paymentKinds`, the `kind` of catalog payments, and common names such as Espèces, Cash and Bar. */
  cash?: string
  /** Return only problems: `figures` that differ, and the lists of `orders` that prevent a balance; `counted`, `canceled` and `training` are empty. */
  only?: 'differences'
}

export type GetSalesQuery = {
  /** Takes precedence over `Accept`, for links: `csv` is a file for spreadsheets, with a UTF-8 byte order mark. */
  format?: 'json' | 'csv'
  /** First business day; today by default. */
  since?: string
  /** Last business day; `since` by default. */
  until?: string
  /** How the sales are grouped: not (`total`); by time (`day`, `week`, `month`, `weekday`, `hour`, `halfHour`); by a dimension (`product`, `category`, `tax`, `payment`, `channel`, `serviceType`, `operator`, `device`, `discount`, `report`); by time and dimension, as in `day,product`; or by days and time of day, as in `weekday,halfHour`. `hour` with a dimension covers at most 31 days and 20,000 orders. */
  by?: string
  /** Only business days on this weekday, from 1 (Monday) to 7 (Sunday); not with `hour` and a dimension. */
  weekday?: number
  /** Only orders closed at or after this local full or half hour of their business day; only with `total` or a grouping by time. `excluded` and `open` cover full days. */
  from?: string
  /** Only orders closed before this local full or half hour of their business day; only with `total` or a grouping by time. `excluded` and `open` cover full days. */
  before?: string
  /** Range to compare with. `previous`: as many days, directly before. `weekday`: the latest earlier range that begins on the same weekday. `year`: the same dates a year earlier. `yearWeekday`: 52 weeks earlier. `fourWeeks`: the average of the same days of the four preceding weeks, without weeks that have no sales; not with `day`, `week` and `month`. */
  compare?: 'previous' | 'weekday' | 'year' | 'yearWeekday' | 'fourWeeks'
  /** If the last business day of the range has not ended, the compared days end at the same time, to the minute. Requires `compare`; not with `from` or `before`, or with `hour` and a dimension. */
  upToNow?: true
  /** `complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that have not reported. */
  require?: 'complete'
}

export type ListSalesOfLocationsQuery = {
  /** Named range of business days, in the time zone of each location; not with `since` and `until`. */
  range?: 'today' | 'yesterday' | '7d' | '28d' | 'month' | 'lastMonth' | 'year'
  /** First business day. */
  since?: string
  /** Last business day; `since` by default. */
  until?: string
}

export type SearchQuery = {
  /** Beginning of an order number, or its end among the last orders; number of a Z report, with or without Z; journal sequence or event id; words of a product name; or at least the first 8 digits of the id of an order, report or product. */
  q: string
  /** Maximum results of each kind, at most 50. */
  limit?: number
}

export type ListWebhooksQuery = {
  /** Page number, from 0. Values above 9007199254740991 are reduced to that. */
  index?: number
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
}

export type UpsertWebhookBody = WebhookInput

export type GetWebhookStatisticsQuery = {
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  until?: string
  /** Length of a step; steps begin at full hours or days in UTC. */
  step?: '5m' | '1h' | '1d'
}

export type TestWebhookBody = WebhookTestInput

export type ListDeliveriesQuery = {
  /** Resources per page. Values above 100 are reduced to 100. */
  size?: number
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
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
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
  since?: string
  /** Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC. */
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
  /** Page size, at most 100. */
  size?: number
  /** `meta.next` of the previous page. */
  cursor?: string
}

export type ReplayWebhookBody = ReplayInput
