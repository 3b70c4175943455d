/** What search engines and social networks read about each public page; only the build imports this. */
import type { SitePage } from '@/app/site-pages'
import catalog from '@/data/catalog.gen.json'
import { paths } from '@/paths'
import { company, socialProfiles } from '@/strings/company'
import { faq } from '@/strings/faq'

type Meta = {
  description: string
  /** False keeps the page out of search engines and of the sitemap. */
  isIndexed: boolean
  /** schema.org, as JSON-LD. */
  data: object[]
}

const descriptions: Record<string, string> = {
  [paths.landing]:
    'Socio è l’assistente italiano per chi lavora in proprio: clienti, documenti, scadenze e attività in un posto solo.',
  [paths.pricing]:
    'I crediti di Socio: tre pacchetti senza abbonamento, validi 12 mesi, con il listino di ogni azione e una stima di quanti te ne servono.',
  [paths.store]:
    'Ricarica i crediti di Socio: pacchetti da 9,99 € con omaggi fino a 150 crediti e rimborso entro 30 giorni della parte non usata.',
  [paths.roadmap]: 'Che cosa abbiamo promesso e a che punto siamo: la roadmap pubblica di Socio, ritardi compresi.',
  [paths.faq]:
    'Quanto costa Socio, dove stanno i dati, come funzionano crediti e rimborsi: le otto domande più frequenti.',
  [paths.changelog]: 'Le novità di Socio, giorno per giorno: che cosa è cambiato e da quando.',
  [paths.status]:
    'Se Socio funziona adesso e come è andata negli ultimi 90 giorni, parte per parte, con gli incidenti.',
  [paths.privacyPolicy]:
    'Quali dati tratta Socio, perché, per quanto tempo e come li vedi, li porti via o li cancelli.',
  [paths.termsOfService]: 'Le regole tra te e Socio: piani, crediti, recesso e rimborsi, uso corretto, responsabilità.',
  [paths.cookiePolicy]: 'Che cosa resta nel tuo browser quando usi Socio, per quanto tempo, e come cambiare la scelta.',
  [paths.businessDocuments]: 'Quattro documenti di testo per la tua attività, da scaricare e completare.',
  '*': 'La pagina che stai cercando non esiste o è stata spostata.',
}

const hidden = new Set<string>(['*', paths.businessDocuments])

/** @throws Error for a page without a description. */
export function metaOf({ path }: SitePage): Meta {
  const description = descriptions[path]
  if (!description) throw new Error(`${path} has no description in site-meta.ts`)
  return { description, isIndexed: !hidden.has(path), data: dataOf(path) }
}

/** schema.org for the pages that search engines show in a form of their own. */
function dataOf(path: string): object[] {
  switch (path) {
    case paths.landing:
      return [organization, product]
    case paths.pricing:
    case paths.store:
      return [product]
    case paths.faq:
      return [questions]
    default:
      return []
  }
}

const context = 'https://schema.org'

const organization = {
  '@context': context,
  '@type': 'Organization',
  name: company.name,
  email: company.email,
  vatID: `IT${company.vatNumber}`,
  address: {
    '@type': 'PostalAddress',
    streetAddress: company.street,
    postalCode: company.postcode,
    addressLocality: company.city,
    addressCountry: 'IT',
  },
  ...(socialProfiles.length > 0 && { sameAs: socialProfiles.map(({ url }) => url) }),
}

const product = {
  '@context': context,
  '@type': 'SoftwareApplication',
  name: 'Socio',
  applicationCategory: 'BusinessApplication',
  operatingSystem: 'Web',
  inLanguage: 'it',
  description:
    'Assistente italiano per chi lavora in proprio: clienti, documenti, scadenze e attività in un posto solo.',
  offers: catalog.packs.map(({ name, credits, bonus, price_cents, currency }) => ({
    '@type': 'Offer',
    name: `Pacchetto ${name}, ${credits + bonus} crediti`,
    price: (price_cents / 100).toFixed(2),
    priceCurrency: currency,
    availability: 'https://schema.org/InStock',
  })),
}

const questions = {
  '@context': context,
  '@type': 'FAQPage',
  mainEntity: faq.map(({ q, a }) => ({
    '@type': 'Question',
    name: q,
    acceptedAnswer: { '@type': 'Answer', text: a },
  })),
}
