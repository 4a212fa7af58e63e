import { useMemo, useRef, useState, type FormEvent, type KeyboardEvent } from 'react'
import { useT } from '../i18n/language.tsx'
import { announce } from './announcer.tsx'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { linesOf, type Line } from './json-lines.ts'
import { legible } from './text.tsx'
import styles from './json.module.css'

/** Maximum number of characters shown of a value; copying still copies all of it. */
const shownAtMost = 20_000

const indent = (depth: number) => '  '.repeat(Math.min(depth, 40))

/** The shown part of a line; for a folded one the number of hidden lines. */
function LineText({
  line: { depth, key, text, kind, size },
  comma,
  isFolded,
}: {
  line: Line
  comma: boolean
  isFolded: boolean
}) {
  const closing = text === '{' ? '}' : ']'
  return (
    <>
      {indent(depth)}
      {key !== null && (
        <>
          <span className={styles.key}>{legible(key, shownAtMost)}</span>
          {': '}
        </>
      )}
      <span className={styles[kind]}>{legible(text, shownAtMost)}</span>
      {isFolded && <span className={styles.hidden}>{` … ${size} ${closing}`}</span>}
      {comma && ','}
    </>
  )
}

type LinesProps = { json: string; lines: readonly Line[]; isComplete: boolean; label: string }

/** Lines, one of which has the focus. Arrow keys move the focus, and fold and unfold lines. */
function Lines({ json, lines, isComplete, label }: LinesProps) {
  const { common } = useT()
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [at, setAt] = useState(0)
  const [find, setFind] = useState('')
  const tree = useRef<HTMLDivElement>(null)
  const isFoldable = (place: number) => (lines[place]?.end ?? place) > place
  const shown: number[] = []
  for (let place = 0; place < lines.length; place += 1) {
    shown.push(place)
    // A folded value shows its first line, and continues after its last.
    if (folded.has(place)) place = lines[place]?.end ?? place
  }
  const isFit = (place: number) => {
    const { key = '', text = '' } = lines[place] ?? {}
    return find !== '' && `${key ?? ''} ${text}`.toLowerCase().includes(find.toLowerCase())
  }
  const focus = (place: number | undefined) => {
    if (place === undefined) return
    setAt(place)
    tree.current?.querySelector<HTMLElement>(`[data-line="${place}"]`)?.focus()
  }
  const fold = (place: number, isClosed: boolean) => {
    const next = new Set(folded)
    if (isClosed) next.add(place)
    else next.delete(place)
    setFolded(next)
  }
  /** Lines that can have the focus: all but those with only a closing bracket. */
  const stops = shown.filter((place) => !/^[}\]]$/.test(lines[place]?.text ?? ''))
  const isStop = new Set(stops)
  const onKeyDown = (event: KeyboardEvent) => {
    const here = stops.indexOf(at)
    const parent = lines.findLastIndex(({ end, text }, place) => place < at && end >= at && /^[{[]$/.test(text))
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(stops[here + 1]),
      ArrowUp: () => focus(stops[here - 1]),
      Home: () => focus(stops[0]),
      End: () => focus(stops.at(-1)),
      ArrowLeft: () => (isFoldable(at) && !folded.has(at) ? fold(at, true) : focus(parent === -1 ? undefined : parent)),
      ArrowRight: () => (folded.has(at) ? fold(at, false) : focus(stops[here + 1])),
      Enter: () => isFoldable(at) && fold(at, !folded.has(at)),
    }
    const act = acts[event.key]
    if (act === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    act()
  }
  const onFind = (event: FormEvent) => {
    event.preventDefault()
    setFolded(new Set())
    const found = Array.from(lines.keys()).filter(isFit)
    announce(common.found(found.length))
    const next = found.find((place) => place > at) ?? found[0]
    if (next === undefined) return
    setAt(next)
    tree.current?.querySelector(`[data-line="${next}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  const chosen = lines[at]
  return (
    <>
      <div className={styles.tools}>
        <form onSubmit={onFind}>
          <input
            type="search"
            aria-label={common.findWithin}
            placeholder={common.findWithin}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        </form>
        <Button
          kind="quiet"
          onClick={() =>
            setFolded(
              folded.size > 0
                ? new Set()
                : new Set(Array.from(lines.keys()).filter((place) => place > 0 && isFoldable(place))),
            )
          }
        >
          {folded.size > 0 ? common.unfoldAll : common.foldAll}
        </Button>
        {chosen !== undefined && at > 0 && (
          <>
            <code className={styles.path}>{legible(chosen.path, 60)}</code>
            <Copy text={json.slice(chosen.from, chosen.to)} label={common.copyPart} />
          </>
        )}
        <Copy text={json} label={common.copy} />
      </div>
      <div ref={tree} role="tree" aria-label={label} className={styles.text}>
        {shown.map((place) => {
          const line = lines[place] as Line
          if (!isStop.has(place)) {
            return (
              <div key={place} className={styles.line} aria-hidden="true">
                <LineText line={line} comma={line.comma} isFolded={false} />
              </div>
            )
          }
          const isFolded = folded.has(place)
          return (
            <div
              key={place}
              role="treeitem"
              data-line={place}
              aria-level={line.depth + 1}
              aria-selected={place === at}
              aria-expanded={isFoldable(place) ? !isFolded : undefined}
              tabIndex={place === at ? 0 : -1}
              className={styles.line}
              data-fit={isFit(place) || undefined}
              onFocus={() => setAt(place)}
              onKeyDown={onKeyDown}
              onClick={(event) => {
                focus(place)
                // The mark before the line folds it; a click on the text focuses the line, so the text can be selected.
                const { left } = event.currentTarget.getBoundingClientRect()
                if (isFoldable(place) && event.clientX < left + 24) fold(place, !isFolded)
              }}
            >
              <LineText line={line} comma={(isFolded ? lines[line.end] : line)?.comma === true} isFolded={isFolded} />
            </div>
          )
        })}
        {!isComplete && `… ${common.cutShort}`}
      </div>
    </>
  )
}

/** A stored JSON text by lines, which can be folded, searched, and copied completely or in part. */
export function Json({ text, label }: { text: string; label: string }) {
  const { common } = useT()
  const read = useMemo(() => linesOf(text), [text])
  return (
    <div className={styles.json} role="region" aria-label={label}>
      {read === null ? (
        <>
          <div className={styles.tools}>
            <Copy text={text} label={common.copy} />
          </div>
          <pre className={styles.text} tabIndex={0}>
            {legible(text, shownAtMost)}
          </pre>
        </>
      ) : (
        <Lines key={text} json={text} {...read} label={label} />
      )}
    </div>
  )
}
