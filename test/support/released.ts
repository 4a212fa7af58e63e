type Node = Record<string, any>

const operations = (document: Node) =>
  Object.entries(document['paths'] as Node).flatMap(([path, methods]) =>
    Object.entries(methods as Node).map(([method, operation]) => ({ path, method, operation: operation as Node })),
  )

const parameters = (operation: Node): Node[] => operation['parameters'] ?? []

/** Returns a schema with every referenced component inlined: a new name for the same shape is not a breaking change. */
function writtenOut(document: Node, schema: Node): Node {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  if (name !== undefined) return writtenOut(document, document['components'].schemas[name])
  const properties = Object.entries((schema['properties'] ?? {}) as Node)
  return {
    ...schema,
    ...(schema['items'] ? { items: writtenOut(document, schema['items']) } : {}),
    ...(schema['properties']
      ? { properties: Object.fromEntries(properties.map(([key, child]) => [key, writtenOut(document, child)])) }
      : {}),
  }
}

/**
 * Checks the guarantees to readers of responses: existing fields stay, with their type, and become neither optional nor
 * null.
 */
function compareAnswer(before: Node, now: Node | undefined, at: string): string[] {
  if (now === undefined) return [`${at} went away`]
  const faults: string[] = []
  for (const name of ['type', 'format', 'const'] as const) {
    if (JSON.stringify(before[name]) !== JSON.stringify(now[name])) faults.push(`${at} changed its ${name}`)
  }
  const required: string[] = now['required'] ?? []
  for (const name of (before['required'] ?? []) as string[]) {
    if (!required.includes(name)) faults.push(`${at}/${name} may be absent now`)
  }
  const known = (before['properties'] ?? {}) as Node
  const properties = (now['properties'] ?? {}) as Node
  for (const [name, child] of Object.entries(known)) {
    faults.push(...compareAnswer(child, properties[name], `${at}/${name}`))
  }
  for (const [name, child] of Object.entries(properties)) {
    if (name in known) continue
    if (required.includes(name)) faults.push(`${at}/${name} is new and required: older documents do not have it`)
    if (child['x-since'] === undefined) faults.push(`${at}/${name} is new and does not say since when`)
  }
  if (before['items']) faults.push(...compareAnswer(before['items'], now['items'], `${at}[]`))
  return faults
}

type Side = 'answer' | 'request'

/** Compares two OpenAPI documents schema by schema, each pair once. */
class Comparison {
  readonly faults: string[] = []
  readonly #seen = new Set<string>()
  readonly #released: Node
  readonly #current: Node

  constructor(released: Node, current: Node) {
    this.#released = released
    this.#current = current
  }

  /** Reports what `now` lacks compared with `before`; for a request also newly required fields. */
  schemas(before: Node, now: Node | undefined, at: string, side: Side): void {
    if (now === undefined) return void this.faults.push(`${at} went away`)
    const refs = `${before['$ref']} ${now['$ref']} ${side}`
    if (before['$ref'] !== undefined && this.#seen.has(refs)) return
    this.#seen.add(refs)
    const [was, is] = [this.#follow(this.#released, before), this.#follow(this.#current, now)]
    for (const name of ['type', 'const'] as const)
      if (JSON.stringify(was[name]) !== JSON.stringify(is[name])) this.faults.push(`${at} changed its ${name}`)
    for (const value of (was['enum'] ?? []) as unknown[])
      if (is['enum'] && !is['enum'].includes(value)) this.faults.push(`${at} has no ${JSON.stringify(value)} any more`)
    const [required, needed]: [string[], string[]] = [was['required'] ?? [], is['required'] ?? []]
    if (side === 'answer')
      for (const name of required) if (!needed.includes(name)) this.faults.push(`${at}/${name} may be absent now`)
    if (side === 'request')
      for (const name of needed) if (!required.includes(name)) this.faults.push(`${at}/${name} is now required`)
    for (const [name, child] of Object.entries((was['properties'] ?? {}) as Node))
      this.schemas(child, is['properties']?.[name], `${at}/${name}`, side)
    if (was['items']) this.schemas(was['items'], is['items'], `${at}[]`, side)
    for (const kind of ['anyOf', 'oneOf', 'allOf'])
      for (const [i, one] of ((was[kind] ?? []) as Node[]).entries()) {
        const same = is[kind]?.find((other: Node) => one['$ref'] !== undefined && other['$ref'] === one['$ref'])
        this.schemas(one, same ?? is[kind]?.[i], `${at}/${kind}/${i}`, side)
      }
  }

  /** Compares contents by their media types. */
  contents(before: Node | undefined, now: Node | undefined, at: string, side: Side): void {
    for (const [type, { schema }] of Object.entries((before?.['content'] ?? {}) as Node)) {
      const there = now?.['content']?.[type]
      if (there === undefined) this.faults.push(`${at} is not ${type} any more`)
      else if (schema) this.schemas(schema, there.schema, at, side)
    }
  }

  #follow(document: Node, schema: Node): Node {
    const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
    return name === undefined ? schema : this.#follow(document, document['components'].schemas[name])
  }
}

/**
 * Lists what the current document lacks compared with a released one: operations, statuses, fields, values, media
 * types.
 */
function notContained(released: Node, current: Node): string[] {
  const found = new Comparison(released, current)
  for (const { path, method, operation } of operations(released)) {
    const now = current['paths'][path]?.[method] as Node | undefined
    if (now === undefined) continue
    const at = `${method.toUpperCase()} ${path}`
    for (const parameter of parameters(operation)) {
      const same = parameters(now).find(
        ({ in: where, name }) => where === parameter['in'] && name === parameter['name'],
      )
      if (same && parameter['schema']) {
        found.schemas(parameter['schema'], same['schema'], `${at} ${parameter['name']}`, 'request')
      }
    }
    found.contents(operation['requestBody'], now['requestBody'], `${at} body`, 'request')
    for (const [status, answer] of Object.entries(operation['responses'] as Node)) {
      const there = now['responses'][status]
      if (there === undefined) found.faults.push(`${at} does not answer ${status} any more`)
      else found.contents(answer, there, `${at} ${status}`, 'answer')
    }
  }
  for (const [name, { post }] of Object.entries((released['webhooks'] ?? {}) as Node)) {
    const now = current['webhooks']?.[name]?.post
    if (now === undefined) found.faults.push(`the event ${name} went away`)
    else found.contents(post['requestBody'], now['requestBody'], `the event ${name}`, 'answer')
  }
  return found.faults
}

/**
 * Lists how an OpenAPI document breaks the guarantees of a released one (decisions 0014 and 0033), one sentence each.
 */
export function brokenPromises(released: Node, current: Node): string[] {
  const stored = [
    'Order',
    'Report',
    'CatalogProduct',
    'CatalogModifierGroup',
    'CatalogPayment',
    'CatalogTax',
    'Location',
  ]
  const faults = stored.flatMap((name) => {
    const before = released['components'].schemas[name]
    const now = current['components'].schemas[name]
    return before ? compareAnswer(writtenOut(released, before), now && writtenOut(current, now), name) : []
  })
  for (const { path, method, operation } of operations(released)) {
    const now = current['paths'][path]?.[method] as Node | undefined
    const at = `${method.toUpperCase()} ${path}`
    if (!now) {
      faults.push(`${at} went away`)
      continue
    }
    const known = new Set(parameters(operation).map(({ in: where, name }) => `${where} ${name}`))
    for (const { in: where, name, required } of parameters(now)) {
      if (required === true && !known.has(`${where} ${name}`)) faults.push(`${at} asks for a new parameter ${name}`)
    }
    const names = new Set(parameters(now).map(({ in: where, name }) => `${where} ${name}`))
    for (const name of known) if (!names.has(name)) faults.push(`${at} does not take ${name} any more`)
  }
  return [...new Set([...faults, ...notContained(released, current)])]
}
