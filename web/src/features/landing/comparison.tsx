import { clsx } from 'clsx'
import { type ClaimKey, useCatalog } from '@/data/catalog'
import { HowWeReckon, Section, SmallPrint } from '@/features/landing/section'
import { SwipeRow } from '@/features/landing/swipe-row'

type Row = { name: string; lacks: string; month: ClaimKey; year: ClaimKey }

const tools: Row[] = [
  {
    name: 'Chat IA generica',
    lacks: 'Scrive bene, ma non sa chi sono i tuoi clienti.',
    month: 'competitors.chat',
    year: 'competitors.chat_year',
  },
  {
    name: 'App di appunti con IA',
    lacks: 'Ricorda quello che scrivi, non quello che succede.',
    month: 'competitors.notes',
    year: 'competitors.notes_year',
  },
  {
    name: 'CRM',
    lacks: 'Sa tutto dei contatti, se qualcuno lo compila.',
    month: 'competitors.crm',
    year: 'competitors.crm_year',
  },
]
const savings: ClaimKey[] = ['savings.table', 'savings.tools', 'savings.early_bird']
const cell = 'px-2 py-2.5 align-top sm:py-4 first:pl-4 last:pr-4 sm:px-6'
const figure = clsx(cell, 'text-right tabular')
const narrow = clsx(figure, 'whitespace-nowrap')

/** Three subscriptions against one, and what that saves; every figure says what it is reckoned from. */
export function Comparison() {
  const { claims } = useCatalog()
  return (
    <Section id="confronto" title="Tre abbonamenti, oppure uno">
      <div className="overflow-hidden rounded-xl border bg-card">
        <table className="w-full text-left text-sm sm:text-base">
          <caption className="sr-only">Quanto costano gli strumenti separati e quanto costa Socio</caption>
          <thead>
            <tr className="border-b text-sm text-muted-foreground">
              <th scope="col" className={clsx(cell, 'py-3 font-medium')}>
                Strumento
              </th>
              <th scope="col" className={clsx(figure, 'py-3 font-medium')}>
                Al mese
              </th>
              <th scope="col" className={clsx(figure, 'py-3 font-medium')}>
                All’anno
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.map(({ name, lacks, month, year }) => (
              <tr key={name} className="border-b">
                <th scope="row" className={clsx(cell, 'font-medium')}>
                  {name}
                  <span className="mt-0.5 hidden text-sm font-normal text-muted-foreground sm:block">{lacks}</span>
                </th>
                <td className={narrow}>{claims[month].text}</td>
                <td className={narrow}>{claims[year].text}</td>
              </tr>
            ))}
            <tr className="border-b font-semibold">
              <th scope="row" className={cell}>
                Insieme
              </th>
              <td className={narrow}>{tools.reduce((sum, { month }) => sum + (claims[month].value ?? 0), 0)} €/mese</td>
              <td className={narrow}>{claims['competitors.total_year'].text}</td>
            </tr>
            <tr className="bg-secondary font-semibold text-secondary-foreground">
              <th scope="row" className={cell}>
                Socio
                <span className="mt-0.5 block text-sm font-normal">Early bird, piano Starter (in arrivo)</span>
              </th>
              <td className={narrow}>{claims['early_bird.price'].text}</td>
              <td className={figure}>{claims['early_bird.price_year'].text}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <SwipeRow label="Quanto si risparmia" className="mt-6 sm:mt-10 sm:grid sm:grid-cols-3 sm:gap-6">
        {savings.map((key) => (
          <li key={key} className="border-t-2 border-primary pt-3">
            <p className="font-display text-xl font-medium tabular sm:text-2xl">{claims[key].text}</p>
            <SmallPrint className="mt-1">{claims[key].base}.</SmallPrint>
          </li>
        ))}
      </SwipeRow>
      <HowWeReckon className="mt-4">
        <SmallPrint>
          I prezzi degli altri strumenti sono riferimenti di mercato annotati a novembre 2025, senza marchi: confrontali
          con i tuoi. Il prezzo di Socio è quello del piano Starter, in arrivo: {claims['standard.price'].text},{' '}
          {claims['standard.price_year'].text}.
        </SmallPrint>
      </HowWeReckon>
    </Section>
  )
}
