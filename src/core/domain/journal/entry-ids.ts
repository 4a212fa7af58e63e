import { hash } from 'node:crypto'

/** Makes the permanent id of a journal entry that Tillgate itself writes for a location; `what` names its subject. */
export function entryId(locationId: string, what: string): string {
  const digits = hash('sha256', `${locationId} ${what}`)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}
