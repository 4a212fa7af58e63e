import { useState, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { checkClass } from './filters.tsx'
import { readStored, store } from '../stored.ts'
import styles from './table.module.css'

const storageName = 'tillgate-columns'

/** The columns that the user switched on or off; others keep the table's default. */
type Chosen = Readonly<Record<string, boolean>>

function readChoices(): Record<string, Chosen> {
  try {
    return JSON.parse(readStored(storageName) ?? '{}') as Record<string, Chosen>
  } catch {
    return {}
  }
}

/** Returns the columns of a table that this browser shows, and the function to change them. */
export function useChosenColumns(id: string | undefined): [Chosen, (key: string, isShown: boolean) => void] {
  const [chosen, setChosen] = useState<Chosen>(() => (id === undefined ? {} : (readChoices()[id] ?? {})))
  const choose = (key: string, isShown: boolean) => {
    const next = { ...chosen, [key]: isShown }
    setChosen(next)
    store(storageName, JSON.stringify({ ...readChoices(), [id ?? '']: next }))
  }
  return [chosen, choose]
}

type Props = {
  columns: readonly { key: string; head: ReactNode; isExtra?: boolean }[]
  chosen: Chosen
  onChoose: (key: string, isShown: boolean) => void
}

/** Selects the columns of a table, except the first one, which identifies the rows and is always shown. */
export function ColumnChoice({ columns, chosen, onChoose }: Props) {
  const { common } = useT()
  const [isOpen, setOpen] = useState(false)
  const isNarrow = globalThis.matchMedia('(max-width: 40em)').matches
  return (
    <details className={styles.choice} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{common.columns}</summary>
      <div>
        {isOpen &&
          columns
            .filter(({ head }, place) => place > 0 && typeof head === 'string')
            .map(({ key, head, isExtra = false }) => (
              <label key={key} className={checkClass}>
                <input
                  type="checkbox"
                  checked={chosen[key] ?? !(isExtra && isNarrow)}
                  onChange={(event) => onChoose(key, event.target.checked)}
                />
                {head}
              </label>
            ))}
      </div>
    </details>
  )
}
