import type { Report } from '../../../../core/contract/reports/schema.ts'
import type { Closing } from '../../schemas/tickets.ts'
import { idOf } from './ids.ts'

const hundredthsOfPercent = (rate: number) => Math.round(rate * 10_000)

const isNotZero = ({ amount }: { amount: number }) => amount !== 0

function headerOf(header: NonNullable<Closing['header']>): Report['reportHeaderInfo'] {
  return {
    headerAddress: header.address ?? '',
    headerCity: header.city ?? '',
    headerCountry: header.country ?? '',
    headerName: header.name ?? '',
    headerPhone: header.phone ?? '',
    headerNaf: header.naf ?? '',
    headerSiret: header.siret ?? '',
    headerText: header.text ?? '',
    headerTva: header.vat ?? '',
    headerUrl: header.url ?? '',
    headerZip: header.zip ?? '',
  }
}

type Sums = 'reportProducts' | 'reportDiscounts' | 'reportTaxes' | 'reportPayments'

/** Returns the lists of sales, discounts, taxes and payments. */
function sumsOf(closing: Closing): Pick<Report, Sums> {
  const { said } = closing
  return {
    reportProducts: (said.products ?? [])
      .filter(({ amount, quantity }) => amount !== 0 || quantity !== 0)
      .map((product) => ({
        productName: product.name,
        productSales: product.amount,
        category: product.category ?? '',
        subCategory: product.sub ?? '',
        productQuantity: product.quantity,
        productCatalogId: idOf(closing, 'product', product.key),
      })),
    reportDiscounts: (said.discounts ?? []).filter(isNotZero).map(({ name, key, amount }) => ({
      discountName: name,
      discountValue: amount,
      discountCatalogId: idOf(closing, 'discount', key ?? name),
    })),
    reportTaxes: (said.taxes ?? [])
      .filter(({ amount, base }) => amount !== 0 || base !== 0)
      .map(({ name, rate, amount, base }) => ({
        taxName: name,
        taxRate: hundredthsOfPercent(rate),
        taxAmount: amount,
        taxableAmount: base,
      })),
    reportPayments: (said.payments ?? [])
      .filter(isNotZero)
      .map(({ name, amount }) => ({ paymentName: name, paymentAmount: amount })),
  }
}

/** Makes the report of a closing: unstated parts stay empty, rows of zero are left out. */
export function assembleClosing(closing: Closing, locationId: string): Report {
  const { said, device, from, to, header = {} } = closing
  const at = closing.version ?? to
  return {
    id: idOf(closing, 'report', closing.key),
    createdAt: to,
    updatedAt: at,
    locationId,
    startedAt: from,
    finalizedAt: to,
    reportHeaderInfo: headerOf(header),
    deviceName: device.name ?? '',
    deviceIdentifier: idOf(closing, 'device', device.key),
    reportNumber: closing.number ?? 0,
    guestsNumber: said.guests ?? 0,
    totalSales: said.total,
    ...sumsOf(closing),
    reportClerksShift: [],
    clerkName: null,
    clerkId: null,
    initialCashBalance: said.cash?.initial ?? 0,
    finalCashBalance: said.cash?.final ?? 0,
    reportEntries: (closing.entries ?? []).map(({ name, amount, type = '' }) => ({
      entryName: name,
      entryAmount: amount,
      entryType: type,
    })),
    orders: (closing.tickets ?? []).map((key) => idOf(closing, 'order', key)),
  }
}
