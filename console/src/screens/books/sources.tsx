import { Link } from '@tanstack/react-router'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Field } from '../../parts/filters.tsx'
import { Empty } from '../../parts/states.tsx'
import { moneyColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { Reasons, standingOf, tones, type Acceptances, type BookDay, type Source } from './standing.tsx'
import { RecordLink } from '../../parts/record-link.tsx'

type Props = {
  days: readonly BookDay[]
  /** Whether the range is a single day; the reasons then list their orders. */
  isOneDay: boolean
  accepted: Acceptances
  onAccept: ((accepted: Acceptances) => void) | undefined
}

/** The book state of a Z: its numbers, or why it cannot be booked. */
function Standing({ source, isOneDay, accepted, onAccept }: { source: Source } & Omit<Props, 'days'>) {
  const { books: t } = useT()
  const { id, numbers, reasons, state } = source
  const mayBeAccepted =
    (state === 'refused' || state === 'waiting') && reasons.every(({ code }) => code !== 'elsewhere')
  return (
    <>
      {numbers.length > 0 && <span className="mono">{numbers.join(' ')}</span>}
      {reasons.length > 0 && <Reasons source={source} isNamed={isOneDay} />}
      {mayBeAccepted && onAccept !== undefined && (
        <Field label={t.accept} hint={source.type === 'report' ? t.acceptHint : ''}>
          <input
            value={accepted[id] ?? ''}
            maxLength={500}
            onChange={({ target }) => onAccept({ ...accepted, [id]: target.value })}
          />
        </Field>
      )}
    </>
  )
}

/** The Z reports of some days, each with its state. */
export function Sources({ days, isOneDay, accepted, onAccept }: Props) {
  const { books: t, sales, common } = useT()
  const format = useFormat()
  const sources = days.flatMap(({ date, sources: of }) => of.map((source): Source => ({ ...source, date })))
  if (sources.length === 0) return <Empty title={t.nothing} />
  const states = Object.keys(tones) as (keyof typeof tones)[]
  const counts = states.flatMap((state) => {
    const count = sources.filter((source) => standingOf(source) === state).length
    return count === 0 ? [] : [t.counts(t.state[state], count)]
  })
  return (
    <>
      <p data-counts>{counts.join(' · ')}</p>
      <Table
        caption={t.entries}
        rows={sources}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'date',
            head: sales.parts.day,
            cell: ({ date }) => format.days(date, date),
            file: ({ date }) => date,
            isOneWord: true,
          },
          {
            key: 'piece',
            head: t.piece,
            file: ({ pieceRef }) => pieceRef,
            cell: ({ id, pieceRef, date }) => (
              <Link
                to="/month"
                search={(before: object) => ({ ...before, day: date, source: id })}
                resetScroll={false}
                aria-label={t.show(pieceRef)}
              >
                {pieceRef}
              </Link>
            ),
          },
          {
            key: 'till',
            head: common.till,
            isExtra: true,
            isOneWord: true,
            file: ({ deviceName }) => deviceName,
            cell: ({ type, id, deviceName }) => (
              <RecordLink kind={type} id={id}>
                {type === 'report' ? <Foreign text={deviceName} /> : '–'}
              </RecordLink>
            ),
          },
          moneyColumn(format)<Source>('sales', common.sales, ({ salesInclTax }) => salesInclTax),
          {
            key: 'state',
            head: common.state,
            cell: (source) => <Mark tone={tones[standingOf(source)]}>{t.state[standingOf(source)]}</Mark>,
            file: (source) => t.state[standingOf(source)],
          },
          {
            key: 'why',
            head: t.why,
            cell: (source) => <Standing source={source} isOneDay={isOneDay} accepted={accepted} onAccept={onAccept} />,
            file: ({ numbers, reasons }) => numbers.join(' ') || reasons.map(({ code }) => t.reasons[code]).join('; '),
          },
        ]}
      />
    </>
  )
}
