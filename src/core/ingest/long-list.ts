import { isPlainText, parseJson } from '../domain/documents/json-text.ts'
import { keepSpelling } from '../domain/documents/json-spelling.ts'
import { documentWriter, openShape } from '../domain/documents/serialize.ts'
import { checker, validator } from '../domain/documents/validation.ts'
import type { Fault } from '../contract/errors/errors.ts'
import { catalogLists, type CatalogList } from '../contract/catalog/schema.ts'
import { ArrayBroken, cutArray, pauseEvery } from './receive/array-elements.ts'
import { recordLimit, type ListType } from './record-limits.ts'

/** A list that was read: its entries with JavaScript numbers, and the text of its document. */
export type ReadList = { entries: unknown[]; document: Buffer }

function entryFormOf(list: CatalogList) {
  const shape = catalogLists[list].items
  const writer = documentWriter(shape)
  const isGood = checker(openShape(shape))
  return {
    writer,
    faultsOf: validator(shape, 'body', 'the entry'),
    isArranged: (entry: unknown) => isGood(entry) && writer.isArranged(entry),
  }
}

const lists = Object.keys(catalogLists) as CatalogList[]
const forms = new Map(lists.map((list) => [`catalog.${list}`, entryFormOf(list)] as const))

type EntryForm = ReturnType<typeof entryFormOf>

const faultAt = (at: number, { pointer, ...fault }: Omit<Fault, 'in'>): Fault => ({
  in: 'body',
  ...fault,
  pointer: `/data/${at}${pointer}`,
})

/** Reads one entry: its value with JavaScript numbers, and its document as text; or its faults. */
function readEntry(bytes: Buffer, at: number, form: EntryForm): { value: unknown; text: string } | { faults: Fault[] } {
  if (bytes.length > recordLimit) {
    const detail = `an entry of a list must be at most ${recordLimit / 1024 / 1024} MiB`
    return { faults: [faultAt(at, { pointer: '', code: 'line_too_long', detail })] }
  }
  const read = parseJson(bytes)
  if (!read.ok) return { faults: [faultAt(at, read)] }
  const { value, text } = read
  const isArranged = form.isArranged(value)
  const faults = isArranged ? [] : form.faultsOf(value)
  if (faults.length > 0) {
    // The pointer is relative to the list, as in a shorter list.
    const named = (fault: Fault) => (fault.pointer === '' ? fault : { ...fault, detail: `${at}.${fault.detail}` })
    return { faults: faults.map((fault) => faultAt(at, named(fault))) }
  }
  if (isPlainText(text, value)) return { value, text: isArranged ? text.trim() : form.writer.write(value) }
  const spelled: unknown = JSON.parse(text)
  const fault = keepSpelling(text, spelled, true)
  return fault ? { faults: [faultAt(at, fault)] } : { value, text: form.writer.write(spelled) }
}

/**
 * Reads a list that is too long to be read at once, entry by entry from `[` on, and stops at the first fault. Yields in
 * between, so that no part takes longer than one entry or 64 KiB. Only the end of the record may follow the list.
 */
export function* longList(type: ListType, bytes: Buffer): Generator<void, ReadList | { faults: Fault[] }> {
  const form = forms.get(type) as EntryForm
  const listFault = (detail: string): { faults: Fault[] } => ({
    faults: [{ in: 'body', pointer: '', code: 'invalid_json', detail }],
  })
  const end = bytes.lastIndexOf(']') + 1
  if (!/^\s*\}\s*$/.test(bytes.toString('latin1', end, end + 1_000)) || bytes.length > end + 1_000) {
    return listFault('a list of more than 1 MiB has text after data: send only type and data')
  }
  const entries: unknown[] = []
  const texts: string[] = []
  let unpaused = 0
  try {
    for (const element of cutArray([bytes.subarray(0, end)])) {
      if (element !== undefined) {
        const entry = readEntry(element, entries.length, form)
        if ('faults' in entry) return entry
        entries.push(entry.value)
        texts.push(entry.text)
        unpaused += element.length
      }
      if (element !== undefined && unpaused < pauseEvery) continue
      unpaused = 0
      yield
    }
  } catch (error) {
    if (error instanceof ArrayBroken) return listFault(`the text is not valid JSON: ${error.message}`)
    throw error
  }
  yield
  return { entries, document: Buffer.from(`[${texts.join(',')}]`) }
}
