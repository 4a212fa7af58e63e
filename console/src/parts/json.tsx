import { useMemo } from 'react'
import { useT } from '../i18n/language.tsx'
import { Copy } from './copy.tsx'
import { legible } from './text.tsx'
import styles from './json.module.css'

type Piece = { text: string; kind: 'key' | 'string' | 'number' | 'word' | 'mark' }

/** So many pieces are shown: more than that is for a file, and the copy has all of it. */
const piecesAtMost = 6000

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/gy

const kindOf = (text: string, isKey: boolean): Piece['kind'] => {
  if (text.startsWith('"')) return isKey ? 'key' : 'string'
  if (/^[-\d]/.test(text)) return 'number'
  return /^[tfn]/.test(text) ? 'word' : 'mark'
}

/** The pieces of a JSON text with line breaks between them. Nothing is parsed to a number: 1.50 stays 1.50. Text that is no JSON is one piece. */
function piecesOf(json: string): { pieces: Piece[]; isWhole: boolean } {
  const pieces: Piece[] = []
  let depth = 0
  let before = ''
  for (let at = 0; at < json.length;) {
    const [space = ''] = /^\s*/.exec(json.slice(at, at + 200)) ?? []
    at += space.length
    if (at >= json.length) break
    if (pieces.length > piecesAtMost) return { pieces, isWhole: false }
    token.lastIndex = at
    const text = token.exec(json)?.[0]
    if (text === undefined)
      return { pieces: [{ text: json.slice(0, 20_000), kind: 'mark' }], isWhole: json.length <= 20_000 }
    at += text.length
    const isClosing = text === '}' || text === ']'
    const isOpened = before === '{' || before === '['
    if (isClosing) depth -= 1
    const breaks = isClosing ? !isOpened : isOpened || before === ','
    if (breaks) pieces.push({ text: `\n${'  '.repeat(Math.min(depth, 40))}`, kind: 'mark' })
    pieces.push({ text: text === ':' ? ': ' : text, kind: kindOf(text, /^\s*:/.test(json.slice(at, at + 20))) })
    if (text === '{' || text === '[') depth += 1
    before = text
  }
  return { pieces, isWhole: true }
}

/** A JSON text as it is stored, set in lines. */
export function Json({ text, label }: { text: string; label: string }) {
  const { common } = useT()
  const { pieces, isWhole } = useMemo(() => piecesOf(text), [text])
  return (
    <div className={styles.json}>
      <div className={styles.tools}>
        <Copy text={text} label={common.copy} />
      </div>
      <pre role="region" aria-label={label} tabIndex={0}>
        {pieces.map(({ text: part, kind }, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text never move
          <span key={place} className={styles[kind]}>
            {kind === 'mark' && pieces.length > 1 ? part : legible(part, 20_000)}
          </span>
        ))}
        {!isWhole && `\n… ${common.cutShort}`}
      </pre>
    </div>
  )
}
