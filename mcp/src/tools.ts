import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { TillgateError, type Tillgate } from '@tillgate/client'
import { z } from 'zod'
import { mostCharacters, toJson, toText } from './result.ts'

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .describe('A day, YYYY-MM-DD.')
/** Any UUID, regardless of version and variant, like the API. */
const id = z.guid()
const pages = { index: z.int().min(0).default(0).describe('Page, from 0.'), size: z.int().min(1).max(50).default(20) }

/**
 * Accepts only the known arguments of a tool: a model that guesses a name must get an error, not the answer to another
 * question.
 */
function only<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape)
  const taken = names.length === 0 ? 'no arguments are allowed' : `allowed: ${names.join(', ')}`
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')} is not a known argument; ${taken}` : undefined,
  })
}

type Answer = { content: { type: 'text'; text: string }[]; isError?: true }

/** Returns the result of the work, or its failure in the server's words, so that the model can correct the call. */
async function answer(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { content: [{ type: 'text', text: toText(await work()) }] }
  } catch (error) {
    if (!(error instanceof TillgateError)) throw error
    const { code, status, message, errors } = error
    return { content: [{ type: 'text', text: toText({ code, status, detail: message, errors }) }], isError: true }
  }
}

/** Reads only the first page, which has the total count; iterating would read all pages. */
async function firstPage<Page>(list: { pages(): AsyncIterable<Page> }): Promise<Page | undefined> {
  for await (const page of list.pages()) return page
  return undefined
}

/** Leaves out fields that questions about many orders rarely need. */
function toLine({ items, payments, ...order }: Record<string, any>) {
  return {
    ...order,
    menus: undefined,
    tips: undefined,
    items: items.map(({ description, quantity, total }: Record<string, unknown>) => ({ description, quantity, total })),
    payments: payments.map(({ paymentName, paymentAmount }: Record<string, unknown>) => ({
      paymentName,
      paymentAmount,
    })),
  }
}

/** Registers the tools. All of them only read; the key of `tillgate` decides what can be read. */
export function registerTools(server: McpServer, tillgate: Tillgate): void {
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

  server.registerTool(
    'find_orders',
    {
      title: 'Find orders',
      description:
        'Orders of the restaurant in short form, oldest first. since and until are business days of closing, as in get_sales; with state open or all, UTC days of creation. Amounts are decimal units, tax included. `meta.totalCount` is the number of matches. Training orders are excluded.',
      inputSchema: only({
        since: day.optional(),
        until: day.optional(),
        number: z.string().max(64).optional().describe('Exact order number.'),
        reportId: id.optional().describe('Only the orders of this Z report.'),
        state: z.enum(['open', 'closed', 'all']).default('closed'),
        newestFirst: z.boolean().default(false),
        ...pages,
      }),
      annotations,
    },
    async ({ newestFirst, since, until, ...given }) =>
      answer(async () => {
        const days =
          given.state === 'closed' ? { closedSince: since ?? until, closedUntil: until ?? since } : { since, until }
        const sort = newestFirst ? '-createdAt' : 'createdAt'
        const query = { ...defined({ ...given, ...days }), isTraining: false, sort } as const
        const page = await firstPage(tillgate.orders(query as Parameters<Tillgate['orders']>[0]))
        return { data: page?.data.map(toLine), meta: page?.meta }
      }),
  )

  server.registerTool(
    'get_order',
    {
      title: 'One order with its history',
      description:
        'The latest version of an order, and the time and events of each version; `history` is null if versions are archived.',
      inputSchema: only({ id }),
      annotations,
    },
    async ({ id: orderId }) =>
      answer(async () => {
        try {
          const versions = await tillgate.orderHistory(orderId)
          const history = versions.map(({ sequence, timestamp, types }) => ({ sequence, timestamp, types }))
          return { order: versions.at(-1)?.data, history }
        } catch (error) {
          if (!(error instanceof TillgateError) || error.code !== 'documents_aside') throw error
          return { order: await tillgate.order(orderId), history: null, detail: error.message }
        }
      }),
  )

  server.registerTool(
    'get_report',
    {
      title: 'Z reports',
      description:
        'One Z report by its id, or the list of them. Amounts are integers in minor units. since and until are UTC days on createdAt.',
      inputSchema: only({ id: id.optional(), since: day.optional(), until: day.optional(), ...pages }),
      annotations,
    },
    async ({ id: reportId, ...given }) =>
      answer(async () => {
        if (reportId !== undefined) return tillgate.report(reportId)
        const page = await firstPage(tillgate.reports({ ...defined(given), sort: '-createdAt' }))
        const short = page?.data.map(({ id: own, reportNumber, deviceName, startedAt, finalizedAt, totalSales }) => {
          return { id: own, reportNumber, deviceName, startedAt, finalizedAt, totalSales }
        })
        return { data: short, meta: page?.meta }
      }),
  )

  server.registerTool(
    'reconcile_report',
    {
      title: 'Reconcile a Z report',
      description:
        'Reconciles a Z report with its orders and lists every figure that differs, in minor units; missing and surplus orders by id.',
      inputSchema: only({ id }),
      annotations,
    },
    async ({ id: reportId }) => answer(() => tillgate.reconciliation(reportId, { only: 'differences' })),
  )

  server.registerTool(
    'get_sales',
    {
      title: 'Sales figures',
      description:
        'Sums over business days of the restaurant, in minor units: sales with and without tax, tax, discounts, tips, guests, averages. Without since and until: today. Rows by product or another dimension are sorted by sales, highest first.',
      inputSchema: only({
        since: day.optional(),
        until: day.optional(),
        by: z
          .string()
          .max(32)
          .optional()
          .describe(
            'total, day, week, month, weekday, hour, halfHour, product, category, tax, payment, channel, serviceType, operator, device, discount or report; or a period with one of them, such as day,product or hour,category.',
          ),
      }),
      annotations,
    },
    async (given) =>
      answer(async () => {
        const sales = await tillgate.sales(defined(given))
        // The lowest sales come last, because a result that is too long is cut at its end.
        return isOfNames(given.by) ? { ...sales, data: sales.data.toSorted(bySales) } : sales
      }),
  )

  server.registerTool(
    'get_catalog',
    {
      title: 'Catalog',
      description: 'Products, modifiers, payment methods or taxes of the till. Prices are integers in minor units.',
      inputSchema: only({ list: z.enum(['products', 'modifiers', 'payments', 'taxes']).default('products') }),
      annotations,
    },
    async ({ list }) => answer(() => tillgate.catalog[list]()),
  )

  server.registerTool(
    'books_of_days',
    {
      title: 'Booking state of business days',
      description:
        'Per business day of a range (the last 31 by default) which Z reports are ready to be booked, issued, waiting or refused, and why. Amounts are integers in minor units.',
      inputSchema: only({ since: day.optional(), until: day.optional() }),
      annotations,
    },
    async (given) => answer(() => tillgate.books.days(defined(given))),
  )

  server.registerTool(
    'closings',
    {
      title: 'Closings',
      description:
        'The latest closings of days, months or fiscal years, newest first: sums since the previous closing by rate and payment method, and totals over all time (`perpetual`). Amounts are integers in minor units.',
      inputSchema: only({
        period: z.enum(['day', 'month', 'year']).default('day'),
        size: z.int().min(1).max(31).default(7),
      }),
      annotations,
    },
    async ({ period, size }) => answer(() => tillgate.closings.list({ period, size })),
  )

  server.registerTool(
    'events_after',
    {
      title: 'Events after a sequence',
      description:
        'Events of the journal after a sequence, in order and in short form: which resource changed and how. Continue from `next` until it equals `head`. Begin at 0, or slightly below `head` for the latest.',
      inputSchema: only({ after: z.int().min(0).default(0), limit: z.int().min(1).max(100).default(50) }),
      annotations,
    },
    async ({ after, limit }) =>
      answer(async () => {
        const { data, meta } = await tillgate.eventsPage({ after, limit })
        const short = data.map(({ data: resource, ...event }) => {
          const { id: own, orderNumber, reportNumber, total, totalSales } = resource as Record<string, unknown>
          return { ...event, resource: defined({ id: own, orderNumber, reportNumber, total, totalSales }) }
        })
        return upToLength(short, meta)
      }),
  )

  server.registerTool(
    'webhook_health',
    {
      title: 'State of webhooks',
      description:
        'All webhooks visible to the key, with their delivery state, how far they are behind, and their latest failed attempts. Requires scope webhooks. Secrets are never returned.',
      inputSchema: only({}),
      annotations,
    },
    async () =>
      answer(async () => {
        const webhooks = []
        for await (const webhook of tillgate.webhooks.list()) {
          const failures = []
          for await (const attempt of tillgate.webhooks.deliveries(webhook.id, { outcome: 'failure', size: 3 })) {
            const { event, sentAt, status, errorClass, message, nextAttemptAt } = attempt
            if (failures.push({ event, sentAt, status, errorClass, message, nextAttemptAt }) === 3) break
          }
          webhooks.push({ ...webhook, status: await tillgate.webhooks.status(webhook.id), failures })
        }
        return { webhooks }
      }),
  )
}

/** Ends a page of events early if it is too long: `next` never skips an event that is not in `data`. */
function upToLength<Event extends { sequence: number }, Meta extends { next: number }>(data: Event[], meta: Meta) {
  let page = { data, meta }
  while (toJson(page).length > mostCharacters) {
    const last = page.data.at(-1)?.sequence
    const kept = page.data.filter(({ sequence }) => sequence !== last)
    const next = kept.at(-1)?.sequence
    if (next === undefined) break
    page = { data: kept, meta: { ...meta, next } }
  }
  return page
}

const periods = /^(total|day|week|month|weekday|hour|halfHour)(,(hour|halfHour))?$/

/** Whether rows are products, payments and so on, rather than periods. */
const isOfNames = (by: string | undefined) => by !== undefined && !periods.test(by)

type Row = { salesInclTax: number | null; discounts: number | null }

const bySales = (a: Row, b: Row) => (b.salesInclTax ?? b.discounts ?? 0) - (a.salesInclTax ?? a.discounts ?? 0)

/** Leaves out unset fields, because a present optional field must have a value. */
function defined<Given extends Record<string, unknown>>(
  given: Given,
): { [Name in keyof Given]: NonNullable<Given[Name]> } {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as { [Name in keyof Given]: NonNullable<Given[Name]> }
}
