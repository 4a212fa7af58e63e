import type { SourceFile } from '../adapter.ts'
import { guessDelimiter, type Encoding } from '../beginnings.ts'
import { cellsOf, encodingOf, readCsv, type CsvForm, type Row } from '../text.ts'
import { firstLineOf } from './rows.ts'

/** The data of a CSV from which a map is guessed. */
export type LookedAt = {
  file: SourceFile
  encoding: Encoding
  delimiter: string
  columns: string[]
  rows: Row[]
  /** Finds the column of a role by the names of the columns. */
  find(role: Role): string | undefined
}

/**
 * Patterns that identify a column, in the languages of tills. The patterns of a role are tried in order, each on all
 * columns; specific patterns come first.
 */
const words = {
  key: [
    /^(transaction id|check id)$/i,
    /^(order id|receipt number|order ref(erence)?|numéro de ticket)$/i,
    /^(receipt|ticket|bon|order|sale|n° ?ticket|numéro|numero|check|transaction|commande)( ?(no|nr|number|id|n°|#|ref))?\.?$/i,
  ],
  opened: [
    /^(order date|created at|opened at|date de la commande)$/i,
    /^(line item date|sent date)$/i,
    /^(opened|ouvert|ouverture|created|start|date|datum|fecha|data)( ?(and|et|&)? ?(at|time|heure|le|uhrzeit|hora|ora))?$/i,
  ],
  time: [/^(time|heure|uhrzeit|zeit|hora|ora|tijd)$/i],
  closed: [/^(closed|clos|clôture|cloture|fermé|ferme|paid|payé|encaissé|end)( at| time| le)?$/i],
  name: [
    /^(lineitem name|menu item|item name|order lines\/product|product name|nom du produit)$/i,
    /^(item|article|product|produit|libellé|libelle|designation|désignation|artikel|description)( name)?$/i,
    /^(name|nom)$/i,
  ],
  product: [/^(lineitem sku|sku|plu|code|ref|référence|reference|art\.? ?nr\.?|product id|item id|code article)$/i],
  quantity: [
    /^(lineitem quantity|order lines\/(ordered )?quantity)$/i,
    /^(qty|quantity|quantité|quantite|qté|qte|menge|anzahl|cantidad|quantità|ordered qty)$/i,
  ],
  price: [
    /^(lineitem price|order lines\/unit price|item price)$/i,
    /^(unit price|price|prix( unitaire)?( ttc)?|p\.?u\.?( ttc)?|einzelpreis|stückpreis|precio( unitario)?|prezzo( unitario)?)$/i,
  ],
  total: [
    /^(item total( with tax)?|line total|order lines\/(subtotal|total)( w\/o tax| with tax)?)$/i,
    /^(net sales|net price|net amount)$/i,
    /^(gross|total|subtotal|ttc|total ttc|montant ttc|brutto|amount|montant|importe|importo)$/i,
    /^(gross sales|gross price|total revenue|item revenue)$/i,
  ],
  rate: [/^((vat|tva|mwst|ust|iva|btw|tax|moms) ?%|taux( (de )?tva)?|tax ?rate|vat rate)$/i],
  tax: [/^(vat|tva|mwst|ust|tax|taxes|iva|btw|tax amount|montant (de )?tva|lineitem tax)$/i],
  discount: [/^lineitem discount$/i, /^(discounts?|total discount|remises?|rabatt|descuento|sconto)( amount)?$/i],
  category: [
    /^(sales category|menu group)$/i,
    /^(category|catégorie|categorie|famille|group|groupe|warengruppe|department)( name)?$/i,
  ],
  place: [/^(table|place|tisch|mesa|tavolo)$/i],
  guests: [/^(covers|guests|couverts|gäste|pax)$/i],
  operator: [
    /^(server|waiter|serveur|vendeur|kellner|bediener|operator|employee|staff|cashier|caissier)( name)?$/i,
    /^(order employee name)$/i,
  ],
  voided: [/^(voided|void|annulé|annule|storno|cancelled|canceled)\??$/i],
  modifiers: [/^(modifiers?( applied)?|options?|extras?|suppl[ée]ments?|zusätze|modificadores)$/i],
  payment: [
    /^(payment|paiement|tender|mode|moyen|règlement|reglement|zahlungsart|zahlart|zahlungsmittel|pago|pagamento)( ?(method|type|name|de paiement|de règlement|de reglement))?$/i,
  ],
  amount: [/^(amount|paid|montant|payé|paye|betrag|bezahlt|importe|importo|total)( ttc| paid| payé)?$/i],
  tip: [/^(tips?|gratuity|pourboires?|trinkgeld|propina|mancia|fooi)( amount)?$/i],
} as const satisfies Record<string, readonly RegExp[]>

export type Role = keyof typeof words

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

/** Reads the header and the first rows of a CSV. Throws `Unreadable`. */
export async function lookAtCsv(file: SourceFile): Promise<LookedAt> {
  const encoding = await encodingOf(file)
  const delimiter = guessDelimiter(await firstLineOf(file))
  const { columns, rows } = await firstRows(file, { delimiter, encoding })
  const find = (role: Role) => words[role].flatMap((word) => columns.find((column) => word.test(column)) ?? [])[0]
  return { file, encoding, delimiter, columns, rows, find }
}

/** Returns the non-empty cells of a column. */
export const valuesOf = (rows: readonly Row[], column: string | undefined): string[] =>
  column === undefined ? [] : rows.map(({ cells }) => (cells[column] ?? '').trim()).filter((text) => text !== '')
