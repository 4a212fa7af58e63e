import { useEffect, type ReactNode } from 'react'
import type { Call } from '../api/request.ts'
import { useArrival } from '../shell/arrival.ts'
import { CopyCurl } from './copy.tsx'
import styles from './page.module.css'

type PageProps = {
  title: string
  /** A line below the title. */
  intro?: ReactNode
  call?: Call
  actions?: ReactNode
  children: ReactNode
}

/** A screen: its title, which is the document's too, what one can do, and its boxes. */
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
        </div>
        <div className={styles.actions}>
          {actions}
          {call !== undefined && <CopyCurl call={call} />}
        </div>
      </header>
      {children}
    </article>
  )
}

type BoxProps = { title?: ReactNode; aside?: ReactNode; call?: Call; flush?: boolean; children: ReactNode }

export function Box({ title, aside, call, flush = false, children }: BoxProps) {
  return (
    <section className={`${styles.box} ${flush ? styles.flush : ''}`}>
      {(title !== undefined || aside !== undefined || call !== undefined) && (
        <header className={styles.boxHead}>
          {title !== undefined && <h2>{title}</h2>}
          <div className={styles.actions}>
            {aside}
            {call !== undefined && <CopyCurl call={call} />}
          </div>
        </header>
      )}
      {children}
    </section>
  )
}

/** Boxes side by side where there is room. */
export function Columns({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return <div className={`${styles.columns} ${wide ? styles.wide : ''}`}>{children}</div>
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function Figures({ children }: { children: ReactNode }) {
  return <dl className={styles.figures}>{children}</dl>
}

/** One figure with its name, and a line that says what to think of it. */
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
  // Then the code of the currency may go to a line of its own.
  const isLong = value.length > 11
  return (
    <div className={styles.figure} title={title}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.value} data-long={isLong}>
          {isLong ? value.replaceAll('\u00a0', ' ') : value}
        </span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </dd>
    </div>
  )
}

/** A sentence that stands out: what holds, or what is wrong. */
export function Notice({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'info'; children: ReactNode }) {
  return <div className={`${styles.notice} ${styles[tone]}`}>{children}</div>
}
