/**
 * Matches what a terminal obeys instead of showing it: control characters but tab and line break, those above U+007F
 * too, and the marks that turn the direction of text.
 */
// oxlint-disable-next-line no-control-regex -- these are what is struck out
export const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes these characters in JSON, which reads as it was. JSON itself escapes those below U+0020 only. */
export function escapeSteering(json: string): string {
  return json.replaceAll(steering, escape)
}
