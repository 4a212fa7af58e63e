import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { patienceMs } from './waiting.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Finds focusable elements that are completely covered while they have the focus (WCAG 2.4.11). The search goes from
 * the last element to the first, because moving backwards scrolls elements below the bar at the top.
 */
const covered = `(() => {
  const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
  const isSeen = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect()
    const [x, y, width, height] = [
      Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth) - Math.max(left, 0), Math.min(bottom, innerHeight) - Math.max(top, 0),
    ]
    if (width <= 0 || height <= 0) return false
    const parts = [0.05, 0.5, 0.95]
    return parts.some((across) => parts.some((down) => {
      const there = document.elementFromPoint(x + width * across, y + height * down)
      return there !== null && (one.contains(there) || there.contains(one) && there.closest('label') !== null)
    }))
  }
  return [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .toReversed()
    .filter((one) => one.checkVisibility() && (one.focus(), document.activeElement === one) && !isSeen(one))
    .map((one) => one.localName + ' ' + (one.getAttribute('aria-label') ?? one.innerText).slice(0, 40))
})()`

/** Finds elements that are hidden behind others while they have the focus; empty if all are visible. */
export const hiddenFocusOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(covered)

const axeSource = readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The rules about colors, which a theme can break. */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * Marks rows, list items and parts of JSON that look like an earlier sibling: same elements, classes and attributes,
 * and text in the same places. Checking them again would take most of axe's time. Returns duplicate ids of the page.
 */
const markTwins = `(() => {
  for (const one of document.querySelectorAll('[data-twin]')) one.removeAttribute('data-twin')
  const formOf = (one) => [
    one.localName, one.getAttribute('class'), one.getAttributeNames().join(), one.getAttribute('style') ?? '',
    one.childElementCount > 0 ? [...one.children].map(formOf).join() : one.textContent.trim() !== '',
  ].join(' ')
  const places = new Map()
  for (const one of document.querySelectorAll('tbody > tr, li, [role=tree] > div')) {
    const seen = places.get(one.parentNode) ?? new Set()
    places.set(one.parentNode, seen)
    const form = formOf(one)
    if (seen.has(form)) one.setAttribute('data-twin', '')
    seen.add(form)
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  return ids.filter((id, at) => ids.indexOf(id) !== at)
})()`

/**
 * Hides the marked elements while axe runs, and shows them again: axe skips hidden elements at once, while it matches a
 * list of exclusions against each element.
 */
const hideTwins = `(() => {
  const sheet = (globalThis.twinSheet ??= new CSSStyleSheet())
  sheet.replaceSync('[data-twin] { display: none !important }')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
})()`
const showTwins =
  'document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== globalThis.twinSheet)'

/** Lists duplicate ids and the violations of WCAG 2.2 A and AA, one per line; with `colours` only those about colors. */
export async function violationsOf(page: Page, { colours = false } = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(await axeSource)
  const twice = await page.evaluate<string[]>(markTwins)
  type Result = { violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }
  const runOnly = colours ? { type: 'rule', values: ofColours } : { type: 'tag', values: levels }
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  await page.evaluate(hideTwins)
  const { violations } = await page.evaluate<Result>(`axe.run(${options})`)
  await page.evaluate(showTwins)
  return [
    ...twice.map((id) => `id twice: ${id}`),
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`),
  ]
}

/** Returns by how many pixels the page is wider than the window: 0 without overflow. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)')

/**
 * Finds elements whose content is wider than they are: the page itself, a truncated time, or a part that scrolls
 * sideways. A two-dimensional table, such as a heat map, may scroll (WCAG 1.4.10).
 */
const stickingOut = `[...document.querySelectorAll('html, body *')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => one.localName === 'html' ? one.scrollWidth > innerWidth : one.matches('td:has(time)') || /auto|scroll/.test(getComputedStyle(one).overflowX))
  .filter((one) => !one.querySelector(':scope > table tbody th[scope=row]'))
  .map((one) => one.localName + ' ' + (one.getAttribute('aria-label') || one.className) + ': ' + one.scrollWidth + ' in ' + one.clientWidth)
  .join('; ')`

/**
 * Waits until nothing scrolls sideways, since charts and tables adapt to the window with a delay. Otherwise reports
 * what scrolls.
 */
export async function fits(page: Page, what: string): Promise<void> {
  const limit = Date.now() + patienceMs
  for (;;) {
    const wide = await page.evaluate<string>(stickingOut)
    if (wide === '') return
    if (Date.now() > limit) throw new Error(`${what} scrolls sideways: ${wide}`)
    await page.waitForTimeout(20)
  }
}

const twice = `[...document.querySelectorAll('#main section > header')].flatMap((head) => {
  const names = [...head.querySelectorAll('button')].map((one) => one.getAttribute('aria-label') ?? one.innerText)
  return names.filter((name, at) => names.indexOf(name) !== at)
})`

/** Finds names that several buttons in the header of one box have. */
export const sameButtonsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(twice)
