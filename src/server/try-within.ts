/** Resolves to the result of the work, or to undefined when it fails or the time is up; the rest of the work is ignored. */
export async function tryWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  const done = await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
  return done
}
