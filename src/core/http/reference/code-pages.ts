import { cliCodes } from '../../cli-codes.ts'
import { problems } from '../../contract/errors/errors.ts'
import { faults, stops } from '../../contract/errors/faults.ts'
import { outcomes } from '../../outcomes.ts'
import { modules } from '../../modules.ts'
import { page, toHtml } from './pages.ts'

/** One meaning of a code, which may have several: `line_too_long` rejects a record, or ends the reading of a push. */
type Meaning = { kind: string; title: string; example?: string; help?: string }

/** The meanings of all codes in the tables under one heading of the list. */
type Section = { heading: string; meanings: Readonly<Record<string, Meaning>> }

/** Makes the section of a table; `toMeaning` reads one of its rows. */
function section<Row>(
  heading: string,
  table: Readonly<Record<string, Row>>,
  toMeaning: (row: Row) => Meaning,
): Section {
  return {
    heading,
    meanings: Object.fromEntries(Object.entries(table).map(([code, row]) => [code, toMeaning(row)])),
  }
}

/** Every code that a caller can see, from the closed tables. */
const sections: readonly Section[] = [
  section('Problems', problems, ([status, title, help]) => ({ kind: `Status ${status}`, title, help })),
  section('Faults inside a request or a record', faults, ([title, example, help]) => ({
    kind: 'A fault in `errors`',
    title,
    example,
    help,
  })),
  section('Reasons why reading of a push stopped', stops, ([title, help]) => ({
    kind: 'Reason why a push was `stopped`',
    title,
    help,
  })),
  ...modules().flatMap(({ warnings }) =>
    warnings
      ? section('Warnings about stored records', warnings, ([title, rule, help]) => ({
          kind: `A warning. When: ${rule}`,
          title,
          help,
        }))
      : [],
  ),
  ...Object.entries(outcomes).map(([heading, table]) =>
    section(heading, table, ([title, help]) => ({ kind: heading, title, help })),
  ),
  section('Errors of commands, with `--json`', cliCodes, (words) => ({
    kind: 'Error of a command, with `--json`',
    title: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  })),
]

/** Makes the page that lists every code, each linked to its own page. */
export function codeList(): string {
  const row = ([code, { kind, title }]: [string, Meaning]) =>
    `<tr><td>${toHtml(kind.split('. ', 1)[0] ?? '')}</td><td><a href="errors/${code}"><code>${code}</code></a></td>` +
    `<td>${toHtml(title)}</td></tr>`
  const tables = sections.map(
    ({ heading, meanings }) =>
      `<h2>${toHtml(heading)}</h2><table>${Object.entries(meanings).map(row).join('\n')}</table>`,
  )
  return page(
    'Errors',
    `<h1>Errors and other codes</h1><p>Every error is a problem document (RFC 9457) with a code of the first table.</p>
    ${tables.join('')}<p><a href="./">API reference</a> · <a href="guides">Guides</a></p>`,
  )
}

/** Makes the page of one code with all its meanings; null for an unknown code. */
export function codePage(code: string): string | null {
  const meanings = sections.flatMap((part) => (Object.hasOwn(part.meanings, code) ? [part.meanings[code]] : []))
  const parts = meanings.flatMap((meaning) => {
    if (!meaning) return []
    const { kind, title, example, help } = meaning
    const shown = example === undefined ? '' : `<p>For example: ${toHtml(example)}</p>`
    const advice = help === undefined ? '' : `<p>${toHtml(help)}</p>`
    return `<h2>${toHtml(title)}</h2><p>${toHtml(kind)}, code <code>${code}</code></p>${shown}${advice}`
  })
  if (parts.length === 0) return null
  return page(code, `<p><a href="../errors">Errors</a></p><h1><code>${code}</code></h1>${parts.join('')}`)
}
