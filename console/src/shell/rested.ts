import { useEffect, useState } from 'react'

/** Returns the typed text once typing pauses, so that not every letter causes a request. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
