/** The canonical spelling of an IANA time zone (`europe/paris` is `Europe/Paris`); undefined when there is none. */
export function canonicalTimeZone(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // An offset such as +02:00 is taken as it is written.
    return /^[+-]/.test(timeZone) ? name : timeZone
  } catch {
    return undefined
  }
}

export const isTimeZone = (name: string): boolean => canonicalTimeZone(name) !== undefined
