/**
 * Buying a pack (spec section 4): idle, then loading for the chosen pack, then the checkout or an error and idle again.
 *
 * Everything heavy (the Supabase client, the form, the toasts) is loaded by the click: visitors mostly look around.
 */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import { useAuth } from '@/data/auth-context'
import { type Pack, type PackId, refreshCatalog } from '@/data/catalog'
import type { Billing } from '@/data/checkout'
import { forgetReturn, rememberReturn } from '@/lib/return-path'
import { paths } from '@/paths'

const BillingSheet = lazy(() => import('@/features/store/billing-sheet'))

type Options = {
  /** Where the login leads back to. */
  path: string
  onFailure: () => void
}

type Purchase = {
  /** The pack that is being bought: its button says 'Elaborazione...' and cannot be pressed. */
  loading: PackId | null
  buy: (pack: PackId) => void
  /** To be rendered somewhere in the page. */
  sheet: ReactNode
}

export function usePurchase({ path, onFailure }: Options): Purchase {
  const { user } = useAuth()
  const askToSignIn = useSignInNotice(path)
  const [loading, setLoading] = useState<PackId | null>(null)
  const [asked, setAsked] = useState<{ pack: Pack; billing: Billing | null } | null>(null)
  // Two clicks of one frame both see the state before them.
  const isBusy = useRef(false)

  const reset = useCallback(() => {
    isBusy.current = false
    setLoading(null)
    setAsked(null)
  }, [])
  useEffect(() => {
    // The browser's back button may bring the page back as it was left: on the way to the checkout.
    const onShow = (event: PageTransitionEvent) => event.persisted && reset()
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [reset])

  // Whoever was sent to the login from here has come back.
  useEffect(() => {
    if (user) forgetReturn()
  }, [user])

  async function start(id: PackId): Promise<void> {
    const { lastBilling } = await import('@/data/checkout')
    // Without the last order the form is simply empty. A page that was left open may know an old price.
    const [billing, { packs }] = await Promise.all([lastBilling().catch(() => null), refreshCatalog()])
    const pack = packs.find((each) => each.id === id)
    if (!pack) throw new Error(`${id} is sold no more`)
    if (isBusy.current) setAsked({ pack, billing })
  }

  function buy(id: PackId): void {
    if (!user) {
      askToSignIn('Accedi al tuo account per acquistare crediti')
      return
    }
    if (isBusy.current) return
    isBusy.current = true
    setLoading(id)
    start(id).catch(() => {
      reset()
      onFailure()
    })
  }

  function fail() {
    reset()
    onFailure()
  }

  const sheet = asked && (
    <Suspense>
      <BillingSheet pack={asked.pack} billing={asked.billing} onCancel={reset} onFailure={fail} />
    </Suspense>
  )
  return { loading, buy, sheet }
}

/** The warning for visitors, whose action leads to the login and from there back to `path`. */
export function useSignInNotice(path: string): (description: string) => void {
  const navigate = useNavigate()
  return (description) => {
    void import('sonner').then(({ toast }) =>
      toast.warning('Login richiesto', {
        description,
        action: {
          label: 'Accedi',
          onClick: () => {
            rememberReturn(path)
            void navigate(paths.login)
          },
        },
      }),
    )
  }
}
