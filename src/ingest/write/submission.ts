import type { Incoming, Rejection } from '../records.ts'

/** A push of so much at most goes into a round. */
const roundShare = { records: 25, bytes: 256 * 1024 }

/** Holds what one push adds to a transaction. `keyId` is null for the command line. */
export type Submission = {
  records: readonly Incoming[]
  rejected: readonly Rejection[]
  /** Length of their text as it was sent. */
  bytes: number
  keyId: string | null
  /** Settles when the batch before of the same push has; it is stored before this one, or neither is. */
  after?: Promise<unknown> | undefined
  /** Called when the next batch may be given already. */
  onSent?: () => void
}

/** Orders alone, all of them valid. */
export const isOrders = ({ records, rejected }: Submission) =>
  rejected.length === 0 && records.every(({ type }) => type === 'order')

/** Tells whether they are few orders, with no batch before: what tills push one by one. */
export function isSmall(submission: Submission): boolean {
  const { records, bytes, after } = submission
  if (after || records.length > roundShare.records || bytes > roundShare.bytes) return false
  return isOrders(submission)
}
