import { minSequence } from '../schemas/freshness.ts'
import type { Json } from './openapi-components.ts'

/** What the successful answer of each operation is, by `operationId`; where there are several, by status too. */
const answers: Record<string, string | Record<string, string>> = {
  listOrders: 'A page of orders.',
  getOrder: 'The order as it stands now.',
  listCatalogProducts: 'All products, as the till pushed them last; empty before.',
  listCatalogModifiers: 'All modifier groups, as the till pushed them last; empty before.',
  listCatalogPayments: 'All payment methods, as the till pushed them last; empty before.',
  listCatalogTaxes: 'All taxes, as the till pushed them last; empty before.',
  getOwnLocation: 'The location of the key.',
  getOwnLocationSettings: 'Its time zone, currency and business day.',
  listReports: 'A page of Z reports.',
  getReport: 'The report as it stands now.',
  getReportReconciliation: 'The figures of the report beside those of its orders, and where they differ.',
  listBusinessDays: 'The days, oldest first.',
  getBusinessDay: 'The day as it stands now.',
  listDevices: 'Each till and device of the location, by name; the idle ones last.',
  getCompleteness: 'The location and each of its devices.',
  listReportChecks: 'A page of verdicts, with how many there are of each.',
  getSales: 'The figures of each group, and their total.',
  search: 'What was found, of each kind.',
  getEReport: 'The sums per day, category and rate.',
  listWebhooks: 'A page of the webhooks that the key may see.',
  upsertWebhook: { 200: 'An existing webhook, updated.', 201: 'A new webhook.' },
  testWebhook: 'What the endpoint said to each event.',
  getWebhook: 'The webhook.',
  deleteWebhook: 'Deleted; nothing more is sent.',
  listEventTypes: 'Every event, with its JSON Schema and a sample.',
  getWebhookSecret: 'The secret that deliveries are signed with.',
  rotateWebhookSecret: 'The new secret; the old one signs beside it for 24 hours.',
  getWebhookStatus: 'How far it is, and what is wrong if something is.',
  enableWebhook: 'The webhook delivers again, from where it stopped.',
  replayWebhook: 'The webhook goes back, and sends again from there.',
  getDelivery: 'The attempt, with the bytes that were sent and all attempts of its event.',
  resendDelivery: 'The event is on its way; the attempt is in the log when it has been made.',
  listPendingEvents: 'A page of the events that wait.',
  getWebhookStatistics: 'Attempts of each webhook by step.',
  listDeliveries: 'A page of attempts, the newest first.',
  listEvents: 'Events after the given place, oldest first; as `text/event-stream` for ever.',
  getJournalHead: 'Where the journal ends.',
  verifyJournal: 'The verification that was begun, or the one that runs.',
  listVerifications: 'The verifications, the newest first.',
  getVerification: 'The verification, as far as it is.',
  getEvent: 'The entry, with its place in the chain.',
  getOrderHistory: 'Every version of the order, oldest first.',
  getHealth: 'The service and its database answer.',
  getLive: 'The process answers.',
  getReady: 'The process and its database answer.',
  getMetrics: 'Metrics in the text format of Prometheus.',
  ingest: { 200: 'Every record is stored, or was there already.', 207: 'Some records were rejected, or were stale.' },
  listIngestWarnings: 'The newest warnings.',
  getOwnKey: 'The key, or the session that stands for one.',
  getOwnKeyUsage: 'Requests by step.',
  listOwnKeyErrors: 'What it was refused for.',
  adminListLocations: 'A page of locations, by id.',
  adminCreateLocation: 'The new location.',
  adminChangeLocation: 'The location as it is now.',
  adminListKeys: 'A page of keys, the newest first.',
  adminCreateKey: 'The new key; it is not shown again.',
  adminRotateKey: 'The key that replaces it, shown once.',
  adminRevokeKey: 'The key, revoked.',
  adminListRejected: 'A page of rejected records, the newest first.',
  adminSummariseRejected: 'Groups of rejected records.',
  adminDeleteRejected: 'How many were deleted.',
  adminListWebhooks: 'The webhooks of a page of locations.',
  adminGetOverview: 'A page of locations with what needs attention.',
  adminGetSystem: 'The process and the database.',
  adminListActs: 'Acts after the given one.',
  createConsoleLink: 'The link; its address is not shown again.',
  listConsoleSessions: 'A page of links and sessions, the newest first.',
  endConsoleSession: 'Ended; what it made ended with it.',
  listAccess: 'Entries of the log of access after the given one.',
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })

/** `components.headers` of the document. */
export const headers = {
  RequestId: header('Names this request in the log of the server; that of the request when it had one.'),
  RateLimit: header('Requests left, and seconds until there are more.'),
  RateLimitPolicy: header('Requests that the key has per window.'),
  RetryAfter: header('Seconds to wait.', 'integer'),
  Link: header('The pages `first`, `prev`, `next` and `last` (RFC 8288).'),
  ETag: header('Tag of these bytes: `If-None-Match` with it is answered with 304 while they are the same.'),
  CompleteUntil: header(
    'Everything that was closed until then has arrived; left out while nobody can tell (`GET /v1/completeness/`).',
  ),
  Sequence: header('Number in the journal up to which everything is in the answer.', 'integer'),
}

const linked = new Set(['listOrders', 'listReports', 'listWebhooks'])
const tagged =
  /^(getOrder|getReport|getReportReconciliation|getOwnLocation|getSales|getEReport|getJournalHead|getEvent|listCatalog\w+)$/

/** They say in a header at which number of the journal they hold. */
const counted = new Set([
  'getSales',
  'listReportChecks',
  'getJournalHead',
  'listBusinessDays',
  'getBusinessDay',
  'getCompleteness',
  'listDevices',
])

/** Takes the least number that its answer must have, and tells the one that it has. */
const isNumbered = ({ parameters = [] }: Json) => (parameters as Json[]).some(({ name }) => name === minSequence)

const timed = /^(listOrders|getOrder|listReports|getReport|getReportReconciliation|getSales)$/

/** The names of the headers that an answer of this status has; each is described once, in the components. */
function headersOf(operation: Json, status: number): string[] {
  const id = String(operation['operationId'])
  const isKeyed = (operation['security'] as unknown[]).length > 0 && status !== 401
  return [
    'RequestId',
    ...(isKeyed ? ['RateLimit', 'RateLimitPolicy'] : []),
    ...(status === 429 || status === 503 ? ['RetryAfter'] : []),
    ...(status === 200 && linked.has(id) ? ['Link'] : []),
    ...(status === 200 && tagged.test(id) ? ['ETag'] : []),
    ...(status === 200 && (counted.has(id) || isNumbered(operation)) ? ['Sequence'] : []),
    ...(status === 200 && timed.test(id) ? ['CompleteUntil'] : []),
  ]
}

const wireName: Record<string, string> = {
  RequestId: 'x-request-id',
  RateLimit: 'ratelimit',
  RateLimitPolicy: 'ratelimit-policy',
  RetryAfter: 'retry-after',
  Link: 'link',
  ETag: 'etag',
  Sequence: 'tillgate-sequence',
  CompleteUntil: 'tillgate-complete-until',
}

/** Says of each answer of an operation what it is and which headers it has. */
export function describeAnswers(operation: Json): void {
  const own = answers[String(operation['operationId'])]
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    if (Number(status) < 400) {
      const text = typeof own === 'object' ? own[status] : own
      if (text === undefined) throw new Error(`no text for the answer ${status} of ${operation['operationId']}`)
      response['description'] = text
    }
    const names = headersOf(operation, Number(status))
    response['headers'] = Object.fromEntries(
      names.map((name) => [wireName[name], { $ref: `#/components/headers/${name}` }]),
    )
  }
}
