import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../../core/contract/catalog/schema.ts'
import type { DeviceStatus } from './device-status.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { RecordType } from '../../../core/contract/resources.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { warnOfModifiers, warnOfPaymentList, warnOfProducts, warnOfTaxes } from './catalog-warnings.ts'
import type { Circumstances } from './known.ts'
import { warnOfLocation, warnOfStatus } from './location-warnings.ts'
import { warnOfOrder } from './order-warnings.ts'
import { warnOfReport } from './report-warnings.ts'

const rules: Record<RecordType, (data: never, circumstances: Circumstances) => Warning[]> = {
  order: (data: Order, circumstances) => warnOfOrder(data, circumstances),
  report: (data: Report, circumstances) => warnOfReport(data, circumstances),
  location: (data: Location, { known }) => warnOfLocation(data, known),
  'catalog.products': (data: CatalogProduct[], { known }) => warnOfProducts(data, known),
  'catalog.taxes': (data: CatalogTax[], { known }) => warnOfTaxes(data, known),
  'catalog.payments': (data: CatalogPayment[], { known }) => warnOfPaymentList(data, known),
  'catalog.modifiers': (data: CatalogModifierGroup[]) => warnOfModifiers(data),
  'device.status': (data: DeviceStatus, circumstances) => warnOfStatus(data, circumstances),
}

/** Returns the warnings of one valid record, with parsed numbers. They never prevent a record from being stored. */
export function warnOfRecord(type: RecordType, data: unknown, circumstances: Circumstances): Warning[] {
  return rules[type](data as never, circumstances)
}

/** Returns the warnings about one entry of a list, without warnings about the length of the list. */
export function warnOfEntry(type: RecordType, entry: unknown, circumstances: Circumstances): Warning[] {
  return warnOfRecord(type, [entry], circumstances)
    .filter(({ code }) => code !== 'list_shrunk')
    .map((warning) => ({ ...warning, pointer: warning.pointer.replace(/^\/data\/0(?=\/|$)/, '/data') }))
}
