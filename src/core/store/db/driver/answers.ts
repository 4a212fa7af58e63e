/**
 * A connection gave the answer of another statement: one came twice, or was lost, and those behind it are out of step.
 * Nobody knows what became of the statement; `isUnavailable` recognises it.
 */
export class AnswerOfAnother extends Error {
  override readonly name = 'AnswerOfAnother'
  readonly code = 'ANSWER_OF_ANOTHER'

  constructor(command: string) {
    super(`the database gave a statement the answer of another one: ${command || 'nothing'}`)
  }
}

/** Commands by which PostgreSQL may answer what begins with these words; all else is answered with its first word. */
const commands: Readonly<Record<string, readonly string[]>> = {
  WITH: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'],
  VALUES: ['SELECT'],
  TABLE: ['SELECT'],
  CREATE: ['CREATE', 'SELECT'],
  // Whoever commits looks at the answer.
  COMMIT: ['COMMIT', 'ROLLBACK'],
}

/** Returns the commands that are an answer to a statement; undefined for a text without one. */
export function commandsOf(text: string): readonly string[] | undefined {
  const word = /[a-z]+/i.exec(text.replaceAll(/--.*|\/\*[^]*?\*\//g, ''))?.[0].toUpperCase()
  return word === undefined ? undefined : (commands[word] ?? [word])
}

/** Tells what is wrong with a command as the answer to one of these; undefined where nothing is. */
export function faultOfAnswer(
  expected: readonly string[] | undefined,
  command: string | null,
): AnswerOfAnother | undefined {
  const given = command?.split(' ', 1)[0] ?? ''
  return expected === undefined || expected.includes(given) ? undefined : new AnswerOfAnother(given)
}
