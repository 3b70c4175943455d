/** /crm/:contactId: one contact with everything that happened and everything that is agreed. */
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftIcon } from 'lucide-react'
import { Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { contactQuery, useRestoreContacts, type WholeContact } from '@/data/contacts'
import { ConsentsCard } from '@/features/crm/consents-card'
import { ContactCard } from '@/features/crm/contact-card'
import { ContactPapers } from '@/features/crm/contact-papers'
import { PrivacyCard } from '@/features/crm/privacy-card'
import { Timeline } from '@/features/crm/timeline'
import { People } from '@/features/crm/open-work'
import { uninvited } from '@/lib/uninvited'
import { paths } from '@/paths'

const ContactWhatsapp = uninvited(() => import('@/features/crm/contact-whatsapp'))

export default function ContactPage() {
  const { contactId = '' } = useParams()
  const query = useQuery(contactQuery(contactId))
  return (
    <div className="column grid gap-4 py-6 sm:py-8">
      <Link
        to={paths.crm}
        className="inline-flex min-h-11 items-center gap-2 justify-self-start rounded-md text-sm font-medium text-muted-foreground hover:text-foreground"
      >
        <ArrowLeftIcon aria-hidden className="size-4" /> Contatti
      </Link>
      {query.isPending && <Loading />}
      {query.isError && !query.data && (
        <LoadError
          text="Non riusciamo a leggere questo contatto. I tuoi dati sono al sicuro: riprova tra un momento."
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data === null && <Unknown />}
      {query.data && <Contact key={query.data.id} contact={query.data} />}
    </div>
  )
}

function Contact({ contact }: { contact: WholeContact }) {
  const { id: userId } = useUser()
  const isEditable = !contact.merged_into && !contact.deleted_at
  return (
    <>
      <PageTitle>{contact.name}</PageTitle>
      <Gone contact={contact} />
      <div className="grid items-start gap-4 md:grid-cols-[minmax(0,18rem)_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)_18rem]">
        <ContactCard contact={contact} userId={userId} isEditable={isEditable} />
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          <Suspense>
            <ContactWhatsapp userId={userId} contactId={contact.id} />
          </Suspense>
          <Timeline userId={userId} contact={contact} isEditable={isEditable} />
        </div>
        <div className="grid gap-4 md:col-span-2 md:grid-cols-2 xl:col-span-1 xl:grid-cols-1">
          <ContactPapers userId={userId} contact={contact} />
          {contact.type === 'azienda' && <People companyId={contact.id} />}
          <ConsentsCard contactId={contact.id} isEditable={isEditable} />
          <PrivacyCard contact={contact} />
        </div>
      </div>
    </>
  )
}

/** In the trash, or part of another contact: still here for its owner, not in the list any more. */
function Gone({ contact }: { contact: WholeContact }) {
  const restore = useRestoreContacts(() => toast.error('Non siamo riusciti a ripristinare: riprova'))
  if (contact.merged_into)
    return (
      <p className="rounded-md bg-warning-tint px-4 py-3 text-sm">
        Questo contatto è stato unito a un altro.{' '}
        <Link to={paths.crmContact(contact.merged_into)} className="font-medium underline">
          Apri quello rimasto
        </Link>
      </p>
    )
  if (!contact.deleted_at) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-warning-tint px-4 py-2">
      <p className="mr-auto text-sm">Questo contatto è nel cestino: dopo trenta giorni si cancella da solo.</p>
      <Button variant="outline" size="sm" disabled={restore.isPending} onClick={() => restore.mutate([contact.id])}>
        Ripristina
      </Button>
    </div>
  )
}

function Unknown() {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border px-6 py-12 text-center">
      <h1 className="text-xl font-semibold">Contatto non trovato</h1>
      <p className="text-sm text-muted-foreground">Forse è stato eliminato, o il link è incompleto.</p>
      <Button asChild>
        <Link to={paths.crm}>Torna ai contatti</Link>
      </Button>
    </div>
  )
}

function Loading() {
  return (
    <div
      aria-busy
      className="grid gap-4 md:grid-cols-[minmax(0,18rem)_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)_18rem]"
    >
      <Skeleton className="h-96" />
      <Skeleton className="h-96" />
      <Skeleton className="h-64 max-xl:hidden" />
    </div>
  )
}
