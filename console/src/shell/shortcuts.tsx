import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../i18n/language.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { checkClass } from '../parts/filters.tsx'
import { readStored, store } from '../stored.ts'
import { useScreens } from '../parts/places.ts'
import list from './list.module.css'

const storageName = 'tillgate-letters'

const areLettersOn = () => readStored(storageName) !== 'off'

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))

/** Moves the focus to the link of the next or previous row. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter(
    (row) => row.querySelector('a, button') !== null,
  )
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]
  next?.querySelector<HTMLElement>('a, button')?.focus()
}

type Props = { isOpen: boolean; onOpen: (isOpen: boolean) => void }

/** Single letters, and `?` which lists them: inactive in fields, and they can be switched off together (WCAG 2.1.4). */
export function Shortcuts({ isOpen, onOpen }: Props) {
  const { shell, screens } = useT()
  const navigate = useNavigate()
  const reachable = useScreens()
  const [areOn, setOn] = useState(areLettersOn)
  // Between `g` and its letter, new data may re-render the screen.
  const awaitsLetter = useRef(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        !areOn ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isField(event.target) ||
        document.querySelector('[role=dialog]')
      )
        return
      const { key } = event
      if (awaitsLetter.current) {
        awaitsLetter.current = false
        const screen = reachable.find(({ letter }) => letter === key)
        if (screen !== undefined) void navigate(screen.link as { to: string })
        return
      }
      if (key === '?') onOpen(true)
      if (key === 'g') awaitsLetter.current = true
      if (key === 'j') moveRow(1)
      if (key === 'k') moveRow(-1)
      if (key === '/') {
        event.preventDefault()
        document.querySelector<HTMLElement>('main [role=search] input, main [role=search] select')?.focus()
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [areOn, navigate, onOpen, reachable])
  const toggle = () => {
    store(storageName, areOn ? 'off' : 'on')
    setOn(!areOn)
  }
  const all: (readonly [keys: readonly string[], text: string])[] = [
    [['⌘K', 'Ctrl K'], shell.search],
    [['/'], shell.keys.filter],
    [['j', 'k'], shell.keys.rows],
    [['?'], shell.shortcuts],
    ...reachable.flatMap(({ letter, name }) => (letter === undefined ? [] : [[['g', letter], screens[name]] as const])),
  ]
  return (
    <Dialog title={shell.shortcuts} isOpen={isOpen} onClose={() => onOpen(false)}>
      <label className={checkClass}>
        <input type="checkbox" checked={areOn} onChange={toggle} />
        {shell.lettersOn}
      </label>
      <dl className={list.keys}>
        {all.map(([keys, text]) => (
          <div key={text} style={{ display: 'contents' }}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
