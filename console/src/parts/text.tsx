import { useFormat } from '../format/place.tsx'
import { useT } from '../i18n/language.tsx'
import styles from './text.module.css'

/** Control characters, and those that turn the direction of writing: what others wrote must not move what stands around it. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** So many characters of a text are shown in a row; the whole of it is in the JSON. */
const shownAtMost = 300

const spelled = (character: string) => `⟨${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`

export function legible(text: string, atMost = shownAtMost): string {
  const cut = text.length > atMost ? `${text.slice(0, atMost)}…` : text
  return cut.replaceAll(unseen, spelled)
}

/** A text that a till, a receiver or a partner wrote: of its own direction, with unseen characters spelled out. */
export function Foreign({ text }: { text: string | null | undefined }) {
  return <bdi className={styles.foreign}>{legible(text ?? '')}</bdi>
}

/** A time in the zone of the location; the exact one, in UTC, where the pointer rests. */
export function Time({
  at,
  as = 'dateTime',
}: {
  at: string | null | undefined
  as?: 'dateTime' | 'clock' | 'second' | 'ago'
}) {
  const format = useFormat()
  if (at === null || at === undefined) return <span className="muted">–</span>
  const isAgo = as === 'ago'
  return (
    <time dateTime={at} title={at} className={styles.time}>
      {isAgo ? `${format.dateTime(at)} (${format.ago(at)})` : format[as](at)}
    </time>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

export function Mark({ tone = 'plain', children }: { tone?: Tone; children: string }) {
  return <span className={`${styles.mark} ${styles[tone]}`}>{children}</span>
}

/** The first part of an id, the whole of it for screen readers, copying and whoever rests on it. */
export function Id({ id }: { id: string }) {
  return (
    <span className="mono" title={id}>
      {id.length > 13 ? `${id.slice(0, 8)}…` : id}
    </span>
  )
}

/** A link elsewhere, when what others wrote is an address that may be followed; else its text. */
export function ForeignLink({ url }: { url: string }) {
  const { common } = useT()
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return <Foreign text={url} />
  return (
    <a href={parsed.href} target="_blank" rel="noreferrer noopener" title={common.opensElsewhere}>
      <Foreign text={url} />
    </a>
  )
}
