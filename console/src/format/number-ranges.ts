/** Sorts numbers, and writes three or more consecutive ones as a range: `4, 7–12`. A range of 100 may go on: `1–100…`. */
export function numberRanges(numbers: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const number of new Set(numbers.toSorted((a, b) => a - b))) {
    const run = runs.at(-1)
    if (run !== undefined && number === run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
    .flatMap(([first, last]) => {
      if (last - first > 1) return `${first}–${last}${last - first < 99 ? '' : '…'}`
      return first === last ? `${first}` : [`${first}`, `${last}`]
    })
    .join(', ')
}
