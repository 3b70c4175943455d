/** The end of every public page: where else to go, and who is behind Socio. */
import { Link } from 'react-router'

import { CookiePreferences } from '@/components/cookie-preferences'
import { Logo } from '@/components/logo'
import { paths } from '@/paths'
import { company, companyAddress, socialProfiles } from '@/strings/company'

const groups = [
  {
    title: 'Prodotto',
    links: [
      { label: 'Prezzi', to: paths.pricing },
      { label: 'Store', to: paths.store },
      { label: 'Roadmap', to: paths.roadmap },
      { label: 'Novità', to: paths.changelog },
      { label: 'Stato', to: paths.status },
      { label: 'Domande frequenti', to: paths.faq },
      { label: 'Registrati', to: paths.register },
    ],
  },
  {
    title: 'Note legali',
    links: [
      { label: 'Privacy Policy', to: paths.privacyPolicy },
      { label: 'Termini di Servizio', to: paths.termsOfService },
      { label: 'Cookie Policy', to: paths.cookiePolicy },
    ],
  },
]

const entry =
  'inline-flex min-h-11 items-center text-left text-muted-foreground underline-offset-4 hover:text-foreground hover:underline sm:min-h-8'

export function SiteFooter() {
  return (
    <footer className="border-t bg-card">
      <div className="column grid grid-cols-2 gap-x-6 gap-y-6 py-8 text-sm sm:gap-10 sm:py-12 lg:grid-cols-[2fr_1fr_1fr]">
        <div className="col-span-2 max-w-sm lg:col-span-1">
          <Logo />
          <p className="mt-4 text-pretty text-muted-foreground">
            Il socio digitale di chi lavora in proprio. Fatto a {company.city}, con i dati su server europei.
          </p>
          <a href={`mailto:${company.email}`} className={entry}>
            {company.email}
          </a>
        </div>
        {groups.map(({ title, links }) => (
          <nav key={title} aria-label={title}>
            <p className="font-semibold">{title}</p>
            <ul className="mt-2">
              {links.map(({ label, to }) => (
                <li key={to}>
                  <Link to={to} className={entry}>
                    {label}
                  </Link>
                </li>
              ))}
              {title === 'Note legali' && (
                <li>
                  <CookiePreferences className={entry} />
                </li>
              )}
            </ul>
          </nav>
        ))}
        {socialProfiles.length > 0 && (
          <nav aria-label="Social">
            <p className="font-semibold">Seguici</p>
            <ul className="mt-2">
              {socialProfiles.map(({ name, url }) => (
                <li key={url}>
                  <a href={url} target="_blank" rel="noreferrer" className={entry}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <p className="border-t pt-6 text-xs text-pretty text-muted-foreground tabular col-span-2 lg:col-span-3">
          {company.name}, {companyAddress} · P.IVA {company.vatNumber} · Capitale sociale {company.shareCapital} i.v. ·
          PEC {company.certifiedEmail}
        </p>
      </div>
    </footer>
  )
}
