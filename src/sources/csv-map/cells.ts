import { toMinor, restOf, unitsOf } from '../../domain/money/decimal.ts'
import { Unreadable, type Profile } from '../adapter.ts'
import { isoFormat } from '../local-times.ts'
import type { Row } from '../text.ts'
import type { Cell, CsvMap, Test } from './schema.ts'

/** A row of one of the files. */
export type Line = Row & { file: string }

type Forms = { map: Pick<CsvMap, 'times' | 'numbers'>; toTime: (text: string) => string; decimals: number }

/** Reads cells as the map says; what cannot be read is told with file, line, column, cell and the place in the map. */
export class Cells {
  readonly #forms: Forms

  constructor(forms: Forms) {
    this.#forms = forms
  }

  #fail({ file, line }: Line, at: string, what: string): never {
    throw new Unreadable(`${file}, line ${line}: ${what} (map ${at})`)
  }

  #column(row: Line, column: string, at: string): string {
    return row.cells[column] ?? this.#fail(row, at, `there is no column ${column}`)
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
    return cell.values[text] ?? this.#fail(row, at, `${cell.column} is “${text}”, which its values do not have`)
  }

  /** The local date in a time, as it is written there. */
  date(row: Line, text: string, at: string): string {
    const { format } = this.#forms.map.times
    this.#time(row, text, at)
    if (format === isoFormat) return text.trim().slice(0, 10)
    const [year, month, day] = ['YYYY', 'MM', 'DD'].map((part) => format.indexOf(part))
    const digits = text.match(/\d+/g) ?? []
    const order = (format.match(/YYYY|YY|MM|DD|HH|mm|ss/g) ?? []) as string[]
    const part = (name: string) => (digits[order.indexOf(name)] ?? '').padStart(2, '0')
    if ((year ?? -1) < 0 || (month ?? -1) < 0 || (day ?? -1) < 0)
      this.#fail(row, at, `the format ${format} has no date`)
    return `${part('YYYY')}-${part('MM')}-${part('DD')}`
  }

  #time(row: Line, text: string, at: string): string {
    try {
      return this.#forms.toTime(text)
    } catch (error) {
      if (error instanceof Unreadable) this.#fail(row, at, error.message)
      throw error
    }
  }

  /** Undefined for an empty cell. */
  time(row: Line, cell: Cell | undefined, at: string): string | undefined {
    const text = this.text(row, cell, at)
    return text === '' ? undefined : this.#time(row, text, at)
  }

  /** A number as the map says that numbers are written; 0 for an empty cell. */
  number(row: Line, cell: Cell | undefined, at: string): number {
    const text = this.text(row, cell, at)
    const { decimal, groups = '' } = this.#forms.map.numbers
    let plain = text.replace(/^(?:[\s\p{Sc}]|[A-Z]{3}(?=[\s\d.,+-]))+|(?:[\s\p{Sc}]|(?<=\s)(?:[A-Z]{3}|kr))+$/gu, '')
    if (groups !== '') plain = plain.replaceAll(groups, '')
    plain = plain.replaceAll(/[\u00a0\u202f]/g, '')
    if (decimal === ',') plain = plain.replace(',', '.')
    if (plain === '' && text === '') return 0
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(plain)) {
      this.#fail(row, at, `${typeof cell === 'string' ? `${cell} is ` : ''}“${text}”, which is no number`)
    }
    return Number(plain)
  }

  /** An amount in minor units. */
  minor(row: Line, cell: Cell | undefined, at: string): number {
    const number = this.number(row, cell, at)
    if (this.#forms.map.numbers.minor) return Math.sign(number) * Math.round(Math.abs(number))
    return toMinor(unitsOf(number), restOf(number), this.#forms.decimals)
  }

  is(row: Line, test: Test | undefined, at: string): boolean {
    if (!test) return false
    const text = this.#column(row, test.column, at).trim()
    return [test.is].flat().includes(text)
  }
}

/** What mapping a row needs. */
export type Context = { map: CsvMap; profile: Profile; cells: Cells }
