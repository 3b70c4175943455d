/** Asks once whether Socio may keep statistics (SITE-16 to SITE-18). Part of the light entry: no dialog library. */
import { clsx } from 'clsx'
import { XIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { useAuth } from '@/data/auth-context'
import { type Consent, onConsentRequest, storeConsent, useConsent } from '@/lib/consent'
import { paths } from '@/paths'

/** From the load of the page to the question (SITE-16). */
const DELAY_MS = 1000

const answers: Record<Consent, string> = { accepted: 'accetta tutti', rejected: 'solo essenziali' }

/** `due`: the second has passed; `asked`: the person opened it again, whatever is stored; `closed`: for this view. */
type State = 'waiting' | 'due' | 'asked' | 'closed'

export function CookieBanner() {
  const { user } = useAuth()
  const consent = useConsent()
  const [state, setState] = useState<State>('waiting')
  const banner = useRef<HTMLElement>(null)
  const opener = useRef<Element>(null)

  useEffect(() => {
    const timer = setTimeout(() => setState((now) => (now === 'waiting' ? 'due' : now)), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(
    () =>
      onConsentRequest(() => {
        opener.current = document.activeElement
        setState('asked')
      }),
    [],
  )
  useEffect(() => {
    if (state === 'asked') banner.current?.focus()
  }, [state])

  function close() {
    setState('closed')
    if (opener.current instanceof HTMLElement) opener.current.focus()
    opener.current = null
  }

  function answer(given: Consent) {
    storeConsent(given)
    close()
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && banner.current?.contains(document.activeElement)) close()
  })
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])

  if (state !== 'asked' && !(state === 'due' && consent === null)) return null
  return (
    <section
      ref={banner}
      tabIndex={-1}
      aria-label="Preferenze cookie"
      className={clsx(
        'fixed inset-x-3 z-40 grid animate-in gap-4 rounded-xl border bg-popover p-4 text-popover-foreground shadow-float fade-in-0 slide-in-from-bottom-4 sm:right-auto sm:left-5 sm:w-[27rem] sm:p-5 print:hidden',
        // Above the navigation, which people must reach whatever they answer.
        user
          ? 'bottom-[calc(4.25rem+env(safe-area-inset-bottom))] lg:bottom-24'
          : 'bottom-[calc(0.75rem+env(safe-area-inset-bottom))]',
      )}
    >
      {/* Two short texts: one long one would be the largest paint of small pages, and come a second late. */}
      <div className="pr-9 text-sm text-pretty">
        <p>Usiamo cookie tecnici per far funzionare Socio e, solo se accetti, statistiche d’uso per migliorarlo.</p>
        <p>
          Cambi idea quando vuoi:{' '}
          <Link to={paths.cookiePolicy} className="font-medium text-primary underline underline-offset-4">
            Cookie Policy
          </Link>
          .{consent && ` Ora vale: ${answers[consent]}.`}
        </p>
      </div>
      {/* Equally easy to see and to reach: neither answer is the one we nudge to. */}
      <div className="grid grid-cols-2 gap-2">
        <Button variant="outline" className="px-2" onClick={() => answer('rejected')}>
          Solo Essenziali
        </Button>
        <Button variant="outline" className="px-2" onClick={() => answer('accepted')}>
          Accetta Tutti
        </Button>
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Chiudi"
        className="absolute top-1 right-1 text-muted-foreground"
        onClick={close}
      >
        <XIcon aria-hidden />
      </Button>
    </section>
  )
}
