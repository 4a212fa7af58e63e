import { toMinor, restOf, unitsOf } from '../../../../core/contract/money/decimal.ts'
import { Unreadable, type Profile } from '../adapter.ts'
import { isoFormat, localParts, type LocalTime } from '../local-times.ts'
import { readNumber } from '../numbers.ts'
import type { Row } from '../text.ts'
import type { Cell, CsvMap, Test } from './schema.ts'

export type Line = Row & { file: string }

type Forms = {
  map: Pick<CsvMap, 'times' | 'numbers'>
  toTime: (text: string) => string
  /** Decimals of amounts in Tillgate, and of the minor unit of ISO 4217. */
  decimals: number
  isoDecimals: number
}

/** Reads cells according to the map; a failure names file, line, column, cell and the part of the map. */
export class Cells {
  readonly #forms: Forms
  #parts: ((text: string) => LocalTime)[] | undefined

  constructor(forms: Forms) {
    this.#forms = forms
  }

  #fail({ file, line }: Line, at: string, what: string): never {
    throw new Unreadable(`${file}, line ${line}: ${what} (map ${at})`)
  }

  #column(row: Line, column: string, at: string): string {
    return row.cells[column] ?? this.#fail(row, at, `column ${column} does not exist`)
  }

  text(row: Line, cell: Cell | undefined, at: string): string {
    if (cell === undefined) return ''
    if (typeof cell === 'string') return this.#column(row, cell, at).trim()
    if (Array.isArray(cell)) {
      return cell
        .map((part) => this.text(row, part, at))
        .filter((part) => part !== '')
        .join(' ')
    }
    if ('value' in cell) return cell.value
    const text = this.#column(row, cell.column, at).trim()
    if ('as' in cell) return text === '' ? '' : this.date(row, text, at)
    return cell.values[text] ?? this.#fail(row, at, `${cell.column} is “${text}”, which is not one of its values`)
  }

  /** Returns the local date in a time, as written there; a cell may have only the date. */
  date(row: Line, text: string, at: string): string {
    const { format } = this.#forms.map.times
    if (format === isoFormat) {
      this.#time(row, text, at)
      return text.trim().slice(0, 10)
    }
    const { year, month, day } = this.#dated(row, text, at)
    if (year === undefined) this.#fail(row, at, `the format ${format} has no date`)
    return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  }

  #dated(row: Line, text: string, at: string): LocalTime {
    const { format } = this.#forms.map.times
    // The part of the format before its hours.
    const dateOnly = format.replace(/[^YMD]*[Hh].*$/, '')
    this.#parts ??= [...new Set([format, dateOnly])].filter((one) => one !== '').map(localParts)
    for (const [i, read] of this.#parts.entries()) {
      try {
        return read(text)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        if (i === this.#parts.length - 1) this.#fail(row, at, error.message)
      }
    }
    return this.#fail(row, at, `“${text}” is not a time in the format ${format}`)
  }

  #time(row: Line, text: string, at: string): string {
    try {
      return this.#forms.toTime(text)
    } catch (error) {
      if (error instanceof Unreadable) this.#fail(row, at, error.message)
      throw error
    }
  }

  /** Returns the time in a cell; undefined for an empty cell. */
  time(row: Line, cell: Cell | undefined, at: string): string | undefined {
    const text = this.text(row, cell, at)
    return text === '' ? undefined : this.#time(row, text, at)
  }

  /** Returns the number in a cell, in the map's format; 0 for an empty cell. */
  number(row: Line, cell: Cell | undefined, at: string): number {
    const text = this.text(row, cell, at)
    if (text === '') return 0
    const { numbers } = this.#forms.map
    const read = readNumber(text, numbers)
    if (read !== undefined) return Number(read)
    const { decimal, groups } = numbers
    const form = `the decimal separator “${decimal}” and ${groups ? `the thousands separator “${groups}”` : 'no thousands separator'}`
    const what = typeof cell === 'string' ? `${cell}: ` : ''
    const { file, line } = row
    throw new Unreadable(
      `${file}, line ${line}: ${what}“${text}” is not a number (map ${at}): /numbers requires ${form}`,
    )
  }

  /** Returns the amount in a cell, in minor units. */
  minor(row: Line, cell: Cell | undefined, at: string): number {
    const number = this.number(row, cell, at)
    const { map, decimals, isoDecimals } = this.#forms
    if (map.numbers.minor) return Math.sign(number) * Math.round(Math.abs(number) * 10 ** (decimals - isoDecimals))
    return toMinor(unitsOf(number), restOf(number), decimals)
  }

  /** Returns the price of one piece times the quantity, in minor units: multiplied as decimals, and rounded once. */
  product(row: Line, price: Cell, quantity: Cell | undefined, at: (name: string) => string): number {
    const one = this.number(row, price, at('price'))
    const many = quantity === undefined ? 1 : this.number(row, quantity, at('quantity'))
    const { map, decimals, isoDecimals } = this.#forms
    const scale = map.numbers.minor ? isoDecimals : 0
    const exact = BigInt(unitsOf(one)) * BigInt(unitsOf(many))
    const [size, by] = [exact < 0n ? -exact : exact, 10n ** BigInt(8 + scale - decimals)]
    const rounded = Number((2n * size + by) / (2n * by))
    return exact < 0n ? 0 - rounded : rounded
  }

  is(row: Line, test: Test | undefined, at: string): boolean {
    if (!test) return false
    const text = this.#column(row, test.column, at).trim()
    return [test.is].flat().includes(text)
  }
}

/** The context of mapping a row. */
export type Context = {
  map: CsvMap
  profile: Profile
  cells: Cells
  /** Counts data that no record has a field for. */
  note: (what: string) => void
}
