import { readDocument } from '../documents/json-text.ts'

/** How the names of operators and clerks are stored: unchanged, as initials (`C. D.`), or not at all. */
export const operatorNameModes = ['keep', 'initials', 'none'] as const

export type OperatorNames = (typeof operatorNameModes)[number]

type Named = { operatorName?: unknown; clerkName?: unknown; reportClerksShift?: { name?: unknown }[] }

function shorten(name: string, mode: OperatorNames): string {
  if (mode === 'none') return ''
  const words = name.split(/[\s.-]+/u).filter((word) => word !== '')
  return words.map((word) => `${String.fromCodePoint(word.codePointAt(0) ?? 0).toUpperCase()}.`).join(' ')
}

/** Shortens the names in an order or report, keeping the spelling of numbers; returns other documents unchanged. */
export function shortenNames(kind: string, document: string, mode: OperatorNames): string {
  if (mode === 'keep' || (kind !== 'order' && kind !== 'report')) return document
  const value = readDocument(document) as Named | null | undefined
  if (typeof value !== 'object' || value === null) return document
  if (typeof value.operatorName === 'string') value.operatorName = shorten(value.operatorName, mode)
  if (typeof value.clerkName === 'string') value.clerkName = shorten(value.clerkName, mode) || null
  const shifts = Array.isArray(value.reportClerksShift) ? value.reportClerksShift : []
  for (const shift of shifts) if (typeof shift?.name === 'string') shift.name = shorten(shift.name, mode)
  return JSON.stringify(value)
}
