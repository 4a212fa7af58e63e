import { saveCsv } from './csv.ts'

const textOf = (cell: HTMLElement) => cell.innerText.replaceAll(/\s*\n\s*/g, ' ').trim()

/** Hands a table over as a file: what it shows, cell by cell, without the columns of buttons. */
export function saveTable(table: HTMLTableElement): void {
  const [head, ...rows] = [...table.rows]
  if (head === undefined) return
  const kept = [...head.cells].map((cell) => cell.querySelector('.hidden') === null)
  const cells = (row: HTMLTableRowElement) => [...row.cells].filter((_, place) => kept[place]).map(textOf)
  saveCsv(`${table.caption?.innerText ?? 'table'}.csv`, [head, ...rows].map(cells))
}
