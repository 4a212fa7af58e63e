import type { AdminSource, AdminSourceCheck } from '@tillgate/client'
import { useAct, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Box, Figures, FigureOf } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'
import { Foreign, legible } from '../../parts/text.tsx'

/** Yesterday as it would be stored, and the system's own figures; for a new source, also the button to start it. */
export function SourceCheckBox({ source }: { source: AdminSource }) {
  const { sources: t } = useT()
  const isFirst = source.storedFrom === null
  const call: Call = { path: `/v1/admin/sources/${source.id}/check`, method: 'POST' }
  const check = useAct<AdminSourceCheck>(() => call)
  const store = useAct<AdminSource>(() => ({ path: `/v1/admin/sources/${source.id}/resume`, method: 'POST' }))
  const seen = check.data?.data
  return (
    <Box title={isFirst ? t.first : t.yesterday} call={call}>
      {isFirst && <p>{t.firstText}</p>}
      <p>
        <Button
          kind={seen === undefined && isFirst ? 'primary' : 'plain'}
          disabled={check.isPending}
          onClick={() => check.mutate()}
        >
          {check.isPending ? t.checking : t.check}
        </Button>
      </p>
      {check.error !== null && <Failure problem={check.error} retry={() => check.mutate()} />}
      {seen !== undefined && <Seen seen={seen} />}
      {store.error !== null && <Failure problem={store.error} />}
      {isFirst && seen !== undefined && (
        <p>
          <Button kind="primary" disabled={store.isPending} onClick={() => store.mutate()}>
            {t.store}
          </Button>
        </p>
      )}
    </Box>
  )
}

function Seen({ seen }: { seen: AdminSourceCheck }) {
  const { sources: t, common } = useT()
  const format = useFormat()
  const { date, currency, orders, sales, here, there, difference, isCut, refused, left, unmapped } = seen
  const amount = (minor: number) => format.moneyIn(minor, currency)
  return (
    <>
      <h3>{format.fullDay(date)}</h3>
      <Figures>
        <FigureOf name={common.orders} value={format.number(orders)} />
        <FigureOf name={common.sales} value={amount(sales)} />
        <FigureOf name={t.paidHere} value={amount(here)} />
        <FigureOf name={t.paidThere} value={amount(there)} />
      </Figures>
      <p role="status">
        <strong>{difference === 0 ? t.agree : t.differ(amount(difference))}</strong>
      </p>
      {isCut && <p>{t.isCut}</p>}
      {refused.length > 0 && (
        <>
          <p>{t.refusedCount(refused.length)}</p>
          <ul>
            {refused.map(({ key, reason, document }) => (
              <li key={key}>
                <code>
                  <Foreign text={key} />
                </code>{' '}
                <Foreign text={reason} lang="en" />
                <details>
                  <summary>{t.document}</summary>
                  <pre tabIndex={0} style={{ overflow: 'auto', maxHeight: '20rem' }}>
                    {legible(document, 16_384)}
                  </pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
      {left.length > 0 && (
        <p className="muted">
          {`${t.kinds.left}: `}
          <Foreign text={[...new Set(left.map(({ reason }) => reason))].join(', ')} lang="en" />
        </p>
      )}
      {unmapped.length > 0 && (
        <p className="muted">
          {`${t.notRead}: `}
          <Foreign text={unmapped.map(({ member, count }) => `${member} (${count})`).join(', ')} lang="en" />
        </p>
      )}
    </>
  )
}
