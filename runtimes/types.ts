// Uses the installed client as a TypeScript project does. `npm run check -- client` compiles this file in each kind of project.
import { Tillgate, TillgateError, type CopyKey, type CopyStore, type Order, type TillgateEvent } from '@tillgate/client'

const tillgate = new Tillgate({ url: 'https://pos.example', key: 'tg_live_…' })

export async function total(): Promise<number> {
  let sum = 0
  for await (const order of tillgate.orders({ since: '2026-01-01' })) sum += order.total
  return sum
}

export function nameOf(event: TillgateEvent): string {
  if (event.type === 'order.paid') {
    const order: Order = event.data
    return order.orderNumber
  }
  return event.type
}

/** Does not compile if the client has a kind of key that is not handled here. */
export function tableOf(key: CopyKey): string {
  switch (key.kind) {
    case 'order':
    case 'report':
      return `${key.kind}s`
    default:
      return key.kind
  }
}

export const syncInto = (store: CopyStore) => tillgate.sync(store)

export const isMissing = (error: unknown): boolean => error instanceof TillgateError && error.code === 'order_not_found'
