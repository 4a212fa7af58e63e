import type { Webhook, WebhookStatus } from '@tillgate/client'

/** A page of an admin list. */
export type Page<T> = { data: T[]; meta: { next: string | null } }

export type AdminLocation = {
  id: string
  name: string
  city: string
  timeZone: string
  currency: string
  dayStartsAt: string
  fiscalYearStarts: string
  createdAt: string
  deactivatedAt: string | null
  sequence: number
  lastAcceptedAt: string | null
  lastOrderAt: string | null
  openOrders: number
  rejected24h: number
  webhooks: Record<'enabled' | 'failing' | 'disabled', number>
}

export type ProblemKind =
  | 'silent'
  | 'rejected'
  | 'webhook_disabled'
  | 'webhook_failing'
  | 'webhook_behind'
  | 'deactivated'

export type OverviewEntry = {
  locationId: string
  name: string
  problems: {
    kind: ProblemKind
    since: string | null
    count: number | null
    subjectId: string | null
  }[]
  lastAcceptedAt: string | null
  sequence: number
}

export type AdminKey = {
  id: string
  hint: string
  name: string
  locationId: string | null
  recipientId: string | null
  scopes: string[]
  state: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
}

export type ConsoleSession = {
  id: string
  kind: string
  role: string | null
  name: string
  scopes: string[]
  locationIds: string[] | null
  madeBy: string | null
  createdAt: string
  redeemedAt: string | null
  lastSeenAt: string | null
  expiresAt: string
  endedAt: string | null
  userAgent: string | null
  isOwn: boolean
}

export type Rejected = {
  id: string
  locationId: string
  receivedAt: string
  keyId: string | null
  line: number
  code: string
  detail: string
  errors: { pointer: string; code: string; detail: string }[]
  record: string
}

export type RejectedGroup = {
  locationId: string
  code: string
  pointer: string
  count: number
  firstAt: string
  lastAt: string
  lastId: string
}

export type AdminWebhook = Webhook & WebhookStatus

export type Act = {
  sequence: number
  at: string
  kind: 'act' | 'reads'
  act: string
  by: string
  subject: string | null
  location?: string | null
}

export type SystemAnswer = {
  version: string
  node: string
  startedAt: string
  database: {
    version: string
    sizeBytes: number
    tables: { name: string; bytes: number; rows: number }[]
    migrations: { version: number; name: string; appliedAt: string }[]
  }
  memoryBytes: number
  locations: number
  clockOffsetMs: number
}
