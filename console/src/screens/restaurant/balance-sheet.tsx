/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- rows that are grids would lose their own */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Sales, SalesFigures } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Columns } from '../../parts/page.tsx'
import { isAllKnown } from './paired.ts'
import styles from './sheet.module.css'

type Row = {
  name: string
  value: ReactNode
  before: string | null
  /** The relative change; null if unknown. */
  change?: number | null
  help: string
  kind?: 'sum' | 'part' | 'share'
}

/** The filters of the list of orders for sales that do not count. */
const behindAside = {
  canceled: { clock: 'closed', canceled: 'true', training: 'false' },
  training: { clock: 'closed', training: 'true' },
  open: { state: 'open', training: 'false' },
} as const

/** Figures in the order that accountants use, each with an explanation. */
export function BalanceSheet({ sales, compare }: { sales: Sales; compare: string | undefined }) {
  const { sales: t, common } = useT()
  const format = useFormat()
  const { totals, comparison, excluded, open } = sales
  // Before the first day of a restaurant there is no value, not 0.
  const isKnown = isAllKnown(sales, compare)
  const beside = (text: () => string) => (comparison === undefined ? null : isKnown ? text() : '–')
  const changeOf = (name: keyof SalesFigures) => (isKnown ? (comparison?.change[name] ?? null) : null)
  // Deductions are shown with a minus sign.
  const signOf = (name: string) => (name === 'discounts' ? -1 : 1)
  const isCount = (name: string) => name === 'orders' || name === 'guests' || name === 'items'
  const signed = (name: keyof SalesFigures, value: number | null) =>
    isCount(name) ? format.number(value) : format.money(value === null || value === 0 ? value : value * signOf(name))
  const figure = (name: keyof SalesFigures & keyof typeof t.figures, kind?: Row['kind']): Row => ({
    name: t.figures[name],
    help: t.help[name],
    value: signed(name, totals[name]),
    before: beside(() => signed(name, comparison?.totals[name] ?? null)),
    change: changeOf(name),
    ...(kind === undefined ? {} : { kind }),
  })
  const { since, until } = sales.meta
  // The rates are always those of the days shown, whatever grouping the user chose.
  const query = {
    since,
    until,
    by: 'tax',
    ...(comparison === undefined ? {} : { compare }),
    ...(comparison?.upTo === undefined ? {} : { upToNow: 'true' }),
  }
  const ofTaxes: Call = { path: '/v1/sales/', query }
  const taxes = useApi<Sales>(ofTaxes)
  const rates: Row[] = (taxes.data?.data.data ?? []).map(({ key, tax }) => ({
    name: key === 'not_stated' ? t.notStated : t.rate(key === null ? t.without : format.percent(Number(key) / 10_000)),
    help: t.help.tax,
    value: format.money(tax),
    before: beside(() => format.money(taxes.data?.data.comparison?.data.find((row) => row.key === key)?.tax ?? 0)),
    kind: 'share',
  }))
  const left = [
    figure('listInclTax'),
    figure('discounts', 'part'),
    figure('salesInclTax', 'sum'),
    figure('tax', 'part'),
    ...rates,
    figure('salesExclTax', 'sum'),
    figure('tips'),
  ]
  const activity = ['orders', 'guests', 'items', 'averagePerOrder', 'averagePerGuest', 'refunds'] as const
  const aside = (name: keyof typeof t.aside, quantity: number, amount: number): Row => {
    // Tills set canceled orders to 0: their worth is computed from their items (voids and discounts).
    const text =
      quantity > 0 && amount === 0 ? format.number(quantity) : `${format.number(quantity)} · ${format.money(amount)}`
    const link =
      name === 'losses' ? (
        <Link to="/deductions" search={{ since, until, kind: 'loss' }}>
          {text}
        </Link>
      ) : (
        <Link to="/orders" search={{ since, until, ...behindAside[name] }}>
          {text}
        </Link>
      )
    return { name: t.aside[name], help: t.asideHelp[name], value: quantity === 0 ? text : link, before: null }
  }
  const apart = [
    aside('canceled', excluded.canceled.orders, excluded.canceled.salesInclTax),
    aside('training', excluded.training.orders, excluded.training.salesInclTax),
    aside('losses', excluded.losses.items, excluded.losses.salesInclTax),
    aside('open', open.orders, open.salesInclTax),
  ]
  const range = comparison === undefined ? null : format.days(comparison.since, comparison.until)
  return (
    <Columns wide={comparison !== undefined}>
      <Box title={common.sales} call={ofTaxes}>
        <Sheet title={common.sales} rows={left} before={range} />
        {taxes.isLoading && <span data-loading hidden />}
      </Box>
      <Box title={t.activity}>
        <Sheet title={t.activity} rows={activity.map((name) => figure(name))} before={range} />
      </Box>
      <Box title={t.apart}>
        <Sheet title={t.apart} rows={apart} before={null} />
        <p>
          <Link to="/deductions" search={{ since, until }}>
            {t.worth}
          </Link>
        </p>
      </Box>
    </Columns>
  )
}

function Sheet({ title, rows, before }: { title: string; rows: readonly Row[]; before: string | null }) {
  const { sales: t, common } = useT()
  const format = useFormat()
  return (
    <table role="table" className={styles.sheet}>
      <caption className="hidden">{title}</caption>
      {before !== null && (
        <thead role="rowgroup">
          <tr role="row">
            <td role="cell" />
            {[t.now, before, common.difference].map((head) => (
              <th key={head} role="columnheader" scope="col" className="num">
                {head}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody role="rowgroup">
        {rows.map(({ name, value, before: then, change, help, kind }) => (
          <tr key={name} role="row" data-kind={kind}>
            <th role="rowheader" scope="row">
              <details>
                <summary>{name}</summary>
                <p>{help}</p>
              </details>
            </th>
            <td role="cell" className="num">
              {value}
            </td>
            {before !== null && (
              <>
                <td role="cell" className="num muted">
                  {then}
                </td>
                <td role="cell" className="num">
                  {change === undefined || change === null ? '' : format.fraction(change)}
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
