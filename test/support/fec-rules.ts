/**
 * The rules of the *fichier des écritures comptables* in article A47 A-1 of the LPF, its doctrine (BOI-CF-IOR-60-40-20)
 * and the tester of the tax office, applied to the bytes of a file. Independent of the program that writes the files.
 */

const columns =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'.split(
    ' ',
  )

/** Fields that every row must have. */
const required =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib PieceRef PieceDate EcritureLib Debit Credit ValidDate'.split(
    ' ',
  )

/** Fields that must occur together or not at all. */
const pairs = [
  ['CompAuxNum', 'CompAuxLib'],
  ['EcritureLet', 'DateLet'],
  ['Montantdevise', 'Idevise'],
] as const

export type FecRow = Record<string, string>

export type FecInput = {
  bytes: Buffer
  /** The file name, as in `Content-Disposition`. */
  name: string
  /** The last day of the file, `YYYY-MM-DD`. */
  until: string
  encoding?: 'iso-8859-15' | 'utf-8'
  /** Whether the file is a preview, which is marked in its name and has no final numbers. */
  isPreview: boolean
}

export type FecRead = { faults: string[]; rows: FecRow[]; debit: bigint; credit: bigint }

/** Returns whether the digits add up to a multiple of ten after every second digit from the right is doubled. */
function isSiren(text: string): boolean {
  let sum = 0
  for (let i = 0; i < 9; i++) {
    const digit = Number(text[8 - i]) * (i % 2 === 1 ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

function nameFaults({ name, until, isPreview }: FecInput): string[] {
  const [, preview, siren = '', date] = /^(apercu-)?(\d{9})FEC(\d{8})\.txt$/.exec(name) ?? []
  if (date === undefined) return [`name: ${name} is not SirenFECAAAAMMJJ.txt`]
  return [
    ...(isSiren(siren) ? [] : [`name: ${siren} is no SIREN`]),
    ...(date === until.replaceAll('-', '') ? [] : [`name: ${date} is not ${until}`]),
    ...((preview !== undefined) === isPreview ? [] : ['name: only a preview is called so']),
  ]
}

function textFaults(text: string): string[] {
  const faults: string[] = []
  if (text.startsWith('\uFEFF')) faults.push('encoding: a byte order mark')
  if (/[^\P{Cc}\t\r\n]/u.test(text)) faults.push('encoding: a control character')
  if (text.includes('\uFFFD')) faults.push('encoding: not readable')
  if (!text.endsWith('\r\n')) faults.push('lines: the last one is not ended')
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) faults.push('lines: ended in two ways')
  return faults
}

function isDate(text: string): boolean {
  if (!/^(19|20)\d{6}$/.test(text)) return false
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6)].map(Number) as [number, number, number]
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Reads an amount as hundredths: decimal comma, two decimals, no blanks or points; undefined for other text. */
function centsOf(text: string | undefined): bigint | undefined {
  const [, sign, whole, part] = /^(-?)(\d+),(\d\d)$/.exec(text ?? '') ?? []
  if (whole === undefined) return undefined
  return BigInt(`${sign}${whole}${part}`)
}

function rowFaults(row: FecRow): string[] {
  const faults: string[] = []
  for (const name of required) if ((row[name] ?? '') === '') faults.push(`${name} is empty`)
  for (const [name, value] of Object.entries(row)) {
    if (value !== value.trim()) faults.push(`${name} has blanks around it`)
    if (value.includes('|')) faults.push(`${name} has a separator`)
  }
  for (const [a, b] of pairs) if ((row[a] === '') !== (row[b] === '')) faults.push(`${a} without ${b}`)
  for (const name of ['EcritureDate', 'PieceDate', 'ValidDate', 'DateLet'])
    if (row[name] !== '' && !isDate(row[name] ?? '')) faults.push(`${name} is not a date`)
  if (!/^\d{3}/.test(row['CompteNum'] ?? '')) faults.push('CompteNum does not begin with three digits')
  const [debit, credit] = [centsOf(row['Debit']), centsOf(row['Credit'])]
  if (debit === undefined || credit === undefined) faults.push('an amount is not written as one')
  else if ((debit === 0n) === (credit === 0n)) faults.push('not one of Debit and Credit')
  return faults
}

/**
 * Checks that the rows of an entry are consecutive, have one date and one piece, and balance, and that the numbers of a
 * series are consecutive from the first in the file.
 */
function entryFaults(rows: readonly FecRow[], isPreview: boolean): string[] {
  const faults: string[] = []
  const sums = new Map<string, bigint>()
  const seen = new Map<string, FecRow>()
  const last = new Map<string, { ordinal: number; date: string }>()
  const names = new Map<string, string>()
  let before = ''
  let valid = ''
  for (const row of rows) {
    const { JournalCode = '', JournalLib = '', EcritureNum = '', EcritureDate = '', ValidDate = '' } = row
    const key = `${JournalCode} ${EcritureNum}`
    sums.set(key, (sums.get(key) ?? 0n) + (centsOf(row['Debit']) ?? 0n) - (centsOf(row['Credit']) ?? 0n))
    if ((names.get(JournalCode) ?? JournalLib) !== JournalLib) faults.push(`${JournalCode} has two names`)
    names.set(JournalCode, JournalLib)
    const first = seen.get(key)
    if (first) {
      if (key !== before) faults.push(`${key} is parted`)
      for (const name of ['EcritureDate', 'PieceRef', 'PieceDate', 'ValidDate'])
        if (first[name] !== row[name]) faults.push(`${key} has two ${name}`)
    } else {
      const [, series = '', digits = ''] = /^(.*?)(\d+)$/.exec(EcritureNum) ?? []
      const known = last.get(`${JournalCode} ${series}`)
      const ordinal = Number(digits)
      if (known ? ordinal !== known.ordinal + 1 : isPreview && ordinal !== 1) faults.push(`${key} leaves a gap`)
      if (isPreview && known && EcritureDate < known.date) faults.push(`${key} is dated before the one before`)
      if (ValidDate < valid) faults.push(`${key} is validated before the one before`)
      last.set(`${JournalCode} ${series}`, { ordinal, date: EcritureDate })
      seen.set(key, row)
      valid = ValidDate
    }
    before = key
  }
  for (const [key, sum] of sums) if (sum !== 0n) faults.push(`${key} does not balance`)
  return faults
}

/** Reads a file and lists its faults. */
export function readFec(input: FecInput): FecRead {
  const { bytes, encoding = 'iso-8859-15', isPreview, until } = input
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const [head = '', ...lines] = text.split('\r\n').slice(0, -1)
  const faults = [...nameFaults(input), ...textFaults(text)]
  if (head !== columns.join('\t')) faults.push('the names of the columns are others, or in another order')
  const rows: FecRow[] = []
  for (const [i, line] of lines.entries()) {
    const cells = line.split('\t')
    if (cells.length !== columns.length) {
      faults.push(`line ${i + 2}: ${cells.length} fields`)
      continue
    }
    const row = Object.fromEntries(columns.map((name, n) => [name, cells[n] as string]))
    rows.push(row)
    faults.push(...rowFaults(row).map((fault) => `line ${i + 2}: ${fault}`))
    if ((row['EcritureDate'] ?? '') > until.replaceAll('-', '') && isPreview)
      faults.push(`line ${i + 2}: dated after the last day`)
  }
  faults.push(...entryFaults(rows, isPreview))
  const sumOf = (name: string) => rows.reduce((sum, row) => sum + (centsOf(row[name]) ?? 0n), 0n)
  const [debit, credit] = [sumOf('Debit'), sumOf('Credit')]
  if (debit !== credit) faults.push('the file does not balance')
  return { faults, rows, debit, credit }
}

/** Returns the name of a file from its header. */
export const nameOfFile = (disposition: string | undefined): string =>
  /^attachment; filename="([^"]+)"$/.exec(disposition ?? '')?.[1] ?? ''
