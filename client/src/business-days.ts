import type {
  BusinessDay,
  BusinessDayList,
  Completeness,
  DayMessage,
  DayRevisionList,
  GetDayMessageQuery,
  ListBusinessDaysQuery,
  ListRevisedDaysQuery,
} from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Lists business days, by default the last 31, and whether all data of each has arrived. */
export function listBusinessDays(
  transport: Transport,
  { signal, ...query }: ListBusinessDaysQuery & Options = {},
): Promise<BusinessDayList> {
  return transport.json({ path: '/v1/business-days/', query, signal })
}

/** Lists the business days that changed after they were complete: when, by how much and, with `orders`, by which orders. */
export function listRevisedDays(
  transport: Transport,
  { signal, ...query }: ListRevisedDaysQuery & Options = {},
): Promise<DayRevisionList> {
  return transport.json({ path: '/v1/business-days/revised', query, signal })
}

/** Gets a business day, for example `2026-03-14`, with its Z reports and devices. */
export function getBusinessDay(transport: Transport, date: string, { signal }: Options = {}): Promise<BusinessDay> {
  return transport.json({ path: `/v1/business-days/${encodeURIComponent(date)}`, signal })
}

/** Gets one business day as a message for people: its subject, and its body as text and as HTML. */
export function getDayMessage(
  transport: Transport,
  date: string,
  { signal, language }: Pick<GetDayMessageQuery, 'language'> & Options = {},
): Promise<DayMessage> {
  return transport.json({ path: `/v1/business-days/${encodeURIComponent(date)}/message`, query: { language }, signal })
}

/** Gets the time up to which all data has arrived, for the location and each device. */
export function getCompleteness(transport: Transport, { signal }: Options = {}): Promise<Completeness> {
  return transport.json({ path: '/v1/completeness/', signal })
}
