import { Type, type Static } from 'typebox'
import { itemKinds } from '../../../core/contract/orders/schema.ts'
import { paymentKinds } from '../../../core/contract/money/payment-kinds-schema.ts'
import { Amount, Choice, closed, Count, Datetime, Minor, Nullable } from '../../../core/contract/scalars.ts'

// A sale and a closing as any system can write them: names and keys of its own instead of UUIDs, integers of the minor unit, and what
// the system itself says are its totals. `src/modules/sources/adapters/ticket/` makes the order and the report of them (docs/from-another-system.md).

/** In characters: a key becomes a part of an id, and a name is a name. */
const longest = 500

const Key = (description: string, examples: string[] = ['17']) =>
  Type.String({ minLength: 1, maxLength: longest, description, examples })

const Name = (examples: string[]) => Type.String({ maxLength: longest, examples })

const Named = (description: string, example: { key: string; name: string }) =>
  Type.Object(
    {
      key: Type.String({
        maxLength: longest,
        description: 'The system’s own id; what is not known has the empty key.',
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
    description: 'Slug of the system. It is in every id, so it never changes.',
    examples: ['mytill'],
  }),
  account: Key('The shop in that system: its keys mean something there only. It becomes `externalLocationId`.', [
    'shop-1',
  ]),
}

const TicketTax = Type.Object(
  {
    name: Name(['TVA 10 %']),
    key: Key('The system’s own id of the tax.', ['10']),
    rate: Amount({ description: 'A fraction: 0.1 is 10 %.', examples: [0.1] }),
    amount: Minor({ description: 'Tax of the whole line, in minor units.', examples: [100] }),
    mode: Choice(['included', 'added'] as const, {
      description: '`included`: `amount` of the item contains it. `added`: it comes on top, and is added to the item.',
      examples: ['included'],
    }),
  },
  { ...closed, title: 'TicketTax' },
)

const TicketDiscount = Type.Object(
  {
    name: Name(['Happy hour']),
    key: Type.Optional(Key('The system’s own id; the name when left out.')),
    amount: Minor({ description: 'Taken off, positive; of a refund negative.', examples: [150] }),
  },
  { ...closed, title: 'TicketDiscount' },
)

const TicketModifier = Type.Object(
  {
    group: Type.Optional(Named('The question that it answers.', { key: 'cuisson', name: 'Cuisson' })),
    key: Key('The system’s own id; the name where there is none.', ['Saignant']),
    name: Name(['Saignant']),
    amount: Type.Optional(Minor({ description: 'Price of one; it is in `amount` of the item too.', examples: [0] })),
    quantity: Type.Optional(Amount({ examples: [1] })),
  },
  { ...closed, title: 'TicketModifier' },
)

/** Units in which something is weighed: its quantity is its weight. */
export const weightUnits = ['kg', 'g', 'lb', 'oz'] as const

const TicketItem = Type.Object(
  {
    name: Name(['Entrecôte 300 g']),
    product: Type.Optional(Key('The system’s own id of the product; the name when left out.', ['1017'])),
    quantity: Amount({ description: 'Negative where it is given back.', examples: [1] }),
    unit: Type.Optional(Choice(['each', ...weightUnits] as const, { examples: ['each'] })),
    amount: Minor({
      description: 'Amount of the whole line: discounts taken off, included taxes in it, taxes on top not.',
      examples: [1100],
    }),
    taxes: Type.Optional(
      Type.Array(TicketTax, { maxItems: 20, description: 'Left out or empty: nobody said how it is taxed.' }),
    ),
    discounts: Type.Optional(Type.Array(TicketDiscount, { maxItems: 100 })),
    modifiers: Type.Optional(Type.Array(TicketModifier, { maxItems: 200 })),
    category: Type.Optional(Text('Category of the product.', 'Plats')),
    sub: Type.Optional(Text('Sub-category of the product.', 'Viandes')),
    tier: Type.Optional(Text('Name of the price type.', 'Sur place')),
    menu: Type.Optional(Key('Key of the menu of this ticket that it belongs to.')),
    kind: Type.Optional(Choice(itemKinds, { description: 'Left out, `sale`.', examples: ['sale'] })),
    state: Type.Optional(
      Choice(['canceled', 'loss'] as const, { description: 'It stays, and is in no sum.', examples: ['canceled'] }),
    ),
    reason: Type.Optional(Text('Why it was canceled or lost.', 'Dropped')),
  },
  { ...closed, title: 'TicketItem' },
)

const TicketMenu = Type.Object(
  {
    key: Key('Key of this menu on this ticket.', ['1']),
    product: Type.Optional(Key('The system’s own id of the menu.', ['formule-midi'])),
    name: Name(['Formule midi']),
    quantity: Amount({ examples: [1] }),
    amount: Minor({ description: 'Informative: the items of the menu have the amounts.', examples: [1990] }),
  },
  { ...closed, title: 'TicketMenu' },
)

const TicketPayment = Type.Object(
  {
    name: Name(['Carte bancaire']),
    key: Key('The system’s own id or type of the means of payment.', ['card']),
    kind: Type.Optional(Choice(paymentKinds, { examples: ['card'] })),
    amount: Minor({
      description: 'Without the tip and without change; negative where it was paid back.',
      examples: [1100],
    }),
    tip: Type.Optional(Minor({ description: 'Paid with it beside the amount.', examples: [0] })),
  },
  { ...closed, title: 'TicketPayment' },
)

const Said = Type.Object(
  {
    total: Type.Optional(Minor({ description: 'Taxes in it, tips and cash rounding not.', examples: [1100] })),
    tax: Type.Optional(Minor({ examples: [100] })),
    tips: Type.Optional(Minor({ examples: [0] })),
    payments: Type.Optional(Minor({ description: 'What was paid, without tips.', examples: [1100] })),
  },
  {
    ...closed,
    title: 'TicketSaid',
    description:
      'What the system itself states of the whole. A ticket whose items do not make it is refused with the difference: only these totals ' +
      'can show what a converter forgot.',
  },
)

export const Ticket = Type.Object(
  {
    ...sourceFields,
    key: Key('The system’s own id of the sale, check or refund. It becomes `externalOrderId`.', ['2026-0317']),
    version: Datetime({ description: 'When the system changed it last: the newest version counts.' }),
    opened: Datetime(),
    closed: Type.Optional(Nullable(Datetime(), { description: 'Left out or null while it is open.' })),
    device: Type.Optional(Named('The till that made it.', { key: '1', name: 'Caisse 1' })),
    operator: Type.Optional(Named('The person who served.', { key: '7', name: 'Camille' })),
    place: Type.Optional(Text('Table or place.', '12')),
    number: Type.Optional(Text('As it is printed.', '1042')),
    guests: Type.Optional(Count({ examples: [2] })),
    customer: Type.Optional(Text('The system’s own id of the customer.', '')),
    channel: Type.Optional(Text('Left out, `pos`.', 'pos')),
    service: Type.Optional(Text('Kind of service; left out, `eat_in`.', 'eat_in')),
    state: Type.Optional(Choice(['sale', 'canceled', 'training'] as const, { examples: ['sale'] })),
    reason: Type.Optional(Text('Why it was canceled.', '')),
    refundOf: Type.Optional(Key('Key of the ticket that this refund gives back.', ['2026-0316'])),
    closing: Type.Optional(Key('Key of the closing that it is in.', ['358'])),
    items: Type.Array(TicketItem, { maxItems: 5_000 }),
    menus: Type.Optional(Type.Array(TicketMenu, { maxItems: 500 })),
    discounts: Type.Optional(
      Type.Array(TicketDiscount, {
        maxItems: 100,
        description:
          'Discounts on the whole ticket, not yet taken off the items: shared out among them, each rate its share.',
      }),
    ),
    payments: Type.Array(TicketPayment, { maxItems: 500 }),
    rounding: Type.Optional(
      Minor({
        description: 'What cash was rounded by: total + rounding was paid. −2 where 12.02 became 12.00.',
        examples: [0],
      }),
    ),
    said: Type.Optional(Said),
  },
  { ...closed, title: 'Ticket' },
)

const ClosingSaid = Type.Object(
  {
    total: Minor({ description: 'Sales, taxes in it.', examples: [415_000] }),
    taxes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Name(['TVA 10 %']),
            rate: Amount({ examples: [0.1] }),
            amount: Minor({ examples: [37_727] }),
            base: Minor({ description: 'Without the tax.', examples: [377_273] }),
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
            key: Key('As the items of tickets have it.'),
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
        { ...closed, description: 'In the drawer at the start and at the close.' },
      ),
    ),
  },
  { ...closed, title: 'ClosingSaid', description: 'What the system states; what is left out is not stated.' },
)

export const Closing = Type.Object(
  {
    ...sourceFields,
    key: Key('The system’s own id of the closing.', ['358']),
    version: Type.Optional(Datetime({ description: 'When it was changed last; left out, `to`.' })),
    number: Type.Optional(Count({ examples: [358] })),
    device: Named('The till that made it.', { key: '1', name: 'Caisse 1' }),
    from: Datetime(),
    to: Datetime(),
    said: ClosingSaid,
    entries: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Name(['Fond de caisse']),
            amount: Minor({ examples: [15_000] }),
            type: Type.Optional(Text('As in a report: opening_float, cash_in, cash_out, …', 'opening_float')),
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
        { ...closed, description: 'The restaurant as it was printed.' },
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
