import { useId, useState, type FormEvent, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { useChange } from './use-change.ts'
import styles from './filters.module.css'

export function Filters({ children }: { children: ReactNode }) {
  const { common } = useT()
  return (
    <div className={styles.filters} role="search" aria-label={common.filters}>
      {children}
    </div>
  )
}

/** Values and their names. An object would put values that are numbers first. */
type Choices<T extends string> = readonly (readonly [value: T, name: string])[] | Readonly<Record<T, string>>

const pairsOf = <T extends string>(choices: Choices<T>) =>
  Array.isArray(choices) ? (choices as readonly (readonly [T, string])[]) : (Object.entries(choices) as [T, string][])

type ChooseProps<T extends string> = {
  label: string
  value: T
  choices: Choices<T>
  onChange: (value: T) => void
}

type FilterProps<T extends string> = Omit<ChooseProps<T>, 'value' | 'onChange'> & {
  value: T | undefined
  /** Label of the choice without a filter. */
  all?: string
  onChange: (value: T | undefined) => void
}

/** A filter by one of some values, or by none: then its value is undefined. */
export function Filter<T extends string>({ label, value, choices, all, onChange }: FilterProps<T>) {
  const { common } = useT()
  return (
    <Choose<T | 'all'>
      label={label}
      value={value ?? 'all'}
      choices={[['all', all ?? common.all], ...pairsOf(choices)]}
      onChange={(one) => onChange(one === 'all' ? undefined : one)}
    />
  )
}

export function Choose<T extends string>({ label, value, choices, onChange }: ChooseProps<T>) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value as T)}>
        {pairsOf(choices).map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

type AskProps = {
  label: string
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'date' | 'number' | 'search'
  placeholder?: string
}

/** A field whose value applies when it loses the focus or Enter is pressed, not with each letter. */
export function Ask({ label, value, onChange, type = 'text', placeholder }: AskProps) {
  const [text, setText] = useState(value)
  const [before, setBefore] = useState(value)
  if (before !== value) {
    setBefore(value)
    setText(value)
  }
  const commit = (event?: FormEvent) => {
    event?.preventDefault()
    if (text !== value) onChange(text.trim())
  }
  const id = useId()
  return (
    <form onSubmit={commit} className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={text}
        placeholder={placeholder}
        onChange={(event) => {
          setText(event.target.value)
          if (type === 'date' && event.target.value !== '') onChange(event.target.value)
        }}
        onBlur={() => commit()}
      />
    </form>
  )
}

/** An active filter, with a button to remove it. */
export function Chip({ children, onRemove }: { children: string; onRemove: () => void }) {
  const { common } = useT()
  return (
    <span className={styles.chip}>
      {children}
      <button type="button" onClick={onRemove} aria-label={`${common.remove} ${children}`}>
        ×
      </button>
    </span>
  )
}

/** Links to the previous and the next page of a list; the URL has the number of the page. */
export function Pager({ page, pages }: { page: number; pages: number }) {
  const { common } = useT()
  const change = useChange()
  if (pages <= 1) return null
  const onChange = (to: number) => change({ page: to === 0 ? undefined : String(to) })
  return (
    <nav className={styles.pager} aria-label={common.pages}>
      <Button disabled={page <= 0} onClick={() => onChange(page - 1)}>
        {common.previous}
      </Button>
      <span>{common.pageOf(page + 1, pages)}</span>
      <Button disabled={page + 1 >= pages} onClick={() => onChange(page + 1)}>
        {common.next}
      </Button>
    </nav>
  )
}

/** Field of a form. Its faults are shown below it, and linked to it for screen readers. */
export function Field({ label, hint, children }: { label: string; hint?: string | undefined; children: ReactNode }) {
  return (
    <label className={styles.block}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** Adds a text to a list, or removes it if the list has it. */
export const toggled = (texts: readonly string[], text: string): string[] =>
  texts.includes(text) ? texts.filter((one) => one !== text) : [...texts, text]

export const formClass = styles.form
export const singleClass = styles.single
export const checkClass = styles.check
export const choicesClass = styles.choices
