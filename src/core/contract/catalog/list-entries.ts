const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Cuts the text of a stored list into the texts of its entries. Stored JSON has no white space between its parts. */
export function listEntries(text: string): string[] {
  const entries: string[] = []
  let depth = 0
  let from = 1
  let isText = false
  for (let at = 1; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === backslash) at += 1
      else if (code === quote) isText = false
    } else if (code === quote) isText = true
    else if (code === openBrace || code === openBracket) depth += 1
    else if (code === closeBrace || code === closeBracket) depth -= 1
    else if (code === comma && depth === 0) {
      entries.push(text.slice(from, at))
      from = at + 1
    }
  }
  if (text.length > 2) entries.push(text.slice(from, -1))
  return entries
}

/** Returns the id with which an entry begins, in lower case. */
export const idOfEntry = (entry: string): string => (/^\{"id":"([^"]*)"/.exec(entry)?.[1] ?? '').toLowerCase()
