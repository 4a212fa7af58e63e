import type { BusinessDay } from '../schemas/business-days.ts'
import type { DayMessage, MessageLanguage } from '../schemas/day-message.ts'
import type { Deductions } from '../schemas/deductions.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { words, type Words } from './day-message-words.ts'
import { namedAtMost } from './report-checks.ts'

/** An earlier day, or the mean of several; null if nothing was sold, undefined before the first day with data. */
export type Compared = { salesInclTax: number; change: number | null } | null | undefined

/** The contents of a message about a business day. Amounts are in minor units of the currency, rates are fractions. */
export type DayFacts = {
  name: string
  city: string
  currency: string
  day: BusinessDay
  sales: { orders: number; guests: number | null; salesInclTax: number; tax: number; averagePerOrder: number | null }
  compared: { weekday: Compared; yearWeekday: Compared; fourWeeks: Compared }
  payments: readonly { name: string; amount: number }[]
  taxes: readonly { rate: number | null; salesExclTax: number; tax: number }[]
  /** Undefined if the day has too many orders to read. */
  deductions: Deductions['totals'] | undefined
}

const locales: Record<MessageLanguage, string> = { en: 'en-GB', fr: 'fr-FR' }

function createWriter(language: MessageLanguage, currency: string) {
  const locale = locales[language]
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const change = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const number = new Intl.NumberFormat(locale)
  const date = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'full' })
  return {
    money: (minor: number) => money.format(minor / moneyOf(currency).minorInOne),
    change: (fraction: number) => change.format(fraction),
    percent: (fraction: number) => percent.format(fraction),
    number: (value: number) => number.format(value),
    date: (day: string) => date.format(new Date(`${day}T00:00:00.000Z`)),
  }
}

type Writer = ReturnType<typeof createWriter>

/** A line of a message: a name with its value, or a sentence. */
type Line = readonly [name: string, value: string] | string

type Part = { title: string | null; lines: readonly Line[] }

function comparisons({ compared }: DayFacts, t: Words, write: Writer): Part {
  const line = (name: string, one: Compared): [string, string] => [
    name,
    one == null
      ? one === null
        ? t.nothingThen
        : t.noData
      : `${write.money(one.salesInclTax)}${one.change === null ? '' : ` (${write.change(one.change)})`}`,
  ]
  return {
    title: t.compared,
    lines: [
      line(t.lastWeek, compared.weekday),
      line(t.lastYear, compared.yearWeekday),
      line(t.fourWeeks, compared.fourWeeks),
    ],
  }
}

function takenOff({ deductions }: DayFacts, t: Words, write: Writer): Part {
  if (deductions === undefined) return { title: t.takenOff, lines: [t.tooManyOrders] }
  return {
    title: t.takenOff,
    lines: Object.entries(deductions).map(([kind, { count, amount }]) => [
      t.deductions[kind as keyof typeof deductions],
      count === 0 ? t.none : `${write.number(count)} · ${write.money(amount)}`,
    ]),
  }
}

/** A message lists at most this many payments. */
const mostPayments = 30

function paid(payments: DayFacts['payments'], t: Words, write: Writer): Part {
  const others = payments.length - mostPayments
  const more = others > 0 ? [t.more(write.number(others))] : []
  const lines = payments.slice(0, mostPayments).map(({ name, amount }): Line => [name, write.money(amount)])
  return { title: t.payments, lines: [...lines, ...more] }
}

/** A message lists at most this many missing items. */
const mostWanting = 10

/**
 * Whether the restaurant was closed: no sale, no Z, and neither a Z nor an order is missing. The message then says only
 * that nothing was sold.
 */
const isClosingDay = ({ sales, reports, missingReports, orders }: BusinessDay) =>
  sales.orders + reports.length + missingReports.length + orders.missing.length === 0

/** Describes how the tills closed the day, and what is missing. */
function closing({ day }: DayFacts, t: Words, write: Writer): Part {
  if (isClosingDay(day)) return { title: t.closing, lines: [t.noSales] }
  const verdicts = day.reports.map(({ reportNumber, deviceName, verdict }): [string, string] => [
    t.report(reportNumber, deviceName),
    t.verdicts[verdict],
  ])
  const { missing, open, extra, unreported } = day.orders
  const counted = (count: number, named: number) =>
    named < namedAtMost ? write.number(count) : t.atLeast(write.number(count))
  const countOf = (ids: readonly string[]) => counted(ids.length, ids.length)
  const wanting = [
    ...day.missingReports.map(({ deviceName, reportNumber }) => t.missingReport(reportNumber, deviceName)),
    ...day.waitingFor.map(({ deviceName, deviceId }) => t.waitingFor(deviceName ?? deviceId ?? '–')),
    ...(missing.length > 0 ? [t.missingOrders(countOf(missing))] : []),
    ...(open.length > 0 ? [t.openOrders(countOf(open))] : []),
    ...(extra.length > 0 ? [t.extraOrders(countOf(extra))] : []),
    ...(unreported > 0 && day.reports.length > 0 ? [t.unreported(write.number(unreported))] : []),
  ]
  const others = wanting.length - mostWanting
  const more = others > 0 ? [t.more(counted(others, day.missingReports.length))] : []
  // A later Z report or the status of a till may have closed the day.
  const none = day.reports.length === 0 && !day.isComplete ? [t.noReports] : []
  return {
    title: t.closing,
    lines: [
      ...none,
      ...verdicts,
      ...wanting.slice(0, mostWanting),
      ...more,
      day.isComplete ? t.isComplete : t.isIncomplete,
    ],
  }
}

function partsOf(facts: DayFacts, t: Words, write: Writer): Part[] {
  const { sales, payments, taxes } = facts
  const average = sales.averagePerOrder === null ? [] : [[t.average, write.money(sales.averagePerOrder)] as const]
  const guests = sales.guests === null ? [] : [[t.guests, write.number(sales.guests)] as const]
  const parts: Part[] = [
    {
      title: null,
      lines: [
        [t.sales, write.money(sales.salesInclTax)],
        [t.tax, write.money(sales.tax)],
        [t.orders, write.number(sales.orders)],
        ...guests,
        ...average,
      ],
    },
    comparisons(facts, t, write),
    paid(payments, t, write),
    {
      title: t.taxes,
      lines: taxes.map(({ rate, salesExclTax, tax }) => [
        rate === null ? t.rateUnknown : write.percent(rate),
        `${write.money(salesExclTax)} + ${write.money(tax)}`,
      ]),
    },
    takenOff(facts, t, write),
    closing(facts, t, write),
  ]
  return parts.filter(({ lines }) => lines.length > 0)
}

/** Replaces control characters, and characters that change the direction of a text, with spaces. */
const plain = (text: string) => text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')

const escaped = (text: string) =>
  plain(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function toText(head: string, colon: string, parts: readonly Part[]): string {
  const written = parts.map(({ title, lines }) => {
    const rows = lines.map((line) =>
      typeof line === 'string' ? plain(line) : `${plain(line[0])}${colon}${plain(line[1])}`,
    )
    return [...(title === null ? [] : [title]), ...rows].join('\n')
  })
  return `${[plain(head), ...written].join('\n\n')}\n`
}

/** Styles are inline, because mail programs accept no other styles. */
function toHtml(head: string, language: MessageLanguage, parts: readonly Part[]): string {
  const rows = parts.flatMap(({ title, lines }) => [
    ...(title === null
      ? []
      : [`<tr><th colspan="2" style="padding:18px 0 4px;text-align:left">${escaped(title)}</th></tr>`]),
    ...lines.map((line) =>
      typeof line === 'string'
        ? `<tr><td colspan="2" style="padding:2px 0">${escaped(line)}</td></tr>`
        : `<tr><td style="padding:2px 24px 2px 0">${escaped(line[0])}</td><td style="padding:2px 0;text-align:right">${escaped(line[1])}</td></tr>`,
    ),
  ])
  return (
    `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"><title>${escaped(head)}</title></head>` +
    `<body style="font-family:sans-serif;max-width:36em"><h1 style="font-size:1.3em">${escaped(head)}</h1>` +
    `<table style="border-collapse:collapse">\n${rows.join('\n')}\n</table></body></html>\n`
  )
}

/**
 * Writes a business day as a message: sales compared with earlier days, payments, deductions, and how the tills closed
 * it.
 */
export function writeDayMessage(facts: DayFacts, language: MessageLanguage): DayMessage {
  const t = words[language]
  const write = createWriter(language, facts.currency)
  const { date } = facts.day
  const { weekday } = facts.compared
  const place = facts.city === '' ? facts.name : `${facts.name}, ${facts.city}`
  const head = `${place} – ${write.date(date)}`
  const trend = weekday?.change == null ? '' : ` (${write.change(weekday.change)})`
  const isWell = isClosingDay(facts.day) || (facts.day.isComplete && facts.day.balanced !== false)
  const warning = isWell ? '' : ` – ${t.lookAtIt}`
  const parts = partsOf(facts, t, write)
  return {
    date,
    language,
    subject: plain(
      `${facts.name}, ${write.date(date)}${t.colon}${write.money(facts.sales.salesInclTax)}${trend}${warning}`,
    ),
    text: toText(head, t.colon, parts),
    html: toHtml(head, language, parts),
  }
}
