import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// Runs the demo for some seconds and draws what it printed as docs/demo.svg: node scripts/draw-demo.ts

const root = resolve(import.meta.dirname, '..')
/** Number of deliveries to wait for, and how many of the last ones to draw: the first ones come all at once. */
const [waitedFor, drawn] = [45, 14]
const columns = 116
const [charWidth, lineHeight, margin, fontSize] = [7.8, 19, 18, 13]

const colors: Record<string, string> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  35: '#d2a8ff',
  36: '#79c0ff',
}

type Style = { color: string | null; bold: boolean; dim: boolean }

type Run = Style & { text: string }

/** Resolves to the output of the demo in terminal colors: its beginning, and the last deliveries. */
async function runDemo(directory: string): Promise<string> {
  const args = [join(root, 'src/main.ts'), 'demo', '--speed', '60']
  const env = { ...process.env, FORCE_COLOR: '1', TZ: 'Europe/Paris' }
  const child = spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.split('✓').length > waitedFor) child.kill('SIGINT')
  }
  if (child.exitCode === null) await once(child, 'exit')
  const lines = text.split('\n')
  const told = lines.filter((line) => line.includes('✓'))
  return [...lines.slice(0, lines.indexOf(told[0] as string)), '…', ...told.slice(-drawn)].join('\n')
}

const plain: Style = { color: null, bold: false, dim: false }

function applyCode(style: Style, code: number): Style {
  if (code === 0) return plain
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, color: null }
  return { ...style, color: colors[code] ?? style.color }
}

/** Splits a line of a terminal into runs of one style. */
function toRuns(line: string): Run[] {
  let style = plain
  return line.split(new RegExp(String.raw`\u001b\[([\d;]*)m`)).flatMap((part, i) => {
    if (i % 2 === 0) return part === '' ? [] : [{ ...style, text: part }]
    for (const code of part.split(';')) style = applyCode(style, Number(code))
    return []
  })
}

/** Breaks lines like a terminal with this many columns. */
function wrap(runs: readonly Run[]): Run[][] {
  const rows: Run[][] = [[]]
  let room = columns
  for (const run of runs) {
    for (let rest = run.text; rest !== '';) {
      if (room === 0) {
        rows.push([])
        room = columns
      }
      const text = rest.slice(0, room)
      rows.at(-1)?.push({ ...run, text })
      room -= text.length
      rest = rest.slice(text.length)
    }
  }
  return rows
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function drawRow(runs: readonly Run[], row: number): string {
  const y = margin + (row + 1) * lineHeight
  let column = 0
  const spans = runs.map(({ text, color, bold, dim }) => {
    const x = (margin + column * charWidth).toFixed(1)
    column += text.length
    const style = `${color ? ` fill="${color}"` : ''}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity=".6"' : ''}`
    return `<tspan x="${x}"${style}>${escape(text)}</tspan>`
  })
  return `<text y="${y}" xml:space="preserve">${spans.join('')}</text>`
}

function draw(text: string): string {
  const rows = text.split('\n').flatMap((line) => wrap(toRuns(line)))
  const [width, height] = [Math.ceil(columns * charWidth) + 2 * margin, (rows.length + 1) * lineHeight + 2 * margin]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>What tillgate demo prints</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}" fill="#e6edf3">
${rows.map(drawRow).join('\n')}
</g>
</svg>
`
}

const directory = await mkdtemp(join(tmpdir(), 'tillgate-draw-'))
// When run as root, the database runs as another user, who needs access.
await chmod(directory, 0o711)
try {
  const printed = await runDemo(directory)
  await writeFile(join(root, 'docs/demo.svg'), draw(`$ npm run -s demo -- --speed 60\n\n${printed}`))
} finally {
  await rm(directory, { recursive: true, force: true })
}
