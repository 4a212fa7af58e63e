import { readFileSync } from 'node:fs'

/**
 * A code block of a page. Its role is in a comment on the line before, which readers do not see: `sh` without a role is
 * run, `file: name` is written for later commands, `output` is printed by the block before, `setup` is a command that
 * the test replaces, and `part of path` occurs literally in a tested file. Tests of single pages have further roles.
 */
export type Block = { language: string; text: string; role: string; line: number }

export function blocksOf(path: string): Block[] {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const form = /(?:^<!-- (.+) -->\n\n?)?^```(\w*)\n([^]*?)^```$/gm
  return [...page.matchAll(form)].map(({ 1: role = '', 2: language = '', 3: text = '', index }) => {
    const line = page.slice(0, index).split('\n').length
    return { language, text, role: role === '' && language === 'sh' ? 'run' : role, line }
  })
}

/** Returns whether the output matches the page; white space is ignored, and `…` matches anything. */
export function fits(shown: string, printed: string): boolean {
  const pieces = shown.replaceAll(/\s+/g, '').split('…')
  const form = pieces.map((piece) => piece.replaceAll(/[^\w]/g, String.raw`\$&`)).join('.*?')
  return new RegExp(`^${form}$`, 's').test(printed.replaceAll(/\s+/g, ''))
}
