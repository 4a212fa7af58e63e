let lost = 0

/** Counts a line that could not be written to standard error, because the reader has gone or the disk is full. */
export function countLostLine(): void {
  lost += 1
}

/** Returns how many lines this process could not write. */
export const lostLines = (): number => lost
