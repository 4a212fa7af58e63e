import type { CatalogChange, CatalogFieldChange, CatalogVersionPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { More } from '../../parts/more.tsx'
import styles from './catalog-changes.module.css'

const tones = { added: 'good', changed: 'info', removed: 'bad' } as const

const amounts = new Set(['priceList.unitPrice', 'options.price'])
const rates = new Set(['priceList.taxRate', 'percentage'])

/** One field of a product, group, payment or tax: before and after, with formatted money and rates. */
function Field({ field, of, before, after }: CatalogFieldChange) {
  const { orders: t } = useT()
  const format = useFormat()
  const write = (text: string | null) => {
    if (text === null) return t.absent
    if (amounts.has(field)) return format.money(Number(text))
    if (rates.has(field)) return format.percent(Number(text) / 10_000)
    return <Foreign text={of !== null && text.startsWith('{') ? of : text} />
  }
  return (
    <li>
      <code>{field}</code>{' '}
      {of !== null && (
        <span className="muted">
          <Foreign text={of} />{' '}
        </span>
      )}
      <span className="hidden">{t.was}</span>
      <del>{write(before)}</del> <span aria-hidden="true">→</span> <span className="hidden">{t.is}</span>
      <ins>{write(after)}</ins>
    </li>
  )
}

function Change({ kind, name, fields }: CatalogChange) {
  const { catalog: t } = useT()
  return (
    <li className={styles.change}>
      <span>
        <Mark tone={tones[kind]}>{t.kinds[kind]}</Mark> <Foreign text={name} />
      </span>
      {fields.length > 0 && (
        <ul className={styles.fields}>
          {fields.map((field) => (
            <Field key={`${field.field} ${field.of}`} {...field} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** What each push of a list changed, newest first, from the journal. */
export function CatalogChanges({ call }: { call: Call }) {
  const { catalog: t, common } = useT()
  const format = useFormat()
  const read = useApi<CatalogVersionPage>(call)
  return (
    <Async read={read} rows={8}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Box>
            <Empty title={t.noChanges}>{t.emptyText}</Empty>
          </Box>
        ) : (
          <>
            {data.map(({ sequence, acceptedAt, added, changed, removed, changes }) => (
              <Box
                key={sequence}
                title={
                  <>
                    <Time at={acceptedAt} />{' '}
                    <span className="muted">{common.journalNumber(format.number(sequence))}</span>
                  </>
                }
              >
                <ul className={styles.changes} data-row>
                  {changes.length === 0 && <li className="muted">{t.same}</li>}
                  {changes.map((change) => (
                    <Change key={`${change.kind}${change.id}`} {...change} />
                  ))}
                  {added + changed + removed > changes.length && (
                    <li className="muted">{t.more(added + changed + removed - changes.length)}</li>
                  )}
                </ul>
              </Box>
            ))}
            <More next={meta.next} />
          </>
        )
      }
    </Async>
  )
}
