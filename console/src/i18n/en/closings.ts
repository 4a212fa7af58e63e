import { few } from '../plural.ts'

/** Closings of days, months and years, and checkpoints of the journal. */
export const closings = {
  closings: {
    intro:
      'Each closing adds up what came into the journal since the one before, with totals over all time. It never changes: what comes late is in a later one.',
    period: 'Closings of',
    periods: { day: 'day', month: 'month', year: 'fiscal year' },
    lists: { day: 'Days', month: 'Months', year: 'Fiscal years' },
    none: { month: 'No month was closed yet', year: 'No fiscal year was closed yet' },
    yearTo: (date: string) => `Year to ${date}`,
    nothing: 'Nothing was closed yet',
    nothingText: 'A bookkeeper begins it: from then on each day is closed by itself.',
    beginText:
      'The first closing adds up all days until yesterday. From then on each day is closed by itself when it is complete, 36 hours after its end at the latest.',
    begin: (day: string) => `Close until ${day}`,
    beginCounts: (orders: number, days: string, sales: string) =>
      `${few(orders, 'order', 'orders')}, ${days}, ${sales}.`,
    forGood: 'A closing cannot be changed or taken back.',
    number: 'Number',
    of: 'Period',
    detail: (period: string, number: string) => `Closing ${number} of a ${period}`,
    download: 'Download as JSON',
    madeAt: 'Closed',
    entries: 'Entries of the journal',
    fromTo: (from: string, to: string) => `${from} to ${to}`,
    state: 'State',
    complete: 'complete',
    incomplete: 'incomplete',
    unknownTill: 'a till',
    canceled: 'Canceled orders',
    perpetual: 'Perpetual total',
    perpetualTax: 'Perpetual tax',
    orders: (count: number) => few(count, 'order', 'orders'),
    taxes: 'Tax of the closing',
    payments: 'Payments of the closing',
    amount: 'Amount',
    days: 'Business days of the closing',
    belongsTo: 'Business day',
    checkpoints: 'Signed checkpoints',
    noCheckpoint: 'Nothing of the journal is signed yet',
    noCheckpointText:
      'Each closing is signed once whoever runs the server has made a key and named it in TILLGATE_CHECKPOINT_KEY:',
    signedAt: 'Last signed',
    size: 'Entries that are signed',
    origin: 'Name of the log',
    root: 'Root of the tree',
    count: 'Checkpoints so far',
    keep: 'What to keep elsewhere',
    keepText:
      'Keep each checkpoint, and once the verifier key, where this server cannot write: with your bookkeeper, in a mailbox, on paper. Who has them finds out if the journal was rewritten afterwards.',
    saveNote: 'Save the checkpoint',
    copyNote: 'Copy the checkpoint',
    copyKey: 'Copy the verifier key',
    keyOf: (first: string, last: string) => `Verifier key of the checkpoints ${first} to ${last}`,
    verify: 'How to verify',
    verifyText:
      'A ticket with its proof is verified without this server, on a page that also works from your disk; the whole journal by this command.',
    verifyPage: 'The page that verifies',
  },
}
