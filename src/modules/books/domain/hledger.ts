import { decimalText } from './texts.ts'
import type { Rendered } from './rendered.ts'

/** Replaces `:` and square brackets with spaces: hledger reads them as tags and dates, even in a comment. */
const comment = (text: string) =>
  text
    .replaceAll(/[:[\]]/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()

type Named = { account: string; auxiliary: string | null; accountName: string }

const accountOf = ({ account, auxiliary }: Named) => (auxiliary === null ? account : `${account}:${plain(auxiliary)}`)

/** Replaces what has a meaning in an account name: two spaces end the name, and a colon separates its parts. */
const plain = (text: string) =>
  text
    .replaceAll(/[:;()[\]"]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Writes entries as plain-text accounting, which hledger and ledger read, and declares accounts and currencies. */
export function toHledger({ entries, decimals }: Rendered): string {
  const lines = entries.flatMap((entry) => entry.lines)
  const accounts = new Map(lines.map((line) => [accountOf(line), line.accountName]))
  const currencies = [...new Set(entries.map(({ currency }) => currency))].toSorted()
  const head = [
    ...currencies.map(
      (currency) => `commodity ${currency}\n    format ${decimalText(10 ** (decimals + 3), decimals)} ${currency}\n`,
    ),
    ...[...accounts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => `; ${comment(text)}\naccount ${name}\n`),
  ]
  const blocks = entries.map((entry) => {
    const number = entry.number === null ? '' : `(${entry.number}) `
    const postings = entry.lines.map((line) => {
      const sign = line.debit === 0 ? '-' : ''
      const amount = `${sign}${decimalText(line.debit + line.credit, decimals)} ${entry.currency}`
      return `    ${accountOf(line)}  ${amount}  ; ${comment(line.label)}\n`
    })
    return `${entry.date} * ${number}${entry.pieceRef}\n${postings.join('')}`
  })
  return [...head, ...blocks].join('\n')
}
