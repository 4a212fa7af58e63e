const secrets: [form: RegExp, shown: string][] = [
  // API keys (even mistyped ones), signing secrets of webhooks, console codes, sessions and the secrets of their pages.
  // In a path they may be percent-encoded, and in a JSON Pointer a slash is `~1`.
  [/(tg_(?:live|test)_|whsec_|tg[cpsw]_)[\w+/=%~-]+/g, '$1***'],
  [/(https?:\/\/)[^/@\s"]*@/g, '$1***@'],
  [/([?&]password=)[^&\s"]*/gi, '$1***'],
]

/**
 * Hides the password of a database in a word, up to the last @, since the password may not be percent-encoded. The
 * @ is found first: an expression that searches for it from every `postgres://` of a long text takes quadratic time.
 */
function withoutPassword(word: string): string {
  const end = word.lastIndexOf('@')
  if (end === -1) return word
  return word.slice(0, end).replace(/(postgres(?:ql)?:\/\/[^:/@]*):.*/s, '$1:***') + word.slice(end)
}

/** Visible characters that are percent-encoded, once or repeatedly. */
const encoded = /%(?:25)*([2-7][\da-f])/gi

/** Decodes visible percent-encoded characters; a space stays, since it is not part of a secret. */
function decodeVisible(text: string): string {
  return text.replaceAll(encoded, (code, hex: string) =>
    /20|7f/i.test(hex) ? code : String.fromCharCode(parseInt(hex, 16)),
  )
}

function strikeOutPlain(text: string): string {
  let shown = text.replaceAll(/[^\s"]+/g, withoutPassword)
  for (const [form, replacement] of secrets) shown = shown.replace(form, replacement)
  return shown
}

/**
 * Replaces keys, codes, sessions, signing secrets and passwords in a text with their kind. A text that contains them
 * percent-encoded is returned decoded.
 */
export function strikeOut(text: string): string {
  const shown = strikeOutPlain(text)
  if (!shown.includes('%')) return shown
  const decoded = decodeVisible(shown)
  const shownDecoded = strikeOutPlain(decoded)
  return shownDecoded === decoded ? shown : shownDecoded
}
