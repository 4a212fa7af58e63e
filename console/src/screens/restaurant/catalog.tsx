import { useSearch, useParams, Link } from '@tanstack/react-router'
import type { CatalogModifierGroup, CatalogPayment, CatalogProduct, CatalogTax } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Ask, Filters, Filter } from '../../parts/filters.tsx'
import { fold } from '../../parts/found-places.ts'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered, type Records } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Id, Mark } from '../../parts/text.tsx'
import { CatalogChanges } from './catalog-changes.tsx'
import tabs from '../../parts/tabs.module.css'
import styles from './catalog.module.css'
import { useChange } from '../../parts/use-change.ts'

const paths = {
  products: '/v1/catalog/',
  modifiers: '/v1/catalog/modifiers/',
  payments: '/v1/catalog/payments/',
  taxes: '/v1/catalog/taxes/',
} as const

type List = keyof typeof paths

const lists = Object.keys(paths) as List[]

type Entry = { id: string; name: string; category?: string }

function matches({ id, name, category = '' }: Entry, find: string): boolean {
  return id === find || fold(`${name} ${category}`).includes(fold(find))
}

/** Returns functions that make lines of a file: one for each price of a product, and each option of a group. */
function useRecords(): Record<List, (entry: never) => Records> {
  const format = useFormat()
  return {
    products: ({ priceList, subCategories, ...product }: CatalogProduct) => {
      const named = { ...product, subCategories: subCategories.map(({ name }) => name).join(' / ') }
      const prices = priceList.map(({ unitPrice, taxRate, ...price }) => ({
        ...price,
        unitPrice: format.major(unitPrice),
        taxRate: taxRate / 100,
      }))
      return prices.length === 0 ? [named] : prices.map((price) => ({ ...named, ...price }))
    },
    modifiers: ({ options, ...group }: CatalogModifierGroup) =>
      options.map(({ id, name, price }) => ({ ...group, optionId: id, option: name, price: format.major(price) })),
    payments: (payment: CatalogPayment) => asAnswered(payment),
    taxes: ({ percentage, ...tax }: CatalogTax) => [{ ...tax, percentage: percentage / 100 }],
  }
}

function useColumns() {
  const { catalog: t, common } = useT()
  const format = useFormat()
  const name: Column<Entry> = { key: 'name', head: common.name, cell: (entry) => <Foreign text={entry.name} /> }
  const id: Column<Entry> = { key: 'id', head: common.id, isExtra: true, cell: (entry) => <Id id={entry.id} /> }
  const products: Column<CatalogProduct>[] = [
    name,
    { key: 'category', head: common.category, isExtra: true, cell: ({ category }) => <Foreign text={category} /> },
    {
      key: 'prices',
      head: t.prices,
      cell: ({ priceList }) => (
        <ul className={styles.prices}>
          {priceList.map(({ priceTypeId, priceTypeName, unitPrice, taxRate }) => (
            <li key={priceTypeId}>
              <span className="muted">
                <Foreign text={priceTypeName} />
              </span>
              <span className="num">
                {format.money(unitPrice)} <small className="muted">{format.percent(taxRate / 10_000)}</small>
              </span>
            </li>
          ))}
        </ul>
      ),
    },
    id,
  ]
  const modifiers: Column<CatalogModifierGroup>[] = [
    name,
    {
      key: 'options',
      head: t.options,
      cell: ({ options }) => (
        <ul className={styles.prices}>
          {options.map((option) => (
            <li key={option.id}>
              <Foreign text={option.name} />
              <span className="num">{format.money(option.price)}</span>
            </li>
          ))}
        </ul>
      ),
    },
    id,
  ]
  const payments: Column<CatalogPayment>[] = [
    name,
    {
      key: 'enabled',
      head: common.state,
      cell: ({ enabled }) => <Mark tone={enabled ? 'good' : 'plain'}>{enabled ? t.enabled : t.disabled}</Mark>,
    },
    id,
  ]
  const taxes: Column<CatalogTax>[] = [
    name,
    { key: 'rate', head: t.rate, isNumber: true, cell: ({ percentage }) => format.percent(percentage / 10_000) },
    id,
  ]
  return { products, modifiers, payments, taxes } as Record<List, Column<unknown>[]> as Record<List, Column<never>[]>
}

export function Catalog() {
  const { catalog: t, screens, common } = useT()
  const { list: asked } = useParams({ from: '/catalog/$list' })
  const { find, view, cursor } = useSearch({ from: '/catalog/$list' })
  const change = useChange()
  const list = lists.find((one) => one === asked) ?? 'products'
  const isHistory = view === 'changes'
  const call: Call = isHistory
    ? { path: '/v1/catalog/changes/', query: { list, cursor, size: 20 } }
    : { path: paths[list] }
  const read = useApi<Entry[] | { data: Entry[] }>(isHistory ? null : call)
  const columns = useColumns()[list] as Column<Entry>[]
  const toRecords = useRecords() as Record<List, (entry: Entry) => Records>
  return (
    <Page title={screens.catalog} call={call}>
      <nav aria-label={screens.catalog} className={tabs.tabs}>
        {lists.map((one) => (
          <Link
            key={one}
            to="/catalog/$list"
            params={{ list: one }}
            search={{ view }}
            className={tabs.tab}
            activeOptions={{ includeSearch: false }}
          >
            {t.lists[one]}
          </Link>
        ))}
      </nav>
      <Filters>
        <Filter
          label={common.show}
          value={view}
          all={t.now}
          choices={{ changes: t.changes }}
          onChange={(value) => change({ view: value, find: undefined, cursor: undefined })}
        />
        {!isHistory && (
          <Ask label={t.find} type="search" value={find ?? ''} onChange={(value) => change({ find: value })} />
        )}
      </Filters>
      {isHistory ? (
        <CatalogChanges call={call} />
      ) : (
        <Box flush>
          <Async read={read} rows={12}>
            {(answer) => {
              const entries = Array.isArray(answer) ? answer : answer.data
              const rows = find === undefined ? entries : entries.filter((entry) => matches(entry, find))
              if (entries.length === 0) return <Empty title={t.empty}>{t.emptyText}</Empty>
              if (rows.length === 0) return <Empty title={t.notFound} />
              return (
                <Table
                  caption={t.lists[list]}
                  rows={rows}
                  keyOf={({ id }) => id}
                  columns={columns}
                  toRecords={toRecords[list]}
                />
              )
            }}
          </Async>
        </Box>
      )}
    </Page>
  )
}
