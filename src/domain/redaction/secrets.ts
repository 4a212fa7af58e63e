const secrets: [form: RegExp, shown: string][] = [
  // API keys, mistyped ones too, signing secrets of webhooks, codes into the console, its sessions and the secrets of their pages.
  [/(tg_(?:live|test)_|whsec_|tg[cpsw]_)[\w+/=-]+/g, '$1***'],
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

/** Rewrites a text so that keys, codes, sessions, signing secrets and passwords show no more than what they are. */
export function strikeOut(text: string): string {
  let shown = text.replaceAll(/[^\s"]+/g, withoutPassword)
  for (const [form, replacement] of secrets) shown = shown.replace(form, replacement)
  return shown
}
