import { useEffect, useEffectEvent } from 'react'
import { useNavigate } from 'react-router'

import { keepPush } from '@/data/push-devices'
import { safePath } from '@/lib/action-url'
import { announcePage } from '@/lib/own-worker'
import { reportError } from '@/lib/report-error'
import { whenIdle } from '@/lib/when-idle'

/** Nothing to see: the service worker of whoever is signed in, once the page has nothing better to do. */
export function AppWorker({ userId }: { userId: string }) {
  const navigate = useNavigate()
  const onMessage = useEffectEvent(({ data }: MessageEvent<unknown>) => {
    const path = typeof data === 'string' ? safePath(data) : null
    if (path) void navigate(path)
  })

  useEffect(
    () =>
      whenIdle(() => {
        // Without it the app works as before; the next visit tries again.
        announcePage()
          .then(() => keepPush(userId))
          .catch((error: unknown) => reportError(`service worker: ${String(error)}`))
      }),
    [userId],
  )

  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const stop = new AbortController()
    navigator.serviceWorker.addEventListener('message', onMessage, { signal: stop.signal })
    navigator.serviceWorker.startMessages()
    return () => stop.abort()
  }, [])
  return null
}
