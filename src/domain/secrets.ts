const secrets: [form: RegExp, shown: string][] = [
  // API keys, mistyped ones too, signing secrets of webhooks, codes into the console and its sessions.
  [/(tg_(?:live|test)_|whsec_|tg[cs]_)[\w+/=-]+/g, '$1***'],
  // Up to the last @: a password that was not percent-encoded must not show either.
  [/(postgres(?:ql)?:\/\/[^:/@\s"]*):[^\s"]*@/g, '$1:***@'],
  [/(https?:\/\/)[^/@\s"]*@/g, '$1***@'],
  [/([?&]password=)[^&\s"]*/gi, '$1***'],
]

/** A text in which keys, codes, sessions, signing secrets and passwords show no more than what they are. */
export function strikeOut(text: string): string {
  let shown = text
  for (const [form, replacement] of secrets) shown = shown.replace(form, replacement)
  return shown
}
