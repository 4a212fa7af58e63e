/** Reads what the browser stores under a name; null if it stores nothing, or if the page may not use its storage. */
export function readStored(name: string, storage: 'localStorage' | 'sessionStorage' = 'localStorage'): string | null {
  try {
    return globalThis[storage].getItem(name)
  } catch {
    return null
  }
}

/** Stores a text under a name; null deletes it. Without storage the text applies to this page only. */
export function store(
  name: string,
  text: string | null,
  storage: 'localStorage' | 'sessionStorage' = 'localStorage',
): void {
  try {
    if (text === null) globalThis[storage].removeItem(name)
    else globalThis[storage].setItem(name, text)
  } catch {
    // The page has no access to storage.
  }
}
