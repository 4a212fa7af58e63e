import type { AdminSource, AdminSourceList } from '@tillgate/client'
import { useSearch, Link } from '@tanstack/react-router'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { numberColumn, timeColumn } from '../../parts/columns.tsx'
import { Called, Foreign } from '../../parts/text.tsx'
import { usePlaces } from './names.tsx'
import { NewSourceDialog } from './source-dialog.tsx'
import { SourceMark } from './source-state.tsx'
import { ListBox } from '../../parts/list-box.tsx'
import { useChange } from '../../parts/use-change.ts'

/** The pulled systems, and the state of each. */
export function Sources() {
  const { sources: t, screens, common } = useT()
  const format = useFormat()
  const { dialog } = useSearch({ from: '/ops/sources' })
  const call: Call = { path: '/v1/admin/sources/' }
  const read = useApi<AdminSourceList>(call, { everyMs: 15_000 })
  const placeOf = usePlaces((read.data?.data.data ?? []).map(({ locationId }) => locationId))
  const change = useChange()
  return (
    <Page
      title={screens.sources}
      intro={t.intro}
      call={call}
      actions={
        <Button kind="primary" onClick={() => change({ dialog: 'new' })}>
          {t.make}
        </Button>
      }
    >
      <ListBox<AdminSource>
        caption={screens.sources}
        read={read}
        lines={4}
        none={<Empty title={t.none}>{t.noneText}</Empty>}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'source',
            head: t.source,
            cell: ({ id, source, locationId }) => (
              <Link to="/ops/sources/$id" params={{ id }} search={{ location: locationId } as never}>
                {t.names[source]}
              </Link>
            ),
            note: ({ account }) => <Foreign text={account} />,
          },
          {
            key: 'location',
            head: common.location,
            cell: ({ locationId }) => <Called id={locationId} name={placeOf(locationId)} />,
          },
          {
            key: 'state',
            head: common.state,
            cell: ({ state }) => <SourceMark state={state} />,
            note: ({ lastError }) => lastError !== null && <Foreign text={lastError} lang="en" />,
          },
          timeColumn('run', t.lastGood, ({ succeededAt }) => succeededAt, { as: 'ago' }),
          timeColumn('until', t.readUntil, ({ readUntil }) => readUntil, { as: 'recent', isExtra: true }),
          numberColumn(format)('stored', t.stored, ({ accepted }) => accepted, { isShown: true, isExtra: true }),
        ]}
      />
      {dialog === 'new' && <NewSourceDialog onClose={() => change({ dialog: undefined })} />}
    </Page>
  )
}
