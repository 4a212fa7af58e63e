import { useState } from 'react'
import type { ReplayAnswer, WebhookStatus } from '@tillgate/client'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { startOfBusinessDay } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { checkClass, Choose, Field, formClass, toggled } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'

type Props = { id: string; events: readonly string[]; onClose: () => void }

/** Resends events from a number or a day on. The user sees how many before any is sent. */
export function ReplayDialog({ id, events, onClose }: Props) {
  const { webhooks: t, common } = useT()
  const format = useFormat()
  const status = useApi<WebhookStatus>({ path: `/v1/webhooks/${id}/status` })
  const head = (status.data?.data.sequence ?? 0) + (status.data?.data.behind ?? 0)
  const [by, setBy] = useState<'sequence' | 'day'>('sequence')
  const [from, setFrom] = useState('')
  const [day, setDay] = useState('')
  const [until, setUntil] = useState('')
  const [types, setTypes] = useState<string[]>([])
  const [onlyFailed, setOnlyFailed] = useState(false)
  const start =
    by === 'sequence'
      ? { sequence: Number(from || head) }
      : { since: day === '' ? '' : startOfBusinessDay(day, format.place) }
  const body = {
    ...start,
    ...(until === '' ? {} : { untilSequence: Number(until) }),
    ...(types.length === 0 ? {} : { types }),
    ...(onlyFailed ? { onlyFailed } : {}),
  }
  const toCall = (dryRun: boolean): Call => ({
    path: `/v1/webhooks/${id}/replay`,
    method: 'POST',
    body: dryRun ? { ...body, dryRun } : body,
  })
  const count = useAct<ReplayAnswer>(() => toCall(true))
  const replay = useAct<ReplayAnswer>(() => toCall(false))
  // A dry run is always shown.
  const counted = count.data && { ...count.data.data, events: count.data.data.events ?? 0 }
  const change = (act: () => void) => {
    act()
    count.reset()
    replay.reset()
  }
  return (
    <Dialog title={t.replay} isOpen onClose={onClose}>
      <p>{t.replayText}</p>
      <div className={formClass}>
        <Choose
          label={t.replayBy}
          value={by}
          choices={{ sequence: common.sequence, day: t.fromDay }}
          onChange={(value) => change(() => setBy(value))}
        />
        {by === 'sequence' ? (
          <>
            <Field label={common.sequence}>
              <input
                type="number"
                min={1}
                max={Math.max(1, head)}
                value={from}
                placeholder={String(head)}
                onChange={(event) => change(() => setFrom(event.target.value))}
              />
            </Field>
            <input
              type="range"
              min={1}
              max={Math.max(1, head)}
              value={from || head}
              aria-label={common.sequence}
              onChange={(event) => change(() => setFrom(event.target.value))}
            />
          </>
        ) : (
          <Field label={t.fromDay}>
            <input type="date" value={day} onChange={(event) => change(() => setDay(event.target.value))} />
          </Field>
        )}
        <Field label={t.untilSequence} hint={t.untilHint}>
          <input type="number" min={1} value={until} onChange={(event) => change(() => setUntil(event.target.value))} />
        </Field>
        <details>
          <summary style={{ minBlockSize: '28px', cursor: 'pointer' }}>{t.onlyEvents}</summary>
          {events.map((name) => (
            <label key={name} className={checkClass}>
              <input
                type="checkbox"
                checked={types.includes(name)}
                onChange={() => change(() => setTypes(toggled(types, name)))}
              />
              {name}
            </label>
          ))}
        </details>
        <label className={checkClass}>
          <input type="checkbox" checked={onlyFailed} onChange={() => change(() => setOnlyFailed(!onlyFailed))} />
          {t.onlyFailed}
        </label>
      </div>
      {count.error !== null && <Failure problem={count.error} retry={() => count.mutate()} />}
      {replay.error !== null && <Failure problem={replay.error} retry={() => replay.mutate()} />}
      <div role="status">
        {replay.isSuccess ? (
          <Notice tone="good">{t.replayed}</Notice>
        ) : (
          counted !== undefined && (
            <Notice tone="info">{t.willSend(counted.events, counted.eventsAreCounted === false)}</Notice>
          )
        )}
      </div>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.6rem', justifyContent: 'end' }}>
        <CopyCurl call={toCall(true)} />
        <Button onClick={onClose}>{replay.isSuccess ? common.close : common.cancel}</Button>
        {counted === undefined ? (
          <Button
            kind="primary"
            disabled={count.isPending || (by === 'day' && day === '')}
            onClick={() => count.mutate()}
          >
            {t.countFirst}
          </Button>
        ) : (
          !replay.isSuccess && (
            <Button kind="primary" disabled={replay.isPending || counted.events === 0} onClick={() => replay.mutate()}>
              {t.replayNow(counted.events)}
            </Button>
          )
        )}
      </div>
    </Dialog>
  )
}
