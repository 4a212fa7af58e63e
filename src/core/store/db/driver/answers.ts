/**
 * A statement received the answer to another statement: an answer came twice or was lost, so all later answers on the
 * connection are shifted. Whether the statement took effect is unknown; `isUnavailable` recognizes this error.
 */
export class AnswerOfAnother extends Error {
  override readonly name = 'AnswerOfAnother'
  readonly code = 'ANSWER_OF_ANOTHER'

  constructor(command: string) {
    super(`the database gave a statement the answer of another one: ${command || 'nothing'}`)
  }
}

/**
 * The commands with which PostgreSQL may answer statements that begin with these words; other statements are answered
 * with their first word.
 */
const commands: Readonly<Record<string, readonly string[]>> = {
  WITH: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'],
  VALUES: ['SELECT'],
  TABLE: ['SELECT'],
  CREATE: ['CREATE', 'SELECT'],
  // The caller of COMMIT checks the answer.
  COMMIT: ['COMMIT', 'ROLLBACK'],
}

/** Returns the possible commands in the answer to a statement; undefined for a text without a statement. */
export function commandsOf(text: string): readonly string[] | undefined {
  const word = /[a-z]+/i.exec(text.replaceAll(/--.*|\/\*[^]*?\*\//g, ''))?.[0].toUpperCase()
  return word === undefined ? undefined : (commands[word] ?? [word])
}

/** Returns why a command is not one of those expected; undefined if it is one. */
export function faultOfAnswer(
  expected: readonly string[] | undefined,
  command: string | null,
): AnswerOfAnother | undefined {
  const given = command?.split(' ', 1)[0] ?? ''
  return expected === undefined || expected.includes(given) ? undefined : new AnswerOfAnother(given)
}
