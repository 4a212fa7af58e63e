import { parseTree } from 'jsonc-parser'

/** The texts of the elements of `data`, each as it is stored. */
export function membersOfList(page: string): string[] {
  const root = parseTree(page)
  const member = root?.children?.find(({ children }) => children?.[0]?.value === 'data')
  return (member?.children?.[1]?.children ?? []).map(({ offset, length }) => page.slice(offset, offset + length))
}
