/**
 * Buying a pack (STORE-02): idle, then loading for the chosen pack, then the checkout or an error and idle again.
 *
 * Everything heavy (the Supabase client, the form, the toasts) is loaded by the click: visitors mostly look around.
 */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import { useAuth } from '@/data/auth-context'
import { type Pack, type PackId, refreshCatalog } from '@/data/catalog'
import type { Billing } from '@/data/checkout'
import type BillingSheet from '@/features/store/billing-sheet'
import { forgetReturn, rememberReturn } from '@/lib/return-path'
import { paths } from '@/paths'

type Options = {
  /** Where the login leads back to. */
  path: string
  onFailure: () => void
}

/** What the sheet shows, and to whom: the page stays when the person changes. */
type Asked = { userId: string; pack: Pack; billing: Billing | null; Sheet: typeof BillingSheet }

type Purchase = {
  /** The pack that is being bought: its button says 'Elaborazione...' and cannot be pressed. */
  loading: PackId | null
  buy: (pack: PackId) => void
  /** To be rendered somewhere in the page. */
  sheet: ReactNode
}

/** @throws Error when the form cannot be loaded, or the pack is sold no more */
async function prepare(id: PackId): Promise<Omit<Asked, 'userId'>> {
  const [{ lastBilling }, { default: Sheet }] = await Promise.all([
    import('@/data/checkout'),
    import('@/features/store/billing-sheet'),
  ])
  // Without the last order the form is simply empty. A page that was left open may know an old price.
  const [billing, { packs }] = await Promise.all([lastBilling().catch(() => null), refreshCatalog()])
  const pack = packs.find((each) => each.id === id)
  if (!pack) throw new Error(`${id} is sold no more`)
  return { pack, billing, Sheet }
}

export function usePurchase({ path, onFailure }: Options): Purchase {
  const { user } = useAuth()
  const askToSignIn = useSignInNotice(path)
  const [loading, setLoading] = useState<PackId | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const userId = user?.id
  // Two clicks of one frame both see the state before them; what arrives for a purchase given up meanwhile is dropped.
  const underWay = useRef<symbol | null>(null)

  const reset = useCallback(() => {
    underWay.current = null
    setLoading(null)
    setAsked(null)
  }, [])
  useEffect(() => {
    // The browser's back button may bring the page back as it was left: on the way to the checkout.
    const onShow = (event: PageTransitionEvent) => event.persisted && reset()
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [reset])

  // Whoever signs in next begins anew.
  useEffect(() => reset, [userId, reset])

  // Whoever was sent to the login from here has come back.
  useEffect(() => {
    if (user) forgetReturn()
  }, [user])

  function buy(id: PackId): void {
    if (userId === undefined) {
      askToSignIn('Accedi al tuo account per acquistare crediti')
      return
    }
    if (underWay.current) return
    const purchase = Symbol(id)
    underWay.current = purchase
    setLoading(id)
    prepare(id).then(
      (prepared) => underWay.current === purchase && setAsked({ ...prepared, userId }),
      () => underWay.current === purchase && fail(),
    )
  }

  function fail() {
    reset()
    onFailure()
  }

  const sheet = asked && asked.userId === userId && (
    <asked.Sheet userId={asked.userId} pack={asked.pack} billing={asked.billing} onCancel={reset} onFailure={fail} />
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
