import { Link } from 'react-router'

import { ProcessorList } from '@/components/processor-list'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { paths } from '@/paths'
import { company } from '@/strings/company'

/** «Chi tratta i dati»: the list of the privacy policy. */
export function ProcessorsCard() {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Chi tratta i dati</CardTitle>
        <CardDescription>
          Oltre a {company.name}, solo chi serve per darti il servizio. Se la lista cambia ti avvisiamo prima.
        </CardDescription>
      </CardHeader>
      <ProcessorList className="grid list-disc gap-2 pl-5 text-sm [&_a]:underline [&_a]:underline-offset-2" />
      <p className="text-sm">
        <Link to={paths.privacyPolicy} className="underline underline-offset-2">
          Leggi la Privacy Policy
        </Link>
      </p>
    </Card>
  )
}
