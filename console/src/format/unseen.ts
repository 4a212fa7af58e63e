/**
 * Control characters, and those that one does not see or that turn the direction of writing. Of what others wrote they are spelled out,
 * so that nothing around it moves, and no terminal obeys it.
 */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
export const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
