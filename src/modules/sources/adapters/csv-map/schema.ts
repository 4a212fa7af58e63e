import { Type, type Static } from 'typebox'
import { itemKinds } from '../../../../core/contract/orders/schema.ts'
import { paymentKinds } from '../../../../core/contract/money/payment-kinds-schema.ts'
import { Choice, closed } from '../../../../core/contract/scalars.ts'

// The map of a CSV: the meaning of its columns. It has no expressions; other formats need code
// (docs/modules/from-another-system.md).

const Column = Type.String({ minLength: 1, maxLength: 200, description: 'Name of a column.' })

/** A cell: a column, several joined by a space, a constant, a column with a table of values, or the date of a time. */
const Cell = Type.Union([
  Column,
  Type.Array(
    Type.Union([
      Column,
      Type.Object({ column: Column, as: Type.Literal('date') }, closed),
      Type.Object({ value: Type.String() }, closed),
    ]),
    { minItems: 1, maxItems: 5 },
  ),
  Type.Object({ value: Type.String() }, closed),
  Type.Object({ column: Column, values: Type.Record(Type.String(), Type.String()) }, closed),
  Type.Object({ column: Column, as: Type.Literal('date') }, closed),
])

/** A test of a cell: true if the cell has this text, or one of these texts. */
const Test = Type.Object(
  { column: Column, is: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]) },
  closed,
)

const Split = Type.Object({ column: Column, split: Type.String({ minLength: 1 }) }, closed)

const File = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Name of the file, or a pattern with `*`.' }),
    encoding: Type.Optional(Choice(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const)),
    rows: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Singer records only: a list in the record, such as `line_items`. Each element becomes a row with the fields of its record.',
      }),
    ),
    delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
    fill: Type.Optional(
      Type.Boolean({
        description:
          'An empty cell in a column shared by the lines of a sale, such as its key, repeats the line above.',
      }),
    ),
    leave: Type.Optional(
      Type.Array(Test, { description: 'Lines that are not sales, such as totals; counted as skipped.' }),
    ),
  },
  closed,
)

const FileName = Type.String({ description: 'A name from `files`.' })

const Tax = Type.Object(
  {
    rate: Type.Optional(Cell),
    amount: Type.Optional(Cell),
    name: Type.Optional(Type.String({ description: '`{}` is replaced with the rate as written.' })),
    included: Type.Boolean({ description: 'Whether `total` of the item includes the tax.' }),
  },
  closed,
)

const Item = Type.Object(
  {
    name: Cell,
    product: Type.Optional(Cell),
    quantity: Type.Optional(Cell),
    unit: Type.Optional(Cell),
    total: Type.Optional(Cell),
    price: Type.Optional(Cell),
    category: Type.Optional(Cell),
    sub: Type.Optional(Cell),
    tier: Type.Optional(Cell),
    canceled: Type.Optional(Test),
    loss: Type.Optional(Test),
    kind: Type.Optional(Type.Object({ column: Column, values: Type.Record(Type.String(), Choice(itemKinds)) }, closed)),
    modifiers: Type.Optional(Split),
    discount: Type.Optional(Type.Object({ amount: Cell, name: Type.Optional(Cell) }, closed)),
    tax: Type.Optional(Tax),
  },
  closed,
)

const Payments = Type.Object(
  {
    from: FileName,
    columns: Type.Optional(Type.Array(Column, { minItems: 1, description: 'One column per payment method.' })),
    name: Type.Optional(Cell),
    key: Type.Optional(Cell),
    amount: Type.Optional(Cell),
    kinds: Type.Optional(Type.Record(Type.String(), Choice(paymentKinds))),
    tip: Type.Optional(
      Type.Object(
        { amount: Cell, in: Type.Optional(Type.String({ description: 'Payment that includes the tip.' })) },
        closed,
      ),
    ),
    leave: Type.Optional(Type.Array(Test)),
  },
  closed,
)

const Order = Type.Object(
  {
    from: FileName,
    key: Type.Array(Type.Union([Column, Type.Object({ column: Column, as: Type.Literal('date') }, closed)]), {
      minItems: 1,
      description: 'Columns that identify a sale; a number that restarts each day needs the date too.',
    }),
    number: Type.Optional(Cell),
    opened: Cell,
    closed: Type.Optional(Cell),
    version: Type.Optional(Cell),
    place: Type.Optional(Cell),
    guests: Type.Optional(Cell),
    operator: Type.Optional(Cell),
    device: Type.Optional(Cell),
    customer: Type.Optional(Cell),
    channel: Type.Optional(Cell),
    service: Type.Optional(Cell),
    negative: Type.Optional(Test),
    canceled: Type.Optional(Test),
    training: Type.Optional(Test),
    closing: Type.Optional(Cell),
    total: Type.Optional(Cell),
    item: Item,
    payments: Type.Optional(Payments),
  },
  closed,
)

const Report = Type.Object(
  {
    from: FileName,
    key: Type.Array(Type.Union([Column, Type.Object({ column: Column, as: Type.Literal('date') }, closed)]), {
      minItems: 1,
    }),
    number: Type.Optional(Cell),
    device: Type.Optional(Cell),
    opened: Cell,
    closed: Cell,
    total: Cell,
    guests: Type.Optional(Cell),
    taxes: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String(), rate: Type.Number(), amount: Cell, base: Type.Optional(Cell) }, closed),
      ),
    ),
    payments: Type.Optional(Type.Object({ columns: Type.Array(Column, { minItems: 1 }) }, closed)),
    cash: Type.Optional(Type.Object({ initial: Cell, final: Cell }, closed)),
  },
  closed,
)

export const CsvMap = Type.Object(
  {
    map: Type.Literal(1),
    source: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]+([-_.][a-z0-9]+)*$',
        'x-must': 'lower-case letters and digits, with single `-`, `_` or `.` between them',
        maxLength: 60,
      }),
    ),
    times: Type.Object(
      {
        format: Type.String({
          minLength: 4,
          maxLength: 60,
          description:
            'Composed of `YYYY YY MM M DD D HH H mm ss`, in the local time of the shop; `MMM` and `MMMM` are names of months, `hh` or `h` with `A` hours ' +
            'with AM and PM, `Z` an offset, `z` the name of the zone; or `ISO 8601` for times with their offset.',
        }),
      },
      closed,
    ),
    numbers: Type.Object(
      {
        decimal: Choice(['.', ','] as const),
        groups: Type.Optional(Type.String({ maxLength: 1 })),
        minor: Type.Optional(
          Type.Boolean({ description: 'Amounts in minor units of ISO 4217: 1250 is 12.50, or 1250 yen.' }),
        ),
      },
      closed,
    ),
    files: Type.Record(Type.String(), File),
    order: Order,
    report: Type.Optional(Report),
  },
  { ...closed, title: 'CsvMap' },
)

export type CsvMap = Static<typeof CsvMap>
export type Cell = Static<typeof Cell>
export type Test = Static<typeof Test>
export type FileMap = Static<typeof File>
