// Compiled against the types that openapi-typescript generates: names, enums and nulls are those a new user expects.
import type { components, operations, paths } from './generated/openapi-typescript.ts'

type Schemas = components['schemas']
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const holds = <_Claim extends true>() => {}

holds<Same<Schemas['Order']['closedAt'], string | null>>()
holds<Same<Schemas['Order']['items'], Schemas['OrderItem'][]>>()
holds<Same<Schemas['OrderItem']['tax'], Schemas['ItemTax']>>()
holds<Same<Schemas['Order']['payments'][number]['paymentAmount'], number>>()
holds<Same<Schemas['Webhook']['events'][number], Schemas['EventType']>>()
holds<Same<operations['listOrders']['responses'][200]['content']['application/json'], Schemas['OrderPage']>>()
holds<Same<paths['/v1/orders/{id}']['get']['parameters']['path']['id'], string>>()
holds<'order.paid' extends Schemas['EventType'] ? true : false>()
holds<'order_not_found' extends Schemas['Problem']['code'] ? true : false>()

/** The type of an event determines the type of its data. */
export function totalOf(event: Schemas['Event']): number {
  return event.type === 'order.paid' ? event.data.total : 0
}
