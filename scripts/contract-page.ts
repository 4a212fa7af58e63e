// Writes docs/contract/README.md, and the table of operations in the root README.md, from openapi.json and the routes.
// `npm run make -- openapi` runs it.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Schema = { $ref?: string; type?: string; items?: Schema }
type Parameter = { name: string; in: string }
type Operation = {
  operationId: string
  summary: string
  'x-contract'?: true
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** An operation of the specification, as described by the application. */
type Contract = Operation & { method: string; path: string; answer: string; file: string }

const nameOf = ({ $ref, items }: Schema): string => $ref?.split('/').at(-1) ?? (items ? `${nameOf(items)}[]` : 'object')

function fileOf({ operationId }: Operation, path: string): string {
  const files = globSync('src/**/*.ts', { cwd: root })
  const found = files.find((file) => {
    const text = read(file)
    return text.includes('contract: true') && (text.includes(`'${operationId}'`) || text.includes(`'${path}'`))
  })
  if (found === undefined) throw new Error(`no route of ${operationId}`)
  return found
}

/** Lists the operations of the specification, in the order of the document. */
export function contractOperations(): Contract[] {
  const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (operation['x-contract'] !== true) return []
      const [answer] = Object.values(operation.responses['200']?.content ?? {}).map(({ schema }) => nameOf(schema))
      const made = { method: method.toUpperCase(), path, answer: answer ?? '', file: fileOf(operation, path) }
      return { ...operation, ...made }
    }),
  )
}

/** Returns one row per path, with all its operations. */
function tableOf(
  operations: readonly Contract[],
  columns: Record<string, (of: readonly Contract[]) => string>,
): string {
  const rows = [...Map.groupBy(operations, ({ path }) => path).values()].map(
    (of) => `| ${Object.values(columns).map((cell) => cell(of)).join(' | ')} |`, // prettier-ignore
  )
  const names = Object.keys(columns)
  return [`| ${names.join(' | ')} |`, `|${names.map(() => '---').join('|')}|`, ...rows].join('\n')
}

const once = (values: readonly string[]) => [...new Set(values)].join('; ')

const path = (of: readonly Contract[]) => `${of.map(({ method }) => `\`${method}\``).join(' ')} \`${of[0]?.path}\``
const does = (of: readonly Contract[]) => once(of.map(({ summary }) => summary))
const parameters = (of: readonly Contract[]) =>
  once(of.flatMap((one) => (one.parameters ?? []).filter((of) => of.in !== 'header').map(({ name }) => `\`${name}\``))) // prettier-ignore

export const readmeTable = (): string => tableOf(contractOperations(), { Path: path, Operation: does })

export function contractPage(): string {
  const operations = contractOperations()
  const table = tableOf(operations, {
    Path: path,
    Summary: does,
    Parameters: (of) => parameters(of).replaceAll('; ', ', '),
    'Schema of the answer': (of) => once(of.map(({ answer }) => `\`${answer}\``)),
    Route: (of) => once(of.map(({ file }) => `[\`${file.split('/').at(-1)}\`](../../${file})`)),
  })
  return `# The contract

For people who integrate with Tillgate, and for people who change it. This page lists the operations that every installation
has, with any set of modules, and the code that implements them.

The specification has ${operations.length} operations at ${new Set(operations.map((one) => one.path)).size} paths. In \`openapi.json\` they have the tag \`Contract\` and \`x-contract: true\`. All other
operations are additions, and so are parameters that the specification does not name.

${table}

[The specification](specification.md) has the numbered rules. [Conformance](conformance.md) names the tests of each rule. The
[decisions](../decisions/README.md) settle what the specification leaves open.

<!-- \`npm run make -- openapi\` writes this page. -->
`
}

const markers = /(<!-- contract -->\n)[^]*?(<!-- \/contract -->)/

/** Returns README.md with its table updated. */
export const readmeWithTable = (): string =>
  read('README.md').replace(markers, (_, a, b) => `${a}\n${readmeTable()}\n\n${b}`)

if (import.meta.main) {
  writeFileSync(join(root, 'docs/contract/README.md'), contractPage())
  writeFileSync(join(root, 'README.md'), readmeWithTable())
}
