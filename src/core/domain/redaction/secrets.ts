const secrets: [form: RegExp, shown: string][] = [
  // In a path they may be percent-encoded, and in a JSON Pointer a slash is `~1`.
  // API keys, mistyped ones too, signing secrets of webhooks, codes into the console, its sessions and the secrets of their pages.
  [/(tg_(?:live|test)_|whsec_|tg[cpsw]_)[\w+/=%~-]+/g, '$1***'],
  [/(https?:\/\/)[^/@\s"]*@/g, '$1***@'],
  [/([?&]password=)[^&\s"]*/gi, '$1***'],
]

/**
 * Strips the password of a database from a word, up to the last @: one that was not percent-encoded must not show
 * either. The @ is found first, since an expression that looks for it from every `postgres://` of a long text takes the
 * square of its length.
 */
function withoutPassword(word: string): string {
  const end = word.lastIndexOf('@')
  if (end === -1) return word
  return word.slice(0, end).replace(/(postgres(?:ql)?:\/\/[^:/@]*):.*/s, '$1:***') + word.slice(end)
}

/** Visible characters that are percent-encoded, once or several times over. */
const encoded = /%(?:25)*([2-7][\da-f])/gi

/** Decodes what of a text is visible and percent-encoded, a blank not: that is no part of a secret. */
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
 * Rewrites a text so that keys, codes, sessions, signing secrets and passwords show no more than what they are. A text that has
 * them percent-encoded comes back decoded.
 */
export function strikeOut(text: string): string {
  const shown = strikeOutPlain(text)
  if (!shown.includes('%')) return shown
  const decoded = decodeVisible(shown)
  const shownDecoded = strikeOutPlain(decoded)
  return shownDecoded === decoded ? shown : shownDecoded
}
