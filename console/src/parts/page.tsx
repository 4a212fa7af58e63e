import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Call } from '../api/request.ts'
import { useLocationId, useSession } from '../api/session.tsx'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { useArrival } from './arrival.ts'
import { CopyCurl } from './copy.tsx'
import { Foreign, legible, Time, type TimeForm } from './text.tsx'
import styles from './page.module.css'

type PageProps = {
  title: string
  /** A line below the title. */
  intro?: ReactNode
  call?: Call | null
  actions?: ReactNode
  children: ReactNode
}

/** On paper: the restaurant, and the time of printing. */
function Printed() {
  const { common } = useT()
  const { locations } = useSession()
  const id = useLocationId()
  const { locale, place } = useFormat()
  const [at, setAt] = useState(() => new Date())
  useEffect(() => {
    const now = () => flushSync(() => setAt(new Date()))
    window.addEventListener('beforeprint', now)
    return () => window.removeEventListener('beforeprint', now)
  }, [])
  const here = locations.find((one) => one.id === id)
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: place.timeZone,
  }).format(at)
  const name = here === undefined ? '' : legible([here.name, here.city].filter(Boolean).join(', '))
  // base.css prints this in the margin of each sheet, so that a single sheet of a long table shows its origin.
  useEffect(() => {
    document.documentElement.style.setProperty('--sheet', JSON.stringify(`${name} ${common.printedAt(time)}`.trim()))
  }, [name, time, common])
  return (
    <p className={styles.printed} aria-hidden="true">
      <Foreign text={name} /> {common.printedAt(time)}
    </p>
  )
}

/** A screen with its title, which the browser's tab shows too, its actions, and its boxes. */
export function Page({ title, intro, call, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tillgate`
  }, [title])
  useArrival()
  return (
    <article className={styles.page}>
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {intro !== undefined && <p className={styles.intro}>{intro}</p>}
          <Printed />
        </div>
        <div className={styles.actions}>
          {actions}
          {call && <CopyCurl call={call} />}
        </div>
      </header>
      {children}
    </article>
  )
}

type BoxProps = {
  title?: ReactNode
  aside?: ReactNode
  call?: Call | null | undefined
  flush?: boolean
  children: ReactNode
}

export function Box({ title, aside, call, flush = false, children }: BoxProps) {
  return (
    <section className={`${styles.box} ${flush ? styles.flush : ''}`} data-flush={flush}>
      {(title !== undefined || aside !== undefined || call) && (
        <header className={styles.boxHead}>
          {title !== undefined && <h2>{title}</h2>}
          <div className={styles.actions}>
            {aside}
            {call && <CopyCurl call={call} />}
          </div>
        </header>
      )}
      {children}
    </section>
  )
}

/** Boxes side by side if they fit. */
export function Columns({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return <div className={`${styles.columns} ${wide ? styles.wide : ''}`}>{children}</div>
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

type FactProps = {
  name: ReactNode
  children?: ReactNode
  /** A text from others instead of children. */
  text?: string | null | undefined
  /** A time instead of children, and how it is written. */
  at?: string | null | undefined
  as?: TimeForm
}

export function Fact({ name, children, text, at, as }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? (text === undefined ? <Time at={at} as={as} /> : <Foreign text={text || '–'} />)}</dd>
    </div>
  )
}

/** Figures side by side, all in the size that fits the longest. Long figures get more space. */
export function Figures({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDListElement>(null)
  useLayoutEffect(() => {
    const letters = [...(place.current?.querySelectorAll<HTMLElement>('[data-letters]') ?? [])]
    const most = Math.max(...letters.map(({ dataset }) => Number(dataset['letters'])))
    place.current?.style.setProperty('--letters', String(most))
    place.current?.toggleAttribute('data-long', most > 13)
  })
  return (
    <dl ref={place} className={styles.figures}>
      {children}
    </dl>
  )
}

/** Estimates the width of a text in digits: separators are narrow, capitals and currency signs are wide. */
const widthOf = (text: string) =>
  Array.from(text).reduce((sum, one) => sum + (/[\d\p{Ll}]/u.test(one) ? 1 : /[.,:\s/-]/.test(one) ? 0.6 : 1.6), 0)

/** One figure with its name, and a line that explains it. */
export function FigureOf({
  name,
  value,
  note,
  title,
}: {
  name: string
  value: string
  note?: ReactNode
  title?: string
}) {
  return (
    <div className={styles.figure} title={title}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.value} data-letters={widthOf(value)}>
          {value}
        </span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </dd>
    </div>
  )
}

/** A highlighted sentence: a confirmation or a problem. */
export function Notice({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'info'; children: ReactNode }) {
  return <div className={`${styles.notice} ${styles[tone]}`}>{children}</div>
}

/** Maximum length of a list that is open at first; a longer one is folded. */
const foldedFrom = 31

export const foldedClass = styles.folded

/** A list that opens on request: a long one is folded. */
export function Folded({ title, rows, children }: { title: string; rows: number; children: ReactNode }) {
  return (
    <details className={styles.folded} open={rows <= foldedFrom}>
      <summary>
        {title} ({rows})
      </summary>
      {children}
    </details>
  )
}
