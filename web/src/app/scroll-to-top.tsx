import { useEffect } from 'react'
import { useNavigationType } from 'react-router'

/** A new page starts at its top; back and forward are the browser's, which remembers where the person was. */
export function ScrollToTop() {
  const navigation = useNavigationType()
  useEffect(() => {
    if (navigation !== 'POP') window.scrollTo(0, 0)
  }, [navigation])
  return null
}
