import type { Json } from './golden.ts'
import { fileOf, runShop, type ShopFile } from './golden.ts'
import { dsfinvk } from '../../../connectors/dsfinvk/map.ts'

type Row = Record<string, string | number>

/** A receipt: lines as [GV_TYP, gross, VAT, key], payments as [type, amount], and the VAT printed on it. */
export type Receipt = {
  id: string
  lines: [kind: string, gross: number, tax: number, key: number][]
  paid: [type: string, amount: number][]
  printed?: number
}

const of = { Z_KASSE_ID: 'K1', Z_ERSTELLUNG: '2026-03-14T23:00:00', Z_NR: 1 }

function tablesOf(receipts: readonly Receipt[]): Record<string, Row[]> {
  const tables: Record<string, Row[]> = {
    vat: [
      { ...of, UST_SCHLUESSEL: 1, UST_SATZ: 19, UST_BESCHR: 'Allgemein' },
      { ...of, UST_SCHLUESSEL: 2, UST_SATZ: 7, UST_BESCHR: 'Ermäßigt' },
      { ...of, UST_SCHLUESSEL: 5, UST_SATZ: 0, UST_BESCHR: 'Nicht steuerbar' },
    ],
    transactions: [],
    transactions_vat: [],
    lines: [],
    lines_vat: [],
    datapayment: [],
    businesscases: [],
    payment: [],
    cashpointclosing: [{ ...of, NAME: 'Gasthaus', LAND: 'DEU' }],
  }
  for (const { id, lines, paid, printed } of receipts) {
    const bon = { ...of, BON_ID: id }
    const sum = lines.reduce((all, [, gross]) => all + gross, 0)
    const time = '2026-03-14T12:00:00'
    tables.transactions?.push({
      ...bon,
      BON_NR: id,
      BON_TYP: 'Beleg',
      BON_STORNO: 0,
      BON_START: time,
      BON_ENDE: time,
      UMS_BRUTTO: sum.toFixed(2),
    })
    if (printed !== undefined)
      tables.transactions_vat?.push({ ...bon, UST_SCHLUESSEL: 1, BON_BRUTTO: sum, BON_NETTO: 0, BON_UST: printed })
    for (const [i, [kind, gross, tax, key]] of lines.entries()) {
      const place = { ...bon, POS_ZEILE: i + 1 }
      tables.lines?.push({ ...place, GV_TYP: kind, ARTIKELTEXT: kind, MENGE: 1, FAKTOR: 1, STK_BR: gross, INHAUS: 1 })
      tables.lines_vat?.push({ ...place, UST_SCHLUESSEL: key, POS_BRUTTO: gross, POS_NETTO: gross - tax, POS_UST: tax })
      tables.businesscases?.push({
        ...of,
        GV_TYP: kind,
        UST_SCHLUESSEL: key,
        Z_UMS_BRUTTO: gross,
        Z_UMS_NETTO: (gross - tax).toFixed(5),
        Z_UST: tax,
      })
    }
    for (const [type, amount] of paid) {
      tables.datapayment?.push({ ...bon, ZAHLART_TYP: type, ZAHLART_NAME: '', BASISWAEH_BETRAG: amount })
      tables.payment?.push({ ...of, ZAHLART_TYP: type, ZAHLART_NAME: '', Z_ZAHLART_BETRAG: amount })
    }
  }
  return tables
}

const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** Returns the files of an export of one closing; `without` omits tables, and `isBare` the header rows. */
export function exportOf(receipts: readonly Receipt[], { without = [] as string[], isBare = false } = {}): ShopFile[] {
  const tables = Object.entries(tablesOf(receipts)).filter(([name, rows]) => rows.length > 0 && !without.includes(name))
  const index = tables.map(([name, rows]) => {
    const columns = columnsOf(rows).map((column) => `<VariableColumn><Name>${column}</Name></VariableColumn>`)
    const range = isBare ? '' : '<Range><From>2</From></Range>'
    return `<Table><URL>${name}.csv</URL><UTF8/><DecimalSymbol>.</DecimalSymbol>${range}<VariableLength><ColumnDelimiter>;</ColumnDelimiter>${columns.join('')}</VariableLength></Table>`
  })
  const files = tables.map(([name, rows]) => {
    const columns = columnsOf(rows)
    const lines = rows.map((row) => columns.map((column) => row[column] ?? '').join(';'))
    return fileOf(`${name}.csv`, Buffer.from([...(isBare ? [] : [columns.join(';')]), ...lines, ''].join('\n')))
  })
  return [fileOf('index.xml', Buffer.from(`<DataSet>${index.join('')}</DataSet>`)), ...files]
}

/** Converts an export to records. */
export function readExport(files: readonly ShopFile[]) {
  const profile = { account: 'gasthaus', timeZone: 'Europe/Berlin', currency: 'EUR', dayStartsAt: '05:00' }
  const expected: Json[] = [{ data: { locationId: 'de000002-0000-4000-8000-000000000001' } }]
  return runShop({ adapter: dsfinvk, profile, expected }, files)
}
