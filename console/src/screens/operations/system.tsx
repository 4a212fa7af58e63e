import type { AdminSystem as SystemAnswer } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Columns, Fact, Facts, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async } from '../../parts/states.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/text.tsx'
import { RouteList } from './route-list.tsx'
import { SettingList } from './setting-list.tsx'

export function System() {
  const { ops: t, screens, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/admin/system' }
  const agoOf = (at: string | null) => (at === null ? t.never : <Time at={at} as="ago" />)
  const read = useApi<SystemAnswer>(call, { everyMs: 30_000 })
  return (
    <Page title={screens.system} call={call}>
      <Async read={read} rows={12}>
        {({ version, node, startedAt, database, memoryBytes, locations, clockOffsetMs, connections, disk, upkeep }) => {
          const tables = database.tables.toSorted((a, b) => b.bytes - a.bytes)
          const most = tables[0]?.bytes ?? 1
          return (
            <>
              <Columns>
                <Box title="Tillgate">
                  <Facts>
                    <Fact name={common.version}>{version}</Fact>
                    <Fact name="Node">{node}</Fact>
                    <Fact name={t.startedAt} at={startedAt} as="ago" />
                    <Fact name={t.memory}>{format.bytes(memoryBytes)}</Fact>
                    <Fact name={screens.locations}>{format.number(locations)}</Fact>
                    <Fact name={t.clockOffset}>{format.duration(clockOffsetMs)}</Fact>
                  </Facts>
                </Box>
                <Box title={t.database}>
                  <Facts>
                    <Fact name={common.version} text={database.version} />
                    <Fact name={t.size}>{format.bytes(database.sizeBytes)}</Fact>
                    <Fact name={t.migration}>{database.migrations.at(-1)?.version}</Fact>
                    <Fact name={t.connections}>
                      {connections
                        .map(({ state, count }) =>
                          common.named(t.connectionStates[state] ?? state, format.number(count)),
                        )
                        .join(' · ')}
                    </Fact>
                  </Facts>
                </Box>
                <Box title={t.disk}>
                  {disk === null ? (
                    <p className="muted">{t.noDisk}</p>
                  ) : (
                    <Facts>
                      <Fact name={t.free}>
                        {t.ofTotal(format.bytes(disk.freeBytes), format.bytes(disk.totalBytes))} (
                        {format.percent(Math.round((disk.freeBytes / disk.totalBytes) * 100) / 100)})
                      </Fact>
                      <Fact name={t.reserve}>{format.bytes(disk.reserveBytes)}</Fact>
                      <Fact name={t.diskTrend}>
                        {disk.trend === null
                          ? t.trendUnknown
                          : disk.trend.daysLeft === null
                            ? t.trendStill(format.days(disk.trend.since.slice(0, 10), disk.trend.since.slice(0, 10)))
                            : t.trendPerDay(format.bytes(disk.trend.bytesPerDay))}
                      </Fact>
                      {disk.trend !== null && disk.trend.daysLeft !== null && (
                        <Fact name={t.daysLeft}>{t.daysUntil(disk.trend.daysLeft)}</Fact>
                      )}
                    </Facts>
                  )}
                </Box>
                <Box title={t.upkeep}>
                  <Facts>
                    <Fact name={t.oldestBackup}>{agoOf(upkeep.oldestBackupAt)}</Fact>
                    <Fact name={t.without}>{format.number(upkeep.withoutBackup)}</Fact>
                    <Fact name={t.oldestVerification}>{agoOf(upkeep.oldestVerificationAt)}</Fact>
                    <Fact name={t.broken}>{format.number(upkeep.broken)}</Fact>
                  </Facts>
                </Box>
              </Columns>
              <Box title={t.tables} flush>
                <Table
                  caption={t.tables}
                  rows={tables}
                  keyOf={({ name }) => name}
                  toRecords={asAnswered}
                  columns={[
                    { key: 'name', head: common.name, cell: ({ name }) => <code>{name}</code> },
                    { key: 'rows', head: t.rows, isNumber: true, cell: ({ rows }) => format.number(rows || null) },
                    {
                      key: 'bytes',
                      head: t.size,
                      isNumber: true,
                      cell: ({ bytes }) => <Bar share={bytes / most}>{format.bytes(bytes)}</Bar>,
                    },
                  ]}
                />
              </Box>
              <Box title={t.migrations} flush>
                <Table
                  caption={t.migrations}
                  rows={database.migrations.toReversed()}
                  keyOf={({ version: number }) => String(number)}
                  toRecords={asAnswered}
                  columns={[
                    { key: 'version', head: common.version, isNumber: true, cell: ({ version: number }) => number },
                    { key: 'name', head: common.name, cell: ({ name }) => name },
                    { key: 'at', head: common.at, cell: ({ appliedAt }) => <Time at={appliedAt} /> },
                  ]}
                />
              </Box>
            </>
          )
        }}
      </Async>
      <RouteList />
      <SettingList />
    </Page>
  )
}
