import { few } from '../plural.ts'

/** Closings of days, months and years, and checkpoints of the journal. */
export const closings = {
  closings: {
    intro:
      'Each closing adds up the journal entries since the previous one, with totals over all time. It never changes: late entries are in a later closing.',
    period: 'Closings of',
    periods: { day: 'day', month: 'month', year: 'fiscal year' },
    lists: { day: 'Days', month: 'Months', year: 'Fiscal years' },
    none: { month: 'No month has been closed yet', year: 'No fiscal year has been closed yet' },
    yearTo: (date: string) => `Year to ${date}`,
    nothing: 'Nothing has been closed yet',
    nothingText: 'An accountant makes the first closing; from then on, days are closed automatically.',
    beginText:
      'The first closing adds up all days up to yesterday. From then on, each day is closed automatically when it is complete, at the latest 36 hours after its end.',
    begin: (day: string) => `Close up to ${day}`,
    beginCounts: (orders: number, days: string, sales: string) =>
      `${few(orders, 'order', 'orders')}, ${days}, ${sales}.`,
    forGood: 'A closing cannot be changed or withdrawn.',
    detail: (period: string, number: string) => `Closing ${number} of a ${period}`,
    download: 'Download as JSON',
    entries: 'Entries of the journal',
    fromTo: (from: string, to: string) => `${from} to ${to}`,
    unknownTill: 'a till',
    perpetual: 'Perpetual total',
    perpetualTax: 'Perpetual tax',
    taxes: 'Tax of the closing',
    payments: 'Payments of the closing',
    days: 'Business days of the closing',
    checkpoints: 'Signed checkpoints',
    noCheckpoint: 'The journal has not been signed yet',
    noCheckpointText:
      'Closings are signed once the operator has created a key and set TILLGATE_CHECKPOINT_KEY to its file:',
    signedAt: 'Last signed',
    size: 'Signed entries',
    origin: 'Name of the log',
    root: 'Root of the tree',
    count: 'Checkpoints so far',
    keep: 'What to keep elsewhere',
    keepText:
      'Keep every checkpoint, and one copy of the verifier key, where this server cannot write: with your accountant, in a mailbox, on paper. With them anyone can detect whether the journal was rewritten later.',
    saveNote: 'Save the checkpoint',
    copyNote: 'Copy the checkpoint',
    copyKey: 'Copy the verifier key',
    keyOf: (first: string, last: string) => `Verifier key of the checkpoints ${first} to ${last}`,
    verify: 'How to verify',
    verifyText: 'A ticket with its proof can be verified without this server, on a page that also works offline.',
    verifyCommand: 'This command verifies the whole journal:',
    verifyPage: 'Verification page',
  },
}
