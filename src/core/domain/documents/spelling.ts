/** Returns the edit distance: the number of letters to insert, delete or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Finds the known word that was probably meant, at most three letters away; undefined if there is none. */
export function findSimilar(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, far: distance(word, candidate) }))
    .filter(({ far }) => far <= 3)
    .toSorted((a, b) => a.far - b.far)
  return near[0]?.candidate
}
