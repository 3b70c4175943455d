/** What search engines and social networks read about each public page; only the build imports this. */
import type { SitePage } from '@/app/site-pages'
import { paths } from '@/paths'

type Meta = {
  description: string
  /** False keeps the page out of search engines and of the sitemap. */
  isIndexed: boolean
  /** schema.org, as JSON-LD. */
  data: object[]
}

const descriptions: Record<string, string> = {
  [paths.landing]:
    'Socio è l’assistente italiano per chi lavora in proprio: clienti, documenti, attività e posta in un posto solo.',
  [paths.pricing]:
    'I crediti di Socio: tre pacchetti senza abbonamento, validi 12 mesi, con il listino di ogni azione e una stima di quanti te ne servono.',
  [paths.store]:
    'Ricarica i crediti di Socio: pacchetti da 9,99 € con omaggi fino a 150 crediti e rimborso entro 30 giorni della parte non usata.',
  '*': 'La pagina che stai cercando non esiste o è stata spostata.',
}

const hidden = new Set<string>(['*', paths.businessDocuments])

/** @throws Error for a page without a description. */
export function metaOf({ path }: SitePage): Meta {
  const description = descriptions[path]
  if (!description) throw new Error(`${path} has no description in site-meta.ts`)
  return { description, isIndexed: !hidden.has(path), data: [] }
}
