/** Text as SVG takes it. */
export const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
