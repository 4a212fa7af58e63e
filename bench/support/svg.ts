/** Escapes text for SVG. */
export const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
