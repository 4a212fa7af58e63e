import type { SourceFile } from '../adapter.ts'
import { guessDelimiter, type Encoding } from '../beginnings.ts'
import { cellsOf, encodingOf, readCsv, type CsvForm, type Row } from '../text.ts'
import { firstLineOf } from './rows.ts'

/** A CSV as far as a map is guessed from it. */
export type LookedAt = {
  file: SourceFile
  encoding: Encoding
  delimiter: string
  columns: string[]
  rows: Row[]
  /** The column that is known as something by its name. */
  find(role: Role): string | undefined
}

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
  modifiers: /^(modifiers?|options?|extras?|suppl[ée]ments?|zusätze|modificadores)$/i,
  payment:
    /^(payment|tender|mode|moyen|règlement|reglement|zahlungsart|zahlart|zahlungsmittel|pago|pagamento)( ?(method|type|name|de paiement|de règlement|de reglement))?$/i,
  amount: /^(amount|paid|montant|payé|paye|betrag|bezahlt|importe|importo|total)( ttc| paid| payé)?$/i,
  tip: /^(tips?|gratuity|pourboires?|trinkgeld|propina|mancia|fooi)$/i,
} as const

export type Role = keyof typeof words

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

/** Looks at the beginning of a CSV. Throws `Unreadable`. */
export async function lookAtCsv(file: SourceFile): Promise<LookedAt> {
  const encoding = await encodingOf(file)
  const delimiter = guessDelimiter(await firstLineOf(file))
  const { columns, rows } = await firstRows(file, { delimiter, encoding })
  const find = (role: Role) => columns.find((column) => words[role].test(column))
  return { file, encoding, delimiter, columns, rows, find }
}

/** What is in the cells of a column, without empty ones. */
export const valuesOf = (rows: readonly Row[], column: string | undefined): string[] =>
  column === undefined ? [] : rows.map(({ cells }) => (cells[column] ?? '').trim()).filter((text) => text !== '')
