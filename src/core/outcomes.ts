/**
 * All results and states in responses that are not errors of the request: their meaning and what to do. The OpenAPI
 * enums and pages under `/docs/errors/` are made from these tables. A test receives each code from a server.
 */
type Outcomes = Record<string, readonly [title: string, help: string]>

/** Verdicts on one record of a push (decision 0012). */
export const verdicts = {
  accepted: ['The record is stored and journaled', 'No action is needed: the record survives a crash.'],
  unchanged: ['This version was already stored', 'No action is needed: a repeated push is harmless.'],
  stale: [
    'A newer version is stored',
    'No action is needed if you sent an old version again. Otherwise check `updatedAt`: it decides which version is newer.',
  ],
  rejected: [
    'The record was not stored',
    'Correct the faults in `errors`, and send the record again. The operator can list it with `tillgate rejected list`.',
  ],
} as const satisfies Outcomes

/** The stages of an attempt at which a delivery to a webhook failed (decision 0018). */
export const deliveryErrors = {
  dns: ['The host name of the endpoint could not be resolved', 'Check the name and its DNS records.'],
  connect: ['No TCP connection to the endpoint could be opened', 'Check that the receiver runs and can be reached.'],
  tls: ['The TLS handshake failed', 'Check the certificate of the receiver, its names and its chain.'],
  timeout: ['The response was not complete within 15 s', 'Respond first, then process the event.'],
  reset: ['The receiver closed the connection before its response was complete', 'Check the log of the receiver.'],
  http: ['The response was not 2xx, or not HTTP', 'Check `status` and `response` of the attempt.'],
  blocked: [
    'The URL is not allowed, or no address of its host is allowed',
    'Use a public https address. The operator can allow other addresses (`--allow-address`) and http (`--allow-http`).',
  ],
} as const satisfies Outcomes

export const webhookStates = {
  enabled: ['Events are delivered', 'No action is needed.'],
  failing: [
    'After 5 consecutive failures, only probes are sent',
    'Repair the receiver. After the first success, the waiting events are sent.',
  ],
  disabled: ['Nothing is delivered', 'See `disabledReason`. After `enable`, delivery continues where it stopped.'],
} as const satisfies Outcomes

export const disabledReasons = {
  gone: ['The endpoint answered 410', 'Enable the webhook when the endpoint exists again.'],
  failing: ['All deliveries failed for 5 days', 'Repair the receiver, then enable the webhook.'],
  operator: ['The operator disabled the webhook', 'Ask the operator.'],
  paused: ['The recipient paused the webhook', 'Enable the webhook to continue where it stopped.'],
  key_revoked: ['The operator revoked a key together with its webhooks', 'Ask the operator to enable the webhook.'],
  location: ['The location was deactivated', 'Ask the operator to activate it again.'],
  restored: [
    'The database was restored from a backup',
    'Ask the operator, who can enable it when no other installation delivers its events.',
  ],
} as const satisfies Outcomes

/** Results of the reconciliation of a Z report. */
export const reportVerdicts = {
  balanced: ['Every figure of the report agrees with its orders', 'No action is needed.'],
  unbalanced: [
    'All orders of the report are stored, but a figure differs',
    'See `GET /v1/reports/{id}/reconciliation` for the differences.',
  ],
  waiting: ['An order of the report is missing or still open', 'Wait for the till, or push the order.'],
} as const satisfies Outcomes

/** States of a business day (docs/inside/07-figures.md). */
export const dayStatuses = {
  open: ['The day has not ended, or a device has not closed it', 'Wait for the Z reports.'],
  closed: ['Every device has closed the day, but something is missing', 'Push what the business day lists as missing.'],
  complete: ['The day has ended and nothing is missing', 'No action is needed.'],
  revised: ['The day changed after it was complete', 'Read the day again if you have booked it.'],
} as const satisfies Outcomes

export const deviceStates = {
  active: ['The till is expected to close its days', 'No action is needed.'],
  idle: ['The till sent nothing for 14 business days; days do not wait for it', 'New activity ends this state.'],
  retired: [
    'The operator took the till out of service; days do not wait for it',
    'Activity on a later day ends this state.',
  ],
} as const satisfies Outcomes

export const verificationStates = {
  running: ['The verification is not finished', 'Read it again later.'],
  ok: ['All entries that existed when the verification started are valid', 'No action is needed.'],
  broken: ['The journal is not valid', 'See `reason`. Run `tillgate verify`, and compare with a backup.'],
  failed: ['The verification was interrupted; the journal may be intact', 'Start a new verification.'],
} as const satisfies Outcomes

/** States of a Z report, or of a business day without one, in the books. */
export const bookStates = {
  waiting: ['An order of the Z report is missing or open, or the day is not complete', 'Wait for the till.'],
  refused: ['The Z report cannot be booked', 'See `reasons`. An accountant can accept the Z report.'],
  ready: ['The Z report can be booked and was not issued', 'Issue a batch.'],
  issued: ['A batch contains its current version', 'No action is needed.'],
  changed: ['The Z report changed after it was issued', 'Issue a batch, which reverses and reissues it.'],
  blocked: [
    'The Z report was issued and can no longer be booked',
    'Resolve the `reasons`. Until then, the issued entry is not reversed.',
  ],
  empty: ['The Z report has no sales and no cash movements', 'No action is needed.'],
} as const satisfies Outcomes

/** Reasons why a Z report, or a business day without one, cannot be booked. */
export const bookReasons = {
  missing: ['Orders of the Z report are missing', 'Push the orders.'],
  open: ['Orders of the Z report are open', 'Push their closed versions.'],
  extra: ['Orders refer to the Z report, which does not list them', 'Correct the Z report or the orders.'],
  elsewhere: [
    'Orders also belong to another Z report',
    'Correct the Z report. It cannot be accepted, because the orders would be booked twice.',
  ],
  incomplete: ['The business day is not complete', 'Wait for the Z reports of its tills.'],
  sales: [
    'The sales of the Z report differ from those of its orders',
    'See `orderIds`. An accountant can accept the Z report.',
  ],
  taxes_and_sales: [
    'The sales differ from the sum of the taxable amounts and taxes of all rates',
    'Correct the till: the Z report must state the tax of each rate.',
  ],
  tax_amount: ['The tax of a rate differs from the tax of the orders', 'Correct the till, or set `taxTolerance`.'],
  taxable_amount: [
    'The taxable amount of a rate differs from that of the orders',
    'Correct the till. `key` is the rate.',
  ],
  payments: ['A payment of the Z report differs from those of its orders', 'Correct the till. `key` is the payment.'],
  opening_float: ['The opening float differs from the initial cash balance', 'Correct the Z report.'],
  cash: [
    'The final cash balance differs from the expected amount',
    'Give cash payments the kind `cash`, and record withdrawals from the drawer.',
  ],
  discounts: [
    'The discounts of the Z report differ from those of its orders',
    'Correct the till, or use `discounts: net`.',
  ],
  order_total: ['The total of an order differs from the sum of its items', 'Correct the order. `key` is its id.'],
  order_tax: ['The tax of an order differs from that of its items', 'Correct the order. `key` is its id.'],
  overpaid: ['The payments exceed total and tips', 'Set `accounts.overpaid`, or correct the order.'],
  unpaid: ['The payments are less than the total', 'Set `accounts.unpaid`, or correct the order.'],
  units: [
    'One amount is exactly a hundred times the other',
    'The till sends Z reports and orders in different units. Correct the till.',
  ],
  too_large: ['The Z report has too many orders', 'Close the till more often. An accountant can accept the Z report.'],
} as const satisfies Outcomes

/** Warnings of a booking entry: what it leaves out, and what else an accountant should know. */
export const bookWarnings = {
  cash_tips_not_booked: ['Cash tips are not booked, because they were not in the drawer', 'No action is needed.'],
  tip_without_payment: ['A tip without a payment method is not booked', 'Correct the till.'],
  tip_partly_inside: ['The payments of an order include only part of its tips', 'Check the order.'],
  several_days: [
    'The orders were closed on different business days',
    'The entry is dated on the business day with the highest sales.',
  ],
  drawer_gap: [
    'The initial cash balance differs from the final balance of the previous Z report',
    'Check the cash drawer. The difference is not booked.',
  ],
  canceled_paid: ['A canceled order has payments that do not add up to zero', 'Check the order.'],
  accepted: ['The entry uses only the figures of the Z report', 'Clear the difference in the suspense account.'],
} as const satisfies Outcomes

/** What needs attention at a location. */
export const attentionKinds = {
  journal_broken: ['The last verification of the journal failed', 'Run `tillgate verify`, and keep the backups.'],
  silent: ['No order has arrived for longer than usual', 'Check the tills and their connection.'],
  rejected: ['Records of the location were rejected', 'List them with `tillgate rejected list`.'],
  report_unbalanced: ['Z reports of the last 7 days differ from their orders', 'See `GET /v1/reports/checks/`.'],
  day_revised: [
    'Complete business days changed in the last 7 days',
    'See `GET /v1/business-days/revised?orders=true` for the changes.',
  ],
  webhook_disabled: ['A webhook is disabled', 'See the `disabledReason` of the webhook.'],
  webhook_failing: ['A webhook receives only probes', 'See its delivery log.'],
  webhook_behind: ['A webhook is far behind the journal', 'See its delivery log. The receiver may be too slow.'],
  not_verified: [
    'The journal has not been verified for `verifiedDays` days',
    'Run `tillgate verify`, preferably on a schedule.',
  ],
  clock_ahead: ['The clock of a till is at least one minute ahead', 'Set the clock of the till.'],
} as const satisfies Outcomes

/** What needs attention at the installation. */
export const installationKinds = {
  disk_low: ['The disk is nearly full, and pushes are refused', 'Free some space, or enlarge the disk.'],
  disk_filling: ['Disk space is low', 'Free some space, or enlarge the disk, before pushes are refused.'],
  disk_days_left: [
    'At the current rate, pushes will be refused within two weeks, because the disk fills up',
    'Free some space, or enlarge the disk, before pushes are refused.',
  ],
  entries_lost: [
    'Acknowledged entries are lost',
    'List them with `tillgate loss list`. Acknowledge them when tills and partners know about the loss.',
  ],
  backup_old: [
    'A location has no valid backup of the last two days',
    'Run `tillgate backup`, preferably on a schedule.',
  ],
  database_clock: ['The clocks of the database and the server differ', 'Synchronize both clocks.'],
} as const satisfies Outcomes

/** Lists the codes of a table, for an enum. */
export const codesOf = <T extends Outcomes>(table: T) => Object.keys(table) as (keyof T & string)[]

/** Every table, by the subject of its codes. */
export const outcomes: Readonly<Record<string, Outcomes>> = {
  'Verdict on a record of a push': verdicts,
  'Failure of a delivery': deliveryErrors,
  'State of a webhook': webhookStates,
  'Reason why a webhook is disabled': disabledReasons,
  'Verdict on a Z report': reportVerdicts,
  'Status of a business day': dayStatuses,
  'Booking state of a Z report': bookStates,
  'Reason why a Z report cannot be booked': bookReasons,
  'Warning of a booking entry': bookWarnings,
  'State of a till': deviceStates,
  'State of a verification': verificationStates,
  'Location that needs attention': attentionKinds,
  'Installation that needs attention': installationKinds,
}
