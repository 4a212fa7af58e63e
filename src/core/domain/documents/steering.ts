/**
 * Characters that control a terminal: control characters except tab and line break, including those above U+007F, and
 * marks that change the direction of text.
 */
// oxlint-disable-next-line no-control-regex -- these are what is struck out
export const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes `steering` characters in JSON, with the same meaning. JSON itself escapes only those below U+0020. */
export function escapeSteering(json: string): string {
  return json.replaceAll(steering, escape)
}
