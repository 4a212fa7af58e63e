import { hash } from 'node:crypto'

/** A JSON Schema, or any other object of the OpenAPI document. */
export type Json = { [name: string]: any }

/** Refers to a component by its title. */
export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** Returns whether a part of the document is an object or an array. */
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Returns the schema as text, without the members that may differ by place. */
function shapeOf(schema: Json): string {
  const { description: _, examples: __, $id: ___, ...shape } = schema
  return JSON.stringify(shape)
}

/**
 * Converts a schema to the forms that client generators read: null beside an enum instead of in it, and a single value
 * as an enum of one. Both mean the same in JSON Schema.
 */
export function inUsualForms(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inUsualForms)
  if (!isObject(schema)) return schema
  const usual: Json = Object.fromEntries(Object.entries(schema).map(([key, child]) => [key, inUsualForms(child)]))
  if (typeof usual['const'] === 'string' && usual['enum'] === undefined) return { ...usual, enum: [usual['const']] }
  if (!Array.isArray(usual['enum']) || !usual['enum'].includes(null)) return usual
  const { type, enum: values, ...rest } = usual
  const ofValues = [type].flat().find((name) => name !== 'null')
  return {
    ...rest,
    anyOf: [{ type: ofValues, enum: values.filter((value: unknown) => value !== null) }, { type: 'null' }],
  }
}

/**
 * Moves every schema with a title to the components and leaves a reference to it, so that generated clients have one
 * type per title instead of one per place. If the component of that name has another shape, the schema gets the name
 * with `prefix`; if there is no prefix, it stays in its place. Descriptions of the place stay there.
 */
export class Components {
  readonly schemas: Json

  constructor(schemas: Json) {
    this.schemas = schemas
  }

  /** Returns the schema with references in place of its named parts. `own` names the component of the schema itself. */
  nameParts(schema: unknown, prefix = '', own?: string): any {
    if (Array.isArray(schema)) return schema.map((part) => this.nameParts(part, prefix))
    if (!isObject(schema)) return schema
    const children = Object.entries(schema).map(([key, child]) => [key, this.nameParts(child, prefix)])
    const named = Object.fromEntries(children) as Json
    const { title } = named
    const isNamed = typeof title === 'string' && title !== own && typeof named['type'] === 'string'
    return isNamed ? this.#place(title, named, prefix) : named
  }

  /**
   * Makes the schema a component under its title and returns a reference to it. If the title belongs to another shape,
   * the prefix is put before it; if that name is taken too, the schema stays in its place.
   */
  #place(title: string, schema: Json, prefix: string): Json {
    for (const name of prefix === '' ? [title] : [title, prefix + title]) {
      const component = (this.schemas[name] ??= { ...schema, title: name }) as Json
      if (shapeOf({ ...component, title: name }) !== shapeOf({ ...schema, title: name })) continue
      const { description } = schema
      return {
        ...refTo(name),
        ...(description !== undefined && description !== component['description'] ? { description } : {}),
      }
    }
    return schema
  }
}

/** Maps the fields with ids to the components that they identify, so that all ids of a thing have the same example. */
const sameId: Record<string, string> = {
  locationId: 'Location',
  reportId: 'Report',
  deviceId: 'Device',
  taxCatalogId: 'CatalogTax',
  paymentCatalogId: 'CatalogPayment',
  itemCatalogId: 'CatalogProduct',
  productCatalogId: 'CatalogProduct',
  webhookId: 'Webhook',
}

/** Makes a UUID that is always the same for a name. */
function exampleId(name: string): string {
  const digits = hash('sha256', name)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** Gives different example ids to the ids of different things in a component. */
export function distinguishIds(schema: unknown, component: string, property = ''): void {
  if (!isObject(schema)) return
  if (schema['format'] === 'uuid' && schema['examples'] !== undefined) {
    const of = property === 'id' ? component : (sameId[property] ?? property)
    schema['examples'] = [schema['examples'][0] === null ? null : exampleId(of.replace(/^Pushed/, ''))]
  }
  for (const [key, child] of Object.entries(schema)) {
    if (key === 'examples') continue
    if (key === 'properties')
      for (const [name, part] of Object.entries(child as Json)) distinguishIds(part, component, name)
    else distinguishIds(child, component, property)
  }
}
