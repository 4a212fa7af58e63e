import type { ActChange } from '../../schemas/access.ts'

/** Maximum characters kept of a value that a person wrote. */
const keptOfValue = 1_000

/** Formats a value for people: text unchanged, a list of names with commas, a moment in UTC, anything else as JSON. */
function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  const isNames = Array.isArray(value) && value.every((one) => typeof one === 'string')
  const text = typeof value === 'string' ? value : isNames ? value.join(', ') : JSON.stringify(value)
  return text.slice(0, keptOfValue).toWellFormed()
}

type State = Record<string, unknown>

/**
 * Lists the fields that differ between two states, in the given order, each with its old and new value (null if
 * absent). Never pass a secret: the result is shown to readers of the log.
 */
export function changesBetween(before: State | null, after: State | null): ActChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.flatMap((field) => {
    const [was, is] = [toText(before?.[field]), toText(after?.[field])]
    return was === is ? [] : [{ field, before: was, after: is }]
  })
}

/**
 * Lists the changed fields without their values. A restaurant's record can contain a person's name, address and
 * telephone, and the log is a chain: values in it cannot be blanked later.
 */
export function withoutValues(changes: readonly ActChange[], fields: readonly string[]): ActChange[] {
  return changes.map((change) => (fields.includes(change.field) ? { ...change, before: null, after: null } : change))
}

/** Picks the fields of a webhook for the access log, without path and query of its address: they may be secret. */
export const loggedWebhook = (webhook: { endpointUrl: string; events: readonly string[]; recipientId: string }) => ({
  endpointUrl: new URL(webhook.endpointUrl).origin,
  events: webhook.events,
  recipientId: webhook.recipientId,
})
