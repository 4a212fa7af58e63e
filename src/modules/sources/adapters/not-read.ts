/**
 * Members of documents that a mapping skips: for `elsewhere`, another member has the same data; for `noPlace`, no
 * record has a place for it.
 */
type NotRead = { elsewhere: string; noPlace: string }

// A test compares this list with docs/contract/members-not-read.md. An unread member that is not in the list is counted
// and reported.
export const notRead: Readonly<Record<string, NotRead>> = {
  square: {
    elsewhere:
      'amount_money applied_money base_price_money calculation_phase created_at currency discount_money gross_return_money ' +
      'gross_sales_money id location_id name percentage precision quantity return_amounts scope service_charge_money ' +
      'source_line_item_uid source_tax_uid state tax_money taxable tip_money total_discount_money total_money ' +
      'total_service_charge_money total_tax_money type uid variation_total_price_money version',
    noPlace: 'card_details cash_details reason transaction_id',
  },
  toast: {
    elsewhere:
      'amount appliedDiscounts appliedTaxes businessDate chargeType closedDate deletedDate entityType guid modifiedDate name ' +
      'openedDate paidBusinessDate paidDate paymentGuid paymentStatus preDiscountPrice quantity refundBusinessDate selectionType ' +
      'serviceCharge tax taxInclusion taxable type voidBusinessDate voidDate',
    noPlace: 'amountTendered',
  },
  sumup: {
    elsewhere:
      'fee_id gross_amount id name net_amount percentage price processed_at scale state tax_amount taxes total_gross_amount ' +
      'total_gross_amount_final total_net_amount total_net_amount_final type unit_amount value',
    noPlace:
      'application_mode code description external_id external_sub_channel_id group_id level linked_line_id operation_type ' +
      'policy_id quantity reference sub_channel unit_ratio value_type',
  },
  loyverse: {
    elsewhere:
      'cash_payments cash_refunds created_at discounts employee_id gross_sales gross_total_money id net_sales paid_at paid_in ' +
      'paid_out percentage price refunds store_id taxes total_discount type',
    noPlace: 'closed_by_employee opened_by_employee source',
  },
  'lightspeed-k': {
    elsewhere:
      'accountingGroupId code currency description deviceId deviceName discountAmount discountType fiscDate id menuListPrice ' +
      'statisticGroup taxAmount taxCode taxRatePercentage timeOfSale totalNetAmountWithoutTax type uuid',
    noPlace:
      'accountProfileCode accountReference categories externalReferences revenueCenter revenueCenterId serviceChargeType source ' +
      'staffId staffName tags unitCostPrice',
  },
  dsfinvk: {
    elsewhere:
      'BON_BRUTTO BON_NETTO BASISWAEH_CODE POS_NETTO STK_BR Z_BUCHUNGSTAG Z_ENDE_ID Z_START_ID Z_SE_BARZAHLUNGEN Z_SE_ZAHLUNGEN ' +
      'ZAHLWAEH_BETRAG ZAHLWAEH_CODE Z_ERSTELLUNG cash_per_currency',
    noPlace:
      'AGENTUR_ID BON_NAME BON_NOTIZ GTIN GUTSCHEIN_NR GV_NAME KASSE_BASISWAEH_CODE KASSE_MODELL KASSE_SERIENNR ' +
      'KASSE_SW_BRAND KASSE_SW_VERSION KEINE_UST_ZUORDNUNG KUNDE_ID KUNDE_LAND KUNDE_NAME KUNDE_ORT KUNDE_PLZ KUNDE_STRASSE ' +
      'KUNDE_TYP KUNDE_USTID POS_TERMINAL_ID STNR TAXONOMIE_VERSION TERMINAL_ID WARENGR_ID ZI_BASISPREIS_BRUTTO ' +
      'ZI_BASISPREIS_NETTO ZI_BASISPREIS_UST ZI_EINHEIT ZI_GTIN ZI_UST_SCHLUESSEL ZI_WARENGR ZI_WARENGR_ID itemamounts location ' +
      'pa references slaves transactions_tse tse',
  },
}

const membersIn = (text: string): string[] => text.split(' ')

/** Returns the members that the mapping of a source skips. */
export function skippedBy(source: string): ReadonlySet<string> {
  const { elsewhere, noPlace } = notRead[source] as NotRead
  return new Set([...membersIn(elsewhere), ...membersIn(noPlace)])
}
