import { parseTree, type Node } from 'jsonc-parser'

/** One changed field: its path, and the stored texts. Null if it is missing. */
export type FieldChange = { path: string; before: string | null; after: string | null }

const rawOf = (text: string, node: Node) => text.slice(node.offset, node.offset + node.length)

function childrenOf(node: Node): Map<string, Node> {
  const children = new Map<string, Node>()
  for (const [place, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') children.set(`[${place}]`, child)
    const [key, value] = child.children ?? []
    if (node.type === 'object' && key !== undefined && value !== undefined) children.set(String(key.value), value)
  }
  return children
}

const join = (path: string, name: string) =>
  path === '' || name.startsWith('[') ? `${path}${name}` : `${path}.${name}`

/** Returns the fields in which two JSON texts differ, such as `items[0].tax`, as written: 1.5 and 1.50 differ. */
export function changesBetween(before: string, after: string): FieldChange[] {
  const changes: FieldChange[] = []
  const compare = (old: Node | undefined, now: Node | undefined, path: string): void => {
    if (old !== undefined && now !== undefined) {
      if (rawOf(before, old) === rawOf(after, now)) return
      const isInner = old.type === now.type && (old.type === 'object' || old.type === 'array')
      if (isInner) {
        const olds = childrenOf(old)
        const news = childrenOf(now)
        for (const name of new Set([...olds.keys(), ...news.keys()]))
          compare(olds.get(name), news.get(name), join(path, name))
        return
      }
    }
    changes.push({
      path,
      before: old === undefined ? null : rawOf(before, old),
      after: now === undefined ? null : rawOf(after, now),
    })
  }
  compare(parseTree(before), parseTree(after), '')
  return changes
}

/** Returns the stored text of a member of each element of a list, without the elements that lack it. */
export function membersOf(list: string, name: string): string[] {
  return (parseTree(list)?.children ?? []).flatMap((element) => {
    const member = childrenOf(element).get(name)
    return member === undefined ? [] : [rawOf(list, member)]
  })
}

/** Returns the texts of the elements of `data` of a page, as stored. */
export function elementsOf(page: string): string[] {
  const root = parseTree(page)
  const data = root === undefined ? undefined : childrenOf(root).get('data')
  return (data?.children ?? []).map((element) => rawOf(page, element))
}
