import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { company, companyAddress } from '@/strings/company'

/** Whom to write to, and whom to complain to. */
export function ContactCard() {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Scrivici, o reclama al Garante</CardTitle>
        <CardDescription>
          Rispondiamo entro un mese, gratis. Se serve più tempo te lo diciamo, con il motivo, entro quel mese.
        </CardDescription>
      </CardHeader>
      <ul className="grid gap-1 text-sm [&_a]:inline-flex [&_a]:min-h-11 [&_a]:items-center [&_a]:underline [&_a]:underline-offset-2">
        <li>
          <a href={`mailto:${company.privacyEmail}?subject=${encodeURIComponent('Richiesta sui miei dati')}`}>
            {company.privacyEmail}
          </a>
        </li>
        <li>
          <a href={`mailto:${company.certifiedEmail}`}>{company.certifiedEmail}</a> (PEC)
        </li>
        <li>
          <a href="https://www.garanteprivacy.it" rel="noreferrer" target="_blank">
            Garante per la protezione dei dati personali
          </a>
        </li>
      </ul>
      <p className="text-sm text-muted-foreground">
        Titolare: {company.name}, {companyAddress}, P.IVA {company.vatNumber}
      </p>
    </Card>
  )
}
