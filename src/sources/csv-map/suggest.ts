import type { SourceFile } from '../adapter.ts'
import { cellsOf, encodingOf, readCsv, type CsvForm, type Row } from '../text.ts'
import { firstLineOf, guessDelimiter } from './rows.ts'
import type { CsvMap } from './schema.ts'

/** Words by which a column is known, in the languages of tills; the first that fits wins. */
const words = {
  key: /^(receipt|ticket|bon|order|sale|n° ?ticket|numéro|numero|check|transaction|commande)( ?(no|nr|number|id|n°|#))?\.?$/i,
  opened: /^(opened|ouvert|ouverture|created|start|date|datum|fecha|data)( at| time| heure| le)?$/i,
  closed: /^(closed|clos|clôture|cloture|fermé|ferme|paid|payé|encaissé|end|time|heure)( at| time| le)?$/i,
  name: /^(item|article|product|produit|libellé|libelle|designation|désignation|artikel|name|nom|description)( name)?$/i,
  product: /^(sku|plu|code|ref|référence|reference|art\.? ?nr\.?|product id|code article)$/i,
  quantity: /^(qty|quantity|quantité|quantite|qté|qte|menge|anzahl|cantidad|quantità)$/i,
  total: /^(gross|total|ttc|total ttc|montant ttc|brutto|amount|montant|importe|importo|line total)$/i,
  rate: /^(vat ?%|tva ?%|taux( tva)?|mwst ?%|ust ?%|tax ?rate|iva ?%)$/i,
  tax: /^(vat|tva|mwst|ust|tax|iva|montant tva)$/i,
  category: /^(category|catégorie|categorie|famille|group|groupe|warengruppe|department)$/i,
  place: /^(table|place|tisch|mesa|tavolo)$/i,
  guests: /^(covers|guests|couverts|gäste|pax)$/i,
  operator: /^(server|waiter|serveur|vendeur|kellner|bediener|operator|employee|staff|cashier|caissier)$/i,
  voided: /^(voided|void|annulé|annule|storno|cancelled|canceled)$/i,
} as const

type Role = keyof typeof words

/** Formats of times that are tried, the most particular first. */
const formats: [format: string, form: RegExp][] = [
  ['YYYY-MM-DD HH:mm:ss', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/],
  ['YYYY-MM-DDTHH:mm:ss', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/],
  ['YYYY-MM-DD HH:mm', /^\d{4}-\d\d-\d\d \d\d:\d\d$/],
  ['DD/MM/YYYY HH:mm:ss', /^\d{1,2}\/\d{1,2}\/\d{4} \d\d:\d\d:\d\d$/],
  ['DD/MM/YYYY HH:mm', /^\d{1,2}\/\d{1,2}\/\d{4} \d\d:\d\d$/],
  ['DD.MM.YYYY HH:mm:ss', /^\d{1,2}\.\d{1,2}\.\d{4} \d\d:\d\d:\d\d$/],
  ['DD.MM.YYYY HH:mm', /^\d{1,2}\.\d{1,2}\.\d{4} \d\d:\d\d$/],
  ['DD/MM/YYYY', /^\d{1,2}\/\d{1,2}\/\d{4}$/],
  ['YYYY-MM-DD', /^\d{4}-\d\d-\d\d$/],
]

const valuesOf = (rows: readonly Row[], column: string | undefined) =>
  column === undefined ? [] : rows.map(({ cells }) => (cells[column] ?? '').trim()).filter((text) => text !== '')

function numbersOf(values: readonly string[]): CsvMap['numbers'] {
  const commas = values.filter((text) => /,\d{1,2}$/.test(text)).length
  const points = values.filter((text) => /\.\d{1,3}$/.test(text)).length
  const decimal = commas > points ? ',' : '.'
  const groups = decimal === ',' ? ['.', ' ', '\u00a0', '\u202f'] : [',', "'", ' ']
  const used = groups.find((one) => values.some((text) => text.slice(1).includes(one)))
  return used === undefined ? { decimal } : { decimal, groups: used }
}

/** So many rows are looked at. */
const rowsLookedAt = 5_000

async function firstRows(file: SourceFile, form: CsvForm): Promise<{ columns: string[]; rows: Row[] }> {
  let columns: string[] = []
  const rows: Row[] = []
  await readCsv(file, form, {
    header: (names) => (columns = names),
    row: (cells, line) => {
      if (rows.length < rowsLookedAt) rows.push({ line, cells: cellsOf(columns, cells) })
    },
  })
  return { columns, rows }
}

/** Guesses a map of one CSV of item lines: what it is not sure of a person has to look at. */
export async function suggestMap(file: SourceFile): Promise<CsvMap> {
  const encoding = await encodingOf(file)
  const delimiter = guessDelimiter(await firstLineOf(file))
  const { columns, rows } = await firstRows(file, { delimiter, encoding })
  const find = (role: Role) => columns.find((column) => words[role].test(column))
  const first = columns[0] ?? ''
  const [key, opened, total] = [find('key') ?? first, find('opened') ?? find('closed') ?? first, find('total') ?? first]
  const times = valuesOf(rows, opened)
  const format = formats.find(([, form]) => times.length > 0 && times.every((text) => form.test(text)))?.[0]
  const optional = <Name extends string>(name: Name, role: Role) => {
    const column = find(role)
    return (column === undefined ? {} : { [name]: column }) as Partial<Record<Name, string>>
  }
  const [rate, tax, voided] = [find('rate'), find('tax'), find('voided')]
  return {
    map: 1,
    source: 'csv',
    times: { format: format ?? 'YYYY-MM-DD HH:mm:ss' },
    numbers: numbersOf(valuesOf(rows, total)),
    files: { lines: { name: file.name, encoding, delimiter } },
    order: {
      from: 'lines',
      key: [key],
      number: key,
      opened,
      ...optional('closed', 'closed'),
      ...optional('place', 'place'),
      ...optional('guests', 'guests'),
      ...optional('operator', 'operator'),
      item: {
        name: find('name') ?? first,
        ...optional('product', 'product'),
        ...optional('quantity', 'quantity'),
        total,
        ...optional('category', 'category'),
        ...(voided === undefined ? {} : { canceled: { column: voided, is: ['yes', 'oui', 'ja', 'true', '1'] } }),
        ...(rate === undefined ? {} : { tax: { rate, ...(tax === undefined ? {} : { amount: tax }), included: true } }),
      },
    },
  }
}
