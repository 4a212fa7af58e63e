type Node = Record<string, any>

const operations = (document: Node) =>
  Object.entries(document['paths'] as Node).flatMap(([path, methods]) =>
    Object.entries(methods as Node).map(([method, operation]) => ({ path, method, operation: operation as Node })),
  )

const parameters = (operation: Node): Node[] => operation['parameters'] ?? []

/** A schema with every component that it refers to written out in its place: a new name for the same shape breaks nothing. */
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

/** What a reader of answers relies on: fields that are there stay, with their type, and become neither rarer nor null. */
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

/** How a document of operations breaks what a released one promised (decisions 0014 and 0033), a sentence each. */
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
    for (const status of Object.keys(operation['responses'] as Node)) {
      if (status.startsWith('2') && !(status in now['responses']))
        faults.push(`${at} does not answer ${status} any more`)
    }
  }
  return faults
}
