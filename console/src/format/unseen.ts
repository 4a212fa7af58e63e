/**
 * Control characters, invisible characters, and those that change the writing direction. Texts from others show them as
 * escapes, so that they affect neither the surrounding text nor a terminal.
 */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
export const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** More combining marks on one letter than any language needs: they would overwrite the lines above and below. */
const piled = /(\p{M}{4})(\p{M}+)/gu

const spelled = (character: string) => `⟨${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** Returns a text with invisible characters escaped, and a number in place of piled marks. */
export const spelledOut = (text: string): string =>
  text.replaceAll(unseen, spelled).replaceAll(piled, (_, few: string, rest: string) => `${few}⟨+${rest.length}⟩`)
