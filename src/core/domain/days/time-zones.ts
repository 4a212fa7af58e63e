/**
 * The spelling of an IANA time zone (`europe/paris` is `Europe/Paris`); undefined when there is none. A name that Unicode's
 * data has an older one for (`Asia/Kathmandu`, `Europe/Kyiv`) is kept: that is what others call it.
 */
export function canonicalTimeZone(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // An offset such as +02:00 is taken as it is written.
    if (/^[+-]/.test(timeZone)) return name
    const isOtherName = timeZone.toLowerCase() !== name.toLowerCase()
    return isOtherName && /[A-Z]/.test(name) ? name : timeZone
  } catch {
    return undefined
  }
}

export const isTimeZone = (name: string): boolean => canonicalTimeZone(name) !== undefined
