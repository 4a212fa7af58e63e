/**
 * The closed tables of results and states that an answer names and that are no errors of the request: what each means,
 * and what to do. They are the source of the OpenAPI enums and of pages under `/docs/errors/`; a test holds each to a
 * test that gets it from a server.
 */
type Outcomes = Record<string, readonly [title: string, help: string]>

/** Tell what became of one record of a push (decision 0012). */
export const verdicts = {
  accepted: ['The record is stored and journaled', 'Nothing: it survives a crash.'],
  unchanged: ['This version was stored already', 'Nothing: a repeated push is harmless.'],
  stale: [
    'A newer version is stored',
    'Nothing when an old version was sent again; otherwise check `updatedAt`, which decides which version is newer.',
  ],
  rejected: [
    'The record was not stored',
    'Correct what `errors` names and send it again; the operator finds it with `tillgate rejected list`.',
  ],
} as const satisfies Outcomes

/** Tell in which part of an attempt a delivery to a webhook failed (decision 0018). */
export const deliveryErrors = {
  dns: ['The host name of the endpoint could not be resolved', 'Check the name and its DNS records.'],
  connect: ['No TCP connection to the endpoint could be opened', 'Check that the receiver runs and can be reached.'],
  tls: ['The TLS handshake failed', 'Check the certificate of the receiver, its names and its chain.'],
  timeout: ['The deadline of the attempt passed', 'Answer first, then process the event.'],
  reset: ['The receiver closed the connection before its response was complete', 'Look at the log of the receiver.'],
  http: ['The response was not 2xx, or not HTTP', 'Look at `status` and `response` of the attempt.'],
  blocked: [
    'The URL, or every address of its host, is one that webhooks must not call',
    'Use a public https address; the operator may allow others (`--allow-address`, `--allow-http`).',
  ],
} as const satisfies Outcomes

/** How a webhook stands. */
export const webhookStates = {
  enabled: ['Events are delivered', 'Nothing.'],
  failing: [
    'After 5 consecutive failures the webhook receives only probes',
    'Repair the receiver; the first success ends this, and the events that waited follow.',
  ],
  disabled: ['Nothing is delivered', 'See `disabledReason`; after `enable` it continues where it stopped.'],
} as const satisfies Outcomes

/** Why a webhook is disabled. */
export const disabledReasons = {
  gone: ['The endpoint answered 410', 'Enable the webhook when the endpoint exists again.'],
  failing: ['All deliveries failed for 5 days', 'Repair the receiver, then enable the webhook.'],
  operator: ['The operator disabled it', 'Ask the operator.'],
  paused: ['Who may use the webhook paused it', 'Enable the webhook to go on where it stopped.'],
  key_revoked: ['The operator revoked a key together with its webhooks', 'Ask the operator, who can enable it again.'],
  location: ['The location was deactivated', 'The operator can activate it again.'],
  restored: [
    'The database was restored from a backup',
    'The operator enables it once no other installation delivers its events.',
  ],
} as const satisfies Outcomes

/** Tell what the reconciliation of a Z report found. */
export const reportVerdicts = {
  balanced: ['Every figure of the report agrees with its orders', 'Nothing.'],
  unbalanced: [
    'All orders of the report are stored, and a figure differs',
    'Read `GET /v1/reports/{id}/reconciliation`, which lists the differences.',
  ],
  waiting: ['An order of the report is missing or still open', 'Wait for the till, or push the order.'],
} as const satisfies Outcomes

/** How a business day stands (docs/internals/figures.md). */
export const dayStatuses = {
  open: ['The day has not ended, or a device has not closed it', 'Wait for the Z reports.'],
  closed: [
    'Every device has closed the day, and something is missing',
    'The business day lists what is missing: push it.',
  ],
  complete: ['The day has ended and nothing is missing', 'Nothing.'],
  revised: ['The day was complete and changed after that', 'Read it again where you have booked it.'],
} as const satisfies Outcomes

/** How a till stands. */
export const deviceStates = {
  active: ['The till is expected to close its days', 'Nothing.'],
  idle: ['Nothing came from the till for 14 business days; it is not waited for', 'Nothing; activity ends it.'],
  retired: [
    'The operator declared the till out of service; it is not waited for',
    'Nothing; activity on a later day ends it.',
  ],
} as const satisfies Outcomes

/** How a verification of a journal stands. */
export const verificationStates = {
  running: ['The verification is not finished', 'Ask again.'],
  ok: ['Every entry is valid, up to the head at its start', 'Nothing.'],
  broken: ['An entry is not as it was written', 'See `reason`; compare with a backup (`tillgate verify`).'],
  failed: ['The verification was cut off, which says nothing about the journal', 'Start it again.'],
} as const satisfies Outcomes

/** How a Z, or a business day without one, stands to the books. */
export const bookStates = {
  waiting: ['An order that it names is missing or open, or its day is not complete', 'Wait for the till.'],
  refused: ['It cannot be booked as it is', 'See its `reasons`; a bookkeeper may accept it.'],
  ready: ['It can be booked and was not issued', 'Issue a batch.'],
  issued: ['A batch has it as it is', 'Nothing.'],
  changed: ['It changed after it was issued', 'The next batch reverses it and issues it again.'],
  blocked: ['It was issued and cannot be booked now', 'See its `reasons`: nothing is reversed until they are settled.'],
  empty: ['Nothing was sold and nothing moved', 'Nothing.'],
} as const satisfies Outcomes

/** Why a Z, or a business day without one, cannot be booked. */
export const bookReasons = {
  missing: ['Orders that the Z names have not arrived', 'Push them.'],
  open: ['Orders that the Z names are open', 'Push their closed versions.'],
  extra: ['Orders carry the id of the Z, and it does not name them', 'Correct the Z or the orders.'],
  elsewhere: ['Orders are of another Z too', 'Correct the Z: it would be booked twice, and cannot be accepted.'],
  incomplete: ['The business day is not complete', 'Wait for the Z of its tills.'],
  sales: ['The sales of the Z are not those of its orders', 'See `orderIds`; a bookkeeper may accept the Z.'],
  taxes_and_sales: [
    'The sales are not what the rates add up to, tax included',
    'Correct the till: tax must be stated.',
  ],
  tax_amount: ['The tax of a rate is not that of the orders', 'Set `taxTolerance` where the till rounds otherwise.'],
  taxable_amount: ['The taxable sum of a rate is not that of the orders', 'See `key` for the rate.'],
  payments: ['A payment of the Z is not that of its orders', 'See `key` for its name.'],
  opening_float: ['The float is not the balance at the start', 'Correct the Z.'],
  cash: ['The drawer does not have what it should', 'Name the payments in cash; enter what was taken out.'],
  discounts: ['The discounts of the Z are not those of its orders', 'Only with `discounts: gross`.'],
  order_total: ['The total of an order is not that of its items', 'See `key` for the order.'],
  order_tax: ['The tax of an order is not that of its items', 'See `key` for the order.'],
  overpaid: ['More was paid than total and tips', 'Give `accounts.overpaid` an account, or correct the order.'],
  unpaid: ['Less was paid than the total', 'Give `accounts.unpaid` an account, or correct the order.'],
  units: ['One side is exactly a hundred times the other', 'The till sends the Z in other units than its orders.'],
  too_large: ['It has more orders than are read at once', 'Close the till more often; a bookkeeper may accept the Z.'],
} as const satisfies Outcomes

/** What a booking entry leaves out, or a bookkeeper should know of it. */
export const bookWarnings = {
  cash_tips_not_booked: ['Tips in cash were never in the drawer', 'Nothing.'],
  tip_without_payment: ['A tip says not how it was paid, and is not booked', 'Correct the till.'],
  tip_partly_inside: ['A part of the tips is in the payments', 'Check the order.'],
  several_days: ['The orders were closed on several business days', 'It is dated by the day on which most was taken.'],
  drawer_gap: ['The drawer began with another amount than the Z before left', 'The move is booked nowhere.'],
  canceled_paid: ['A canceled order has payments that do not cancel out', 'Check the order.'],
  accepted: ['It is booked from the figures of the Z alone', 'See the difference on the suspense account.'],
} as const satisfies Outcomes

/** Tell what needs attention at a location. */
export const attentionKinds = {
  journal_broken: [
    'The last verification of the journal found a fault',
    'Run `tillgate verify`, and keep the backups.',
  ],
  silent: ['No order came for longer than usual', 'Look at the tills and their connection.'],
  rejected: ['Records of the location were rejected', 'Read them with `tillgate rejected list`.'],
  report_unbalanced: [
    'Z reports of the last 7 days differ from their orders',
    'Read their reconciliation: `GET /v1/reports/checks/`.',
  ],
  day_revised: [
    'Business days changed after they were complete, in the last 7 days',
    'Read what changed: `GET /v1/business-days/revised?orders=true`.',
  ],
  webhook_disabled: ['A webhook is disabled', 'See its `disabledReason`.'],
  webhook_failing: ['A webhook receives only probes', 'See its delivery log.'],
  webhook_behind: ['A webhook is far behind the journal', 'See its delivery log; the receiver may be too slow.'],
  not_verified: [
    'The journal was not verified successfully for `verifiedDays` days',
    'Run `tillgate verify`, best by a timer.',
  ],
  clock_ahead: ['The clock of a till is a minute or more ahead', 'Set the clock of the till.'],
} as const satisfies Outcomes

/** Tell what needs attention at the installation. */
export const installationKinds = {
  disk_low: ['The disk is nearly full, and pushes are refused', 'Free some space, or enlarge the disk.'],
  disk_filling: ['Little of the disk is free', 'Free some space, or enlarge the disk, before pushes are refused.'],
  disk_days_left: [
    'At the rate of the last days the disk is full within two weeks',
    'Free some space, or enlarge the disk, before pushes are refused.',
  ],
  entries_lost: [
    'Entries that were acknowledged are gone',
    'Read them with `tillgate loss list`, and acknowledge them when they were dealt with.',
  ],
  backup_old: ['A location has no good backup of the last two days', 'Run `tillgate backup`, best by a timer.'],
  database_clock: ['The clocks of the database and of the server differ', 'Synchronise both clocks.'],
} as const satisfies Outcomes

/** Lists the codes of a table, for an enum. */
export const codesOf = <T extends Outcomes>(table: T) => Object.keys(table) as (keyof T & string)[]

/** Every table, by what its codes tell. */
export const outcomes: Readonly<Record<string, Outcomes>> = {
  'Verdict on a record of a push': verdicts,
  'Failure of a delivery': deliveryErrors,
  'State of a webhook': webhookStates,
  'Reason why a webhook is disabled': disabledReasons,
  'Verdict on a Z report': reportVerdicts,
  'Status of a business day': dayStatuses,
  'State of a Z to the books': bookStates,
  'Reason why a Z cannot be booked': bookReasons,
  'Warning of a booking entry': bookWarnings,
  'State of a till': deviceStates,
  'State of a verification': verificationStates,
  'Attention needed at a location': attentionKinds,
  'Attention needed at the installation': installationKinds,
}
