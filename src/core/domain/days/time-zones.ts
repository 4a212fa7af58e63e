/**
 * Returns the canonical spelling of an IANA time zone (`europe/paris` is `Europe/Paris`); undefined if unknown. A name
 * that Unicode data replaces with an older one (`Asia/Kathmandu`, `Europe/Kyiv`) is kept, because other systems use it.
 */
export function canonicalTimeZone(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // An offset such as +02:00 is used as written.
    if (/^[+-]/.test(timeZone)) return name
    const isOtherName = timeZone.toLowerCase() !== name.toLowerCase()
    return isOtherName && /[A-Z]/.test(name) ? name : timeZone
  } catch {
    return undefined
  }
}

export const isTimeZone = (name: string): boolean => canonicalTimeZone(name) !== undefined
