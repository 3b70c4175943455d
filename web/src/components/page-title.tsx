import { useEffect } from 'react'

/** Names the browser tab. A `<title>` element would lose against the one of index.html, which comes first. */
export function PageTitle({ children }: { children: string }) {
  useEffect(() => {
    document.title = `${children} · Socio`
  }, [children])
  return null
}
