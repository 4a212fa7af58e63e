import type { Order, OrderItem } from '@tillgate/client'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import styles from './ticket.module.css'

/** Adds to each value its position, which identifies it: names may repeat, and there are no ids. */
const placed = <T,>(values: readonly T[]) => values.map((value, place) => ({ value, place }))

function Item({ item }: { item: OrderItem }) {
  const { orders: t } = useT()
  const format = useFormat()
  const isOut = item.isCanceled || item.isLoss
  return (
    <li className={styles.line} data-out={isOut}>
      <span className={styles.quantity}>{format.number(item.quantity)}</span>
      <span className={styles.name}>
        <Foreign text={item.description} />{' '}
        {item.weight !== null && <span className="muted">{format.number(item.weight)} kg</span>}{' '}
        {item.isCanceled && <Mark tone="bad">{t.itemCanceled}</Mark>} {item.isLoss && <Mark tone="warn">{t.loss}</Mark>}
        {item.isTransferred && <Mark tone="info">{t.transferred}</Mark>}
        {[item.cancelReason, item.lossReason, item.transferReason].map(
          (reason) =>
            reason !== null &&
            reason !== '' && (
              <small key={reason} className={styles.detail}>
                <Foreign text={reason} />
              </small>
            ),
        )}
        {placed(item.modifiers ?? []).map(({ value, place }) => (
          <small key={place} className={styles.detail}>
            + <Foreign text={value.name} />
          </small>
        ))}
        {placed(item.discountsApplied).map(({ value, place }) => (
          <small key={place} className={styles.detail}>
            <Foreign text={value.discountName} /> −{format.amount(value.discountValue)}
          </small>
        ))}
      </span>
      <span className={styles.rate}>{format.percent(item.tax.taxRate)}</span>
      <span className="num">{format.amount(item.total)}</span>
    </li>
  )
}

/** The order as printed: items under their menu, then the total, taxes, payments and tips. */
export function Ticket({ order }: { order: Order }) {
  const { orders: t, sales, common } = useT()
  const format = useFormat()
  const alone = order.items.filter(({ comboParentId }) => !order.menus.some(({ id }) => id === comboParentId))
  return (
    <div className={styles.ticket}>
      {placed(order.menus).map(({ value: menu, place }) => (
        <section key={place} aria-label={t.menu}>
          <p className={styles.menu}>
            <span>
              {format.number(menu.quantity)} <Foreign text={menu.name} />
            </span>
            <span className="muted">{format.amount(menu.total)}</span>
          </p>
          <ul className={styles.under}>
            {placed(order.items.filter(({ comboParentId }) => comboParentId === menu.id)).map(
              ({ value, place: at }) => (
                <Item key={at} item={value} />
              ),
            )}
          </ul>
        </section>
      ))}
      <ul>
        {placed(alone).map(({ value, place }) => (
          <Item key={place} item={value} />
        ))}
      </ul>
      <dl className={styles.sums}>
        {order.totalDiscount !== 0 && (
          <Sum name={sales.figures.discounts} value={`−${format.amount(order.totalDiscount)}`} />
        )}
        <Sum name={common.total} value={format.amount(order.total)} isTotal />
        <Sum name={t.containedTax} value={format.amount(order.totalTax)} />
        {placed(order.payments).map(({ value, place }) => (
          <Sum key={place} name={<Foreign text={value.paymentName} />} value={format.amount(value.paymentAmount)} />
        ))}
        {placed(order.tips ?? []).map(({ value, place }) => (
          <Sum key={place} name={t.tip} value={format.amount(value.amount)} />
        ))}
      </dl>
    </div>
  )
}

function Sum({ name, value, isTotal = false }: { name: React.ReactNode; value: string; isTotal?: boolean }) {
  return (
    <div data-total={isTotal}>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  )
}
