/**
 * The landing page: the hero, then the sections in their fixed order (SITE-03).
 *
 * The sections are in the prerendered HTML and need no script to be read; theirs is loaded when somebody moves.
 */
import { useEffect } from 'react'

import { track } from '@/data/analytics'
import { Hero } from '@/features/landing/hero'
import { useConsent } from '@/lib/consent'
import { laterPart } from '@/lib/later-part'

const sections = laterPart(
  import.meta.env.SSR && (await import('@/features/landing/sections')).Sections,
  async () => (await import('@/features/landing/sections')).Sections,
)

export function Landing() {
  const consent = useConsent()
  useEffect(() => {
    // Whoever agrees while reading has seen the page as well.
    if (consent === 'accepted') track('page_view', { page: 'landing' })
  }, [consent])

  return (
    <>
      <Hero />
      {sections}
    </>
  )
}
