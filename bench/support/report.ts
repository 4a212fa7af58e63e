export type Unit = '/s' | 'ms' | 'µs' | 's' | 'x' | '%' | 'MB' | 'buffers' | 'calls' | 'kB'

export type Aim = { least: number } | { most: number }

/** One measured or derived number. Figures of one `row` are adjacent, each under its `column`. */
export type Figure = { row: string; column?: string; value: number; unit: Unit; aim?: Aim; note?: string }

/** Contestants side by side, for the chart; more is better unless `less`. */
export type Race = { title: string; unit: Unit; less?: true; lanes: { name: string; value: number }[] }

export type Report = {
  title: string
  /** What a reader must know to understand the figures: sizes, rounds, contestants left out. */
  remarks: string[]
  figures: Figure[]
  races: Race[]
  /** The command fails if an aim is missed: the figures are a promise, not a comparison. */
  mustMeet?: true
}

/** Formats a value: `1,234/s`, `23.1 ms`, `2.31 x`. Two decimals below 10, one below 100, otherwise none. */
export function show(value: number, unit: Unit): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '/s' ? `${text}/s` : `${text} ${unit}`
}

function isMet(value: number, aim: Aim): boolean {
  return 'least' in aim ? value >= aim.least : value <= aim.most
}

function showAim({ value, unit, aim }: Figure): string {
  if (!aim) return ''
  const wanted = 'least' in aim ? `at least ${show(aim.least, unit)}` : `at most ${show(aim.most, unit)}`
  return `${wanted}: ${isMet(value, aim) ? 'met' : 'MISSED'}`
}

/** Returns whether a report with required aims misses one. */
export function isMissed({ figures, mustMeet }: Report): boolean {
  return mustMeet === true && figures.some(({ value, aim }) => aim && !isMet(value, aim))
}

/** Returns a line for each figure that has an aim. */
export function describeAims(figures: readonly Figure[]): string[] {
  return figures.filter(({ aim }) => aim).map(describeFigure)
}

/** Describes one figure, with its aim if it has one. */
export function describeFigure(figure: Figure): string {
  const what = [figure.row, figure.column].filter((part) => part).join(', ')
  return [`${what}: ${show(figure.value, figure.unit)}`, showAim(figure)].filter((part) => part).join('; ')
}

/** The column of figures that name none, as in a table with a single column. */
const plain = ''

function cells(figures: readonly Figure[]): string[][] {
  const columns = [...new Set(figures.map(({ column }) => column ?? plain))]
  const rows = Map.groupBy(figures, ({ row }) => row)
  const lines = [...rows].map(([row, found]) => {
    const values = columns.map((name) => {
      const figure = found.find(({ column }) => (column ?? plain) === name)
      return figure ? show(figure.value, figure.unit) : ''
    })
    return [row, ...values, found.map(({ note }) => note ?? '').join(' ')]
  })
  return columns.length > 1 ? [['', ...columns, ''], ...lines] : lines
}

export function printReport({ title, remarks, figures }: Report): void {
  console.log(`\n${title}`)
  for (const remark of remarks) console.log(`  ${remark}`)
  const table = cells(figures)
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)))
  for (const line of table) {
    const padded = line.map((cell, i) => (i === 0 || i === line.length - 1 ? cell : cell.padStart(widths[i] ?? 0)))
    console.log(`  ${(padded[0] ?? '').padEnd(widths[0] ?? 0)}  ${padded.slice(1).join('  ')}`.trimEnd())
  }
  const aims = describeAims(figures)
  if (aims.length > 0) console.log('  Aims')
  for (const line of aims) console.log(`    ${line}`)
}
