import type { Dictionary } from '../i18n/en.ts'

/** The words of an open set of the API as people say them; one that the set does not have stays as the till wrote it. */
const among = (words: Record<string, string>, word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word

export const channelName = ({ orders }: Dictionary, channel: string) => among(orders.channels, channel)

export const serviceName = ({ orders }: Dictionary, serviceType: string) => among(orders.serviceTypes, serviceType)

/** Of an entry of the cash drawer. */
export const entryName = ({ reports }: Dictionary, entryType: string) => among(reports.entryTypes, entryType)
