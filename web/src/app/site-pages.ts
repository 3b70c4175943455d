/**
 * The pages of the public site (SITE-06): written to HTML at build time, and shown by both entries.
 *
 * The module of a page is named after its path (`/faq` is faq-page, `/` is landing-page): so the build finds its chunk.
 * What these modules import statically must be light and run in Node: no supabase-js, no query cache, no zod.
 */
import type { ComponentType } from 'react'

import { paths } from '@/paths'

export type SitePage = {
  path: string
  /** Of the browser tab, without the product's name. */
  title: string
  load: () => Promise<{ default: ComponentType }>
}

export const sitePages: SitePage[] = [
  {
    path: paths.landing,
    title: 'Il socio digitale di chi lavora in proprio',
    load: () => import('@/features/landing/landing-page'),
  },
  { path: paths.pricing, title: 'Prezzi', load: () => import('@/features/store/pricing-page') },
  { path: paths.store, title: 'Store', load: () => import('@/features/store/store-page') },
  { path: paths.roadmap, title: 'Roadmap', load: () => import('@/features/roadmap/roadmap-page') },
  { path: paths.faq, title: 'Domande frequenti', load: () => import('@/features/faq/faq-page') },
  { path: paths.changelog, title: 'Novità', load: () => import('@/features/changelog/changelog-page') },
  { path: paths.status, title: 'Stato del servizio', load: () => import('@/features/status/status-page') },
  { path: paths.privacyPolicy, title: 'Privacy Policy', load: () => import('@/features/legal/privacy-policy-page') },
  {
    path: paths.termsOfService,
    title: 'Termini di Servizio',
    load: () => import('@/features/legal/terms-of-service-page'),
  },
  { path: paths.cookiePolicy, title: 'Cookie Policy', load: () => import('@/features/legal/cookie-policy-page') },
  {
    path: paths.businessDocuments,
    title: 'Documenti per la tua attività',
    load: () => import('@/features/business-documents/business-documents-page'),
  },
]

/** Every address that leads nowhere. */
export const notFoundPage: SitePage = {
  path: '*',
  title: 'Pagina non trovata',
  load: () => import('@/features/not-found/not-found-page'),
}

const withoutSlash = (pathname: string): string => pathname.replace(/(?<=.)\/+$/, '')

/** The page at this address of the browser; undefined when it belongs to the app, or to nobody. */
export function sitePageAt(pathname: string): SitePage | undefined {
  const path = withoutSlash(pathname)
  return sitePages.find((page) => page.path === path)
}
