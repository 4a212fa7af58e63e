import type { AdminSource } from '@tillgate/client'
import { useT } from '../../i18n/language.tsx'
import { Mark } from '../../parts/text.tsx'

const tones = { active: 'good', failing: 'warn', paused: 'plain', stopped: 'bad' } as const

/** The state of a source in one word. */
export function SourceMark({ state }: Pick<AdminSource, 'state'>) {
  const { sources: t } = useT()
  return <Mark tone={tones[state]}>{t.states[state]}</Mark>
}
