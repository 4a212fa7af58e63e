import type { AdminSource, AdminSourceList } from '@tillgate/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table, numberColumn } from '../../parts/table.tsx'
import { Called, Foreign, Time } from '../../parts/text.tsx'
import { usePlaces } from './names.tsx'
import { NewSourceDialog } from './source-dialog.tsx'
import { SourceMark } from './source-state.tsx'

const api = getRouteApi('/ops/sources')

/** The pulled systems, and the state of each. */
export function Sources() {
  const { ops, sources: t, screens } = useT()
  const format = useFormat()
  const navigate = useNavigate({ from: '/ops/sources' })
  const { dialog } = api.useSearch()
  const call: Call = { path: '/v1/admin/sources/' }
  const read = useApi<AdminSourceList>(call, { everyMs: 15_000 })
  const placeOf = usePlaces((read.data?.data.data ?? []).map(({ locationId }) => locationId))
  const open = (value: 'new' | undefined) => void navigate({ search: (before) => ({ ...before, dialog: value }) })
  return (
    <Page
      title={screens.sources}
      intro={t.intro}
      call={call}
      actions={
        <Button kind="primary" onClick={() => open('new')}>
          {t.make}
        </Button>
      }
    >
      <Box flush>
        <Async read={read} rows={4}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.none}>{t.noneText}</Empty>
            ) : (
              <Table<AdminSource>
                caption={screens.sources}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    key: 'source',
                    head: t.source,
                    cell: ({ id, source, account, locationId }) => (
                      <>
                        <Link to="/ops/sources/$id" params={{ id }} search={{ location: locationId } as never}>
                          {t.names[source]}
                        </Link>
                        <div className="muted">
                          <Foreign text={account} />
                        </div>
                      </>
                    ),
                  },
                  {
                    key: 'location',
                    head: ops.location,
                    cell: ({ locationId }) => <Called id={locationId} name={placeOf(locationId)} />,
                  },
                  {
                    key: 'state',
                    head: t.state,
                    cell: ({ state, lastError }) => (
                      <>
                        <SourceMark state={state} />
                        {lastError !== null && (
                          <div className="muted">
                            <Foreign text={lastError} lang="en" />
                          </div>
                        )}
                      </>
                    ),
                  },
                  { key: 'run', head: t.lastGood, cell: ({ succeededAt }) => <Time at={succeededAt} as="ago" /> },
                  {
                    key: 'until',
                    head: t.readUntil,
                    isExtra: true,
                    cell: ({ readUntil }) => <Time at={readUntil} as="recent" />,
                  },
                  numberColumn(format)('stored', t.stored, ({ accepted }) => accepted, {
                    isShown: true,
                    isExtra: true,
                  }),
                ]}
              />
            )
          }
        </Async>
      </Box>
      {dialog === 'new' && <NewSourceDialog onClose={() => open(undefined)} />}
    </Page>
  )
}
