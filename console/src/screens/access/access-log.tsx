import { useSearch } from '@tanstack/react-router'
import type { AccessPage } from '@tillgate/client'
import { send, type Call } from '../../api/request.ts'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Empty } from '../../parts/states.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { Caller } from '../../parts/who.tsx'
import { callerName } from '../../parts/words.ts'
import { ListBox } from '../../parts/list-box.tsx'
import { More } from '../../parts/more.tsx'
import { timeColumn, numberColumn } from '../../parts/columns.tsx'

type Entry = AccessPage['data'][number]

const path = '/v1/access/'

const shownAtOnce = 50

/** Reads the whole log, from its first entry on. */
function useWholeLog(): () => Promise<Entry[]> {
  const location = useLocationId()
  return async () => {
    const entries: Entry[] = []
    for (let after = 0, isMore = true; isMore;) {
      const { data: page } = await send<AccessPage>({ path, query: { after, limit: 1000 } }, { location })
      entries.push(...page.data)
      isMore = page.data.length > 0 && page.meta.next < page.meta.head
      after = page.meta.next
    }
    return entries
  }
}

function Who({ id, name }: { id: string; name: string | undefined }) {
  const { access } = useT()
  return id === useSession().id ? access.thisSession : <Caller id={id} name={name} />
}

/** The data that was read, in words, and the operation: the longest path with a description applies. */
function What({ operation }: { operation: string }) {
  const { access: t } = useT()
  const path = operation.replace(/^\w+ \/v1\//, '')
  const names = Object.entries(t.read).filter(([of]) => path.startsWith(of))
  const name = names.toSorted(([a], [b]) => b.length - a.length)[0]?.[1]
  return (
    <>
      {name} {name !== undefined && <br />}
      <span className="muted mono">
        <Foreign text={operation} />
      </span>
    </>
  )
}

/** Reads of the location's data, by minute, and manual changes: the newest first. */
export function AccessLog() {
  const texts = useT()
  const { access: t, screens, common } = texts
  const format = useFormat()
  const { before } = useSearch({ from: '/log' })
  const newest = useApi<AccessPage>({ path, query: { limit: 1 } })
  const end = before === undefined ? (newest.data?.data.meta.head ?? 0) : Number(before)
  const after = Math.max(0, end - shownAtOnce)
  const call: Call = { path, query: { after, limit: end - after } }
  const read = useApi<AccessPage>(end === 0 ? null : call)
  const allRows = useWholeLog()
  return (
    <Page title={screens.accessLog} intro={t.logText}>
      {newest.data !== undefined && end === 0 ? (
        <Box title={t.log} call={call}>
          <Empty title={t.noLog} />
        </Box>
      ) : (
        <ListBox<Entry>
          title={t.log}
          call={call}
          read={end === 0 ? newest : read}
          none={t.noLog}
          toRows={(rows) => rows.toReversed()}
          keyOf={({ sequence }) => String(sequence)}
          toRecords={asAnswered}
          allRows={allRows}
          after={() => <More name="before" next={after > 0 ? String(after) : null} />}
          columns={[
            timeColumn('at', common.at, (entry) => (entry.kind === 'reads' ? entry.minute : entry.at), {
              as: 'recent',
            }),
            {
              key: 'who',
              head: t.who,
              cell: (entry) =>
                entry.kind === 'reads' ? (
                  <Who id={entry.keyId} name={entry.keyName} />
                ) : (
                  <Who id={entry.by} name={entry.byName} />
                ),
            },
            {
              key: 'what',
              head: t.what,
              cell: (entry) =>
                entry.kind === 'reads' ? (
                  <What operation={entry.operation} />
                ) : (
                  <>
                    <Mark>{texts.ops.acts[entry.act]}</Mark>{' '}
                    <Foreign text={entry.subjectName && callerName(texts, entry.subjectName)} />
                  </>
                ),
            },
            numberColumn(format)(
              'requests',
              common.requests,
              (entry) => (entry.kind === 'reads' ? entry.requests : null),
              { isShown: true, isExtra: true },
            ),
            numberColumn(format)(
              'documents',
              t.documents,
              (entry) => (entry.kind === 'reads' ? entry.documents : null),
              { isShown: true },
            ),
          ]}
        />
      )}
    </Page>
  )
}
