/** Texts with which a till, a receiver or a partner could attack a page. */
export const hostile: readonly string[] = [
  '<img src=x onerror="globalThis.ran=1">',
  '"><script>globalThis.ran=1</script>',
  'javascript:globalThis.ran=1',
  '\u202eevil\u202c \u2066turned\u2069',
  'a'.repeat(5000),
  ']]>--><svg onload=globalThis.ran=1>',
  '{{constructor.constructor("globalThis.ran=1")()}}',
  'ﷺ'.repeat(200),
]
