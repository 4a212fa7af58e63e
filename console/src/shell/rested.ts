import { useEffect, useState } from 'react'

/** What was typed, once the typing rests: nothing is asked at each letter. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
