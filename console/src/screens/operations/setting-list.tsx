import type { AdminSetting, AdminSettings } from '@tillgate/client'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'

const api = getRouteApi('/ops/system')

const call: Call = { path: '/v1/admin/settings' }

/** The value of a setting, and whether it is the default. */
function Value({ value, default: byDefault, isDefault, isSecret }: AdminSetting) {
  const { ops: t } = useT()
  if (isSecret && !isDefault) return <Mark tone="info">{t.setAndHidden}</Mark>
  if (isDefault) {
    return (
      <span className="muted">
        <Foreign text={byDefault || '–'} lang="en" />
      </span>
    )
  }
  return (
    <code>
      <Foreign text={value ?? '–'} />
    </code>
  )
}

/** The settings of the answering process: role and processes with the changed ones, or all of them. */
export function SettingList() {
  const { ops: t, common } = useT()
  const navigate = useNavigate({ from: '/ops/system' })
  const { settings } = api.useSearch()
  const read = useApi<AdminSettings>(call, { isStill: true })
  return (
    <Box title={t.settings} call={call} flush>
      <div style={{ padding: '0 1rem 0.6rem' }}>
        <Filters>
          <Choose
            label={t.shown}
            value={settings ?? 'chosen'}
            choices={[
              ['chosen', t.onlyChosen],
              ['all', common.all],
            ]}
            onChange={(value) =>
              void navigate({ search: (before) => ({ ...before, settings: value === 'all' ? 'all' : undefined }) })
            }
          />
        </Filters>
      </div>
      <Async read={read}>
        {({ data }) => {
          const rows = data.filter(({ isDefault, group }) => settings === 'all' || !isDefault || group === 'Processes')
          if (rows.length === 0) return <Empty title={t.allByDefault} />
          return (
            <Table<AdminSetting>
              caption={t.settings}
              rows={rows}
              keyOf={({ name }) => name}
              toRecords={asAnswered}
              columns={[
                { key: 'name', head: t.setting, cell: ({ name }) => <code>{name}</code> },
                { key: 'value', head: t.value, cell: (one) => <Value {...one} /> },
                { key: 'help', head: t.help, isExtra: true, cell: ({ help }) => <Foreign text={help} lang="en" /> },
              ]}
            />
          )
        }}
      </Async>
    </Box>
  )
}
