import { Type, type Static } from 'typebox'
import { itemKinds } from '../../../core/contract/orders/schema.ts'
import { paymentKinds } from '../../../core/contract/money/payment-kinds-schema.ts'
import { Amount, Choice, closed, Count, Datetime, Minor, Nullable } from '../../../core/contract/scalars.ts'

// A sale and a closing in a form that any system can write: its own names and keys instead of UUIDs, integers of the
// minor unit, and the system's own totals. `src/modules/sources/adapters/ticket/` makes the order and the report from
// them (docs/modules/from-another-system.md).

/** Maximum length of keys and names, in characters: a key becomes part of an id, and names are short. */
const longest = 500

const Key = (description: string, examples: string[] = ['17']) =>
  Type.String({ minLength: 1, maxLength: longest, description, examples })

const Name = (examples: string[]) => Type.String({ maxLength: longest, examples })

const Named = (description: string, example: { key: string; name: string }) =>
  Type.Object(
    {
      key: Type.String({
        maxLength: longest,
        description: 'Id in the other system; the empty key if unknown.',
      }),
      name: Type.Optional(Name([example.name])),
    },
    { ...closed, description, examples: [example] },
  )

const Text = (description: string, example: string) =>
  Type.String({ maxLength: longest, description, examples: [example] })

const sourceFields = {
  source: Type.String({
    pattern: '^[a-z0-9]+([-_.][a-z0-9]+)*$',
    'x-must': 'lower-case letters and digits, with single `-`, `_` or `.` between them',
    maxLength: 60,
    description: 'Slug of the point-of-sale system. It is part of every id, so it must not change.',
    examples: ['mytill'],
  }),
  account: Key('Id of the shop in the point-of-sale system; keys are unique in it. It becomes `externalLocationId`.', [
    'shop-1',
  ]),
}

const TicketTax = Type.Object(
  {
    name: Name(['TVA 10 %']),
    key: Key('Id of the tax in the system.', ['10']),
    rate: Amount({ description: 'A fraction: 0.1 is 10 %.', examples: [0.1] }),
    amount: Minor({ description: 'Tax of the line, in minor units.', examples: [100] }),
    mode: Choice(['included', 'added'] as const, {
      description: '`included`: contained in `amount` of the item. `added`: added to the item.',
      examples: ['included'],
    }),
  },
  { ...closed, title: 'TicketTax' },
)

const TicketDiscount = Type.Object(
  {
    name: Name(['Happy hour']),
    key: Type.Optional(Key('Id in the system; the name by default.')),
    amount: Minor({ description: 'Deducted amount, positive; negative for a refund.', examples: [150] }),
  },
  { ...closed, title: 'TicketDiscount' },
)

const TicketModifier = Type.Object(
  {
    group: Type.Optional(Named('Group of the modifier.', { key: 'cuisson', name: 'Cuisson' })),
    key: Key('Id in the system; the name if there is none.', ['Saignant']),
    name: Name(['Saignant']),
    amount: Type.Optional(
      Minor({ description: 'Price of one modifier, in minor units; included in `amount` of the item.', examples: [0] }),
    ),
    quantity: Type.Optional(Amount({ examples: [1] })),
  },
  { ...closed, title: 'TicketModifier' },
)

/** Units of weighed items: their quantity is their weight. */
export const weightUnits = ['kg', 'g', 'lb', 'oz'] as const

const TicketItem = Type.Object(
  {
    name: Name(['Entrecôte 300 g']),
    product: Type.Optional(Key('Id of the product in the system; the name by default.', ['1017'])),
    quantity: Amount({ description: 'Negative for a refund.', examples: [1] }),
    unit: Type.Optional(Choice(['each', ...weightUnits] as const, { examples: ['each'] })),
    amount: Minor({
      description: 'Amount of the line after discounts, with included taxes but without added taxes.',
      examples: [1100],
    }),
    taxes: Type.Optional(
      Type.Array(TicketTax, { maxItems: 20, description: 'Absent or empty if the tax is not stated.' }),
    ),
    discounts: Type.Optional(Type.Array(TicketDiscount, { maxItems: 100 })),
    modifiers: Type.Optional(Type.Array(TicketModifier, { maxItems: 200 })),
    category: Type.Optional(Text('Category of the product.', 'Plats')),
    sub: Type.Optional(Text('Sub-category of the product.', 'Viandes')),
    tier: Type.Optional(Text('Name of the price type.', 'Sur place')),
    menu: Type.Optional(Key('Key of its menu on this ticket.')),
    kind: Type.Optional(Choice(itemKinds, { description: '`sale` by default.', examples: ['sale'] })),
    state: Type.Optional(
      Choice(['canceled', 'loss'] as const, {
        description: 'A canceled item stays on the ticket, but is not in any sum.',
        examples: ['canceled'],
      }),
    ),
    reason: Type.Optional(Text('Reason of the cancellation or loss.', 'Dropped')),
  },
  { ...closed, title: 'TicketItem' },
)

const TicketMenu = Type.Object(
  {
    key: Key('Key of the menu on this ticket.', ['1']),
    product: Type.Optional(Key('Id of the menu in the system.', ['formule-midi'])),
    name: Name(['Formule midi']),
    quantity: Amount({ examples: [1] }),
    amount: Minor({ description: 'For information; the items of the menu have the amounts.', examples: [1990] }),
  },
  { ...closed, title: 'TicketMenu' },
)

const TicketPayment = Type.Object(
  {
    name: Name(['Carte bancaire']),
    key: Key('Id or type of the payment method in the system.', ['card']),
    kind: Type.Optional(Choice(paymentKinds, { examples: ['card'] })),
    amount: Minor({
      description: 'Without tip and change; negative for a refund.',
      examples: [1100],
    }),
    tip: Type.Optional(Minor({ description: 'Tip paid in addition to the amount.', examples: [0] })),
  },
  { ...closed, title: 'TicketPayment' },
)

const Said = Type.Object(
  {
    total: Type.Optional(Minor({ description: 'With taxes, without tips and cash rounding.', examples: [1100] })),
    tax: Type.Optional(Minor({ examples: [100] })),
    tips: Type.Optional(Minor({ examples: [0] })),
    payments: Type.Optional(Minor({ description: 'Amount paid, without tips.', examples: [1100] })),
  },
  {
    ...closed,
    title: 'TicketSaid',
    description:
      'Totals stated by the point-of-sale system. A ticket whose items do not match is refused with the difference: only these totals ' +
      'can reveal mistakes of a converter.',
  },
)

export const Ticket = Type.Object(
  {
    ...sourceFields,
    key: Key('Id of the sale, check or refund in the system. It becomes `externalOrderId`.', ['2026-0317']),
    version: Datetime({ description: 'Time of the last change in the system; the newest version counts.' }),
    opened: Datetime(),
    closed: Type.Optional(Nullable(Datetime(), { description: 'Absent or null while it is open.' })),
    device: Type.Optional(Named('Till of the ticket.', { key: '1', name: 'Caisse 1' })),
    operator: Type.Optional(Named('Operator who served.', { key: '7', name: 'Camille' })),
    place: Type.Optional(Text('Table or place.', '12')),
    number: Type.Optional(Text('Number as printed.', '1042')),
    guests: Type.Optional(Count({ examples: [2] })),
    customer: Type.Optional(Text('Id of the customer in the system.', '')),
    channel: Type.Optional(Text('`pos` by default.', 'pos')),
    service: Type.Optional(Text('Service type; `eat_in` by default.', 'eat_in')),
    state: Type.Optional(Choice(['sale', 'canceled', 'training'] as const, { examples: ['sale'] })),
    reason: Type.Optional(Text('Reason of the cancellation.', '')),
    refundOf: Type.Optional(Key('Key of the refunded ticket.', ['2026-0316'])),
    closing: Type.Optional(Key('Key of the closing that contains it.', ['358'])),
    items: Type.Array(TicketItem, { maxItems: 5_000 }),
    menus: Type.Optional(Type.Array(TicketMenu, { maxItems: 500 })),
    discounts: Type.Optional(
      Type.Array(TicketDiscount, {
        maxItems: 100,
        description:
          'Discounts on the whole ticket that are not yet deducted from the items; they are distributed over the items, in proportion per rate.',
      }),
    ),
    payments: Type.Array(TicketPayment, { maxItems: 500 }),
    rounding: Type.Optional(
      Minor({
        description: 'Cash rounding: the amount paid is total + rounding; −2 if 12.02 became 12.00.',
        examples: [0],
      }),
    ),
    said: Type.Optional(Said),
  },
  { ...closed, title: 'Ticket' },
)

const ClosingSaid = Type.Object(
  {
    total: Minor({ description: 'Sales, including taxes.', examples: [415_000] }),
    taxes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Name(['TVA 10 %']),
            rate: Amount({ examples: [0.1] }),
            amount: Minor({ examples: [37_727] }),
            base: Minor({ description: 'Amount without tax.', examples: [377_273] }),
          },
          closed,
        ),
        { maxItems: 100 },
      ),
    ),
    payments: Type.Optional(
      Type.Array(Type.Object({ name: Name(['Espèces']), amount: Minor() }, closed), { maxItems: 500 }),
    ),
    products: Type.Optional(
      Type.Array(
        Type.Object(
          {
            key: Key('Key used by the items of tickets.'),
            name: Name(['Entrecôte 300 g']),
            category: Type.Optional(Name(['Plats'])),
            sub: Type.Optional(Name(['Viandes'])),
            quantity: Count({ examples: [12] }),
            amount: Minor(),
          },
          closed,
        ),
        { maxItems: 20_000 },
      ),
    ),
    discounts: Type.Optional(Type.Array(TicketDiscount, { maxItems: 500 })),
    guests: Type.Optional(Count({ examples: [212] })),
    cash: Type.Optional(
      Type.Object(
        { initial: Minor({ examples: [15_000] }), final: Minor({ examples: [48_350] }) },
        { ...closed, description: 'Cash in the drawer at the start and at closing.' },
      ),
    ),
  },
  { ...closed, title: 'ClosingSaid', description: 'Figures stated by the point-of-sale system; absent if not stated.' },
)

export const Closing = Type.Object(
  {
    ...sourceFields,
    key: Key('Id of the closing in the system.', ['358']),
    version: Type.Optional(Datetime({ description: 'Time of the last change; `to` by default.' })),
    number: Type.Optional(Count({ examples: [358] })),
    device: Named('Till of the closing.', { key: '1', name: 'Caisse 1' }),
    from: Datetime(),
    to: Datetime(),
    said: ClosingSaid,
    entries: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Name(['Fond de caisse']),
            amount: Minor({ examples: [15_000] }),
            type: Type.Optional(Text('Type as in a report: opening_float, cash_in, cash_out, …', 'opening_float')),
          },
          closed,
        ),
        { maxItems: 1_000 },
      ),
    ),
    tickets: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: longest }), {
        maxItems: 10_000,
        description: 'Keys of the tickets in it.',
      }),
    ),
    header: Type.Optional(
      Type.Object(
        Object.fromEntries(
          ['name', 'address', 'zip', 'city', 'country', 'phone', 'siret', 'naf', 'vat', 'url', 'text'].map((name) => [
            name,
            Type.Optional(Type.String({ maxLength: 1_000 })),
          ]),
        ) as Record<HeaderName, ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>>>,
        { ...closed, description: 'Restaurant details as printed.' },
      ),
    ),
  },
  { ...closed, title: 'Closing' },
)

type HeaderName = 'name' | 'address' | 'zip' | 'city' | 'country' | 'phone' | 'siret' | 'naf' | 'vat' | 'url' | 'text'

export type Ticket = Static<typeof Ticket>
export type TicketItem = Static<typeof TicketItem>
export type TicketPayment = Static<typeof TicketPayment>
export type Closing = Static<typeof Closing>
