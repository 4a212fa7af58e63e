import { useFormat } from './place.tsx'
import { spelledOut } from '../format/unseen.ts'
import { useT } from '../i18n/language.tsx'
import styles from './text.module.css'

/** A row shows at most this many characters of a text; the JSON has all of it. */
const shownAtMost = 300

export function legible(text: string, atMost = shownAtMost): string {
  const cut = text.length > atMost ? `${text.slice(0, atMost)}…` : text
  return spelledOut(cut)
}

/** A text from a till, a receiver or a partner: with its own direction, and invisible characters escaped. */
export function Foreign({ text, lang }: { text: string | null | undefined; lang?: 'en' }) {
  return (
    <bdi className={styles.foreign} lang={lang}>
      {legible(text ?? '')}
    </bdi>
  )
}

/** Lets a time be wrapped only after its day. */
const asOne = (text: string, as: TimeForm) => (as === 'moment' ? text : text.replaceAll(/(?<!,) /g, '\u00a0'))

export type TimeForm = 'dateTime' | 'recent' | 'clock' | 'second' | 'moment' | 'ago'

/** A time in the zone of the location; the tooltip has the exact one, in UTC. */
export function Time({ at, as = 'dateTime' }: { at: string | null | undefined; as?: TimeForm | undefined }) {
  const format = useFormat()
  if (at === null || at === undefined) return <span className="muted">–</span>
  return (
    <time dateTime={at} title={at} className={styles.time}>
      <span className={as === 'moment' ? undefined : styles.whole}>
        {asOne(format[as === 'ago' ? 'recent' : as](at), as)}
      </span>
      {as === 'ago' && (
        <>
          {' '}
          <span className={styles.whole}>({asOne(format.ago(at), as)})</span>
        </>
      )}
    </time>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

export function Mark({ tone = 'plain', children }: { tone?: Tone; children: string }) {
  return <span className={`${styles.mark} ${styles[tone]}`}>{children}</span>
}

/** The beginning of an id; the complete id for screen readers, copying and the tooltip. */
export function Id({ id }: { id: string }) {
  return (
    <span className="mono" title={id}>
      {id.length > 13 ? `${id.slice(0, 8)}…` : id}
    </span>
  )
}

/** An external link, if a text from others is a URL that may be followed; otherwise the text. */
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

/** The name, if known; else the beginning of the id. */
export function Called({ id, name }: { id: string; name: string | undefined }) {
  return name === undefined ? <Id id={id} /> : <Foreign text={name} />
}
