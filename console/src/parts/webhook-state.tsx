import type { Delivery, WebhookStatus } from '@tillgate/client'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { Mark } from './text.tsx'

const tones = { enabled: 'good', failing: 'warn', disabled: 'bad' } as const

/** The state of a webhook. If nothing waits, a failed event is not retried: the webhook no longer has its type. */
export function StateMark({ status }: { status: WebhookStatus }) {
  const { webhooks } = useT()
  const { state, failures, disabledReason, setAside, behind } = status
  if (state === 'enabled' && failures > 0 && setAside + behind > 0)
    return <Mark tone="warn">{webhooks.states.retrying}</Mark>
  if (disabledReason === 'paused') return <Mark tone="info">{webhooks.states.paused}</Mark>
  return <Mark tone={tones[state]}>{webhooks.states[state]}</Mark>
}

/** Returns the state of a webhook, in a sentence with advice. */
export function useStateSentence(): (status: WebhookStatus) => string {
  const { webhooks: t } = useT()
  const format = useFormat()
  return ({ state, behind, failures, failingSince, disabledReason, nextAttemptAt, setAside }) => {
    if (state === 'disabled') return t.isDisabled(t.reasons[disabledReason ?? 'operator'])
    if (state === 'failing') {
      const next = nextAttemptAt === null ? '–' : format.second(nextAttemptAt)
      return t.isFailing(failures, failingSince === null ? '–' : format.dateTime(failingSince), next)
    }
    if (failures > 0 && setAside + behind > 0) return t.isRetrying(failures)
    if (setAside > 0) return t.hasSetAside(setAside)
    return behind === 0 ? t.isUpToDate : t.isBehind(behind)
  }
}

/** Returns when an event is sent next: not before the next attempt of a failing webhook, never by a disabled one. */
export function nextAttemptOf({ state, nextAttemptAt }: WebhookStatus, own: string | null): string | null {
  if (state === 'disabled' || own === null) return null
  return state === 'failing' && nextAttemptAt !== null && nextAttemptAt > own ? nextAttemptAt : own
}

/** The returned status, or why there is none. */
export function OutcomeMark({
  delivery,
}: {
  delivery: Pick<Delivery, 'success' | 'status'> & { errorClass?: string | null }
}) {
  const { webhooks } = useT()
  const text = delivery.status === 0 ? (delivery.errorClass ?? webhooks.noAnswer) : String(delivery.status)
  return <Mark tone={delivery.success ? 'good' : 'bad'}>{text}</Mark>
}
