/** The rights of the contact: a copy of what is kept, and the page where it is found and erased. */
import { ScaleIcon, ScrollTextIcon } from 'lucide-react'
import { Link } from 'react-router'

import { ContactCopy } from '@/components/contact-copy'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardTitle } from '@/components/ui/card'
import type { WholeContact } from '@/data/contacts'
import { paths } from '@/paths'

export function PrivacyCard({ contact: { id, name } }: { contact: WholeContact }) {
  return (
    <Card>
      <CardTitle>I suoi diritti</CardTitle>
      <CardDescription>
        Se te lo chiede, puoi dargli una copia dei suoi dati, dirgli dove hai usato l’IA, o dimenticarlo.
      </CardDescription>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" asChild>
          <Link to={paths.contactRights(id)}>
            <ScaleIcon aria-hidden /> Diritti e dati
          </Link>
        </Button>
        <ContactCopy id={id} name={name} />
        <Button variant="outline" size="sm" asChild>
          <Link to={paths.aiNoticeFor(id)}>
            <ScrollTextIcon aria-hidden /> Informativa IA
          </Link>
        </Button>
      </div>
    </Card>
  )
}
