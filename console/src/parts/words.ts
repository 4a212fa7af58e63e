import type { Dictionary } from '../i18n/en.ts'

/** Returns the user's words for an open set of the API; an unknown one stays as the till wrote it. */
const among = (words: Record<string, string>, word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word

export const channelName = ({ orders }: Dictionary, channel: string) => among(orders.channels, channel)

export const serviceName = ({ orders }: Dictionary, serviceType: string) => among(orders.serviceTypes, serviceType)

/** Returns the name of a key, a session or a person. A link without a name is called after its role. */
export const callerName = ({ ops }: Dictionary, name: string) => among(ops.roleNames, name)

/** Returns the name of an entry of the cash drawer. */
export const entryName = ({ reports }: Dictionary, entryType: string) => among(reports.entryTypes, entryType)
