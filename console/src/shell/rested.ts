import { useEffect, useState } from 'react'

/** The typed text, once typing pauses: no request per letter. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
