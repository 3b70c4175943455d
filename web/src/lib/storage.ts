/** Browser storage that never throws: where the browser blocks it, values live as long as the tab. */

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

function memoryStore(): Store {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/** The store that `open` gives, or one in memory when reading or writing it fails (private mode, full quota). */
export function safeStore(open: () => Storage): Store {
  try {
    const store = open()
    store.setItem('socio.probe', '1')
    store.removeItem('socio.probe')
    return store
  } catch {
    return memoryStore()
  }
}

export const local = safeStore(() => window.localStorage)
export const session = safeStore(() => window.sessionStorage)
