import type { AdminSetting, AdminSettings } from '@tillgate/client'
import { useSearch } from '@tanstack/react-router'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Filters, Filter } from '../../parts/filters.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Foreign, Mark } from '../../parts/text.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'

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

/** The settings of the process: its role, the number of processes and changed settings, or all of them. */
export function SettingList() {
  const { ops: t, common } = useT()
  const change = useChange()
  const { settings } = useSearch({ from: '/ops/system' })
  const read = useApi<AdminSettings>(call, { isStill: true })
  return (
    <ListBox<AdminSetting>
      title={t.settings}
      call={call}
      read={read}
      before={
        <div style={{ padding: '0 1rem 0.6rem' }}>
          <Filters>
            <Filter
              label={common.show}
              value={settings === 'all' ? undefined : 'chosen'}
              choices={{ chosen: t.onlyChosen }}
              onChange={(value) => change({ settings: value === undefined ? 'all' : undefined })}
            />
          </Filters>
        </div>
      }
      none={t.allByDefault}
      toRows={(rows) => rows.filter((row) => settings === 'all' || !row.isDefault || row.group === 'Processes')}
      keyOf={({ name }) => name}
      toRecords={asAnswered}
      columns={[
        { key: 'name', head: t.setting, cell: ({ name }) => <code>{name}</code> },
        { key: 'value', head: t.value, cell: (one) => <Value {...one} /> },
        { key: 'help', head: t.help, isExtra: true, cell: ({ help }) => <Foreign text={help} lang="en" /> },
      ]}
    />
  )
}
