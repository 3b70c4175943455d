/** Whether an element has come near what is seen: the moment to load what it shows. It stays so. */
import { useEffect, useRef, useState } from 'react'

const NEAR = '300px'

export function useIsNear<T extends HTMLElement>() {
  const ref = useRef<T>(null)
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setIsNear(true),
      { rootMargin: NEAR },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, isNear] as const
}
