/** /crm: the contacts of the person, found, sorted and kept in touch with. */
import { DownloadIcon, PlusIcon, UploadIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { CrmHeader } from '@/components/crm-header'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { idsOf } from '@/data/contacts'
import { emptyContact } from '@/data/contacts-form'
import { CampaignButton } from '@/features/crm/campaign-button'
import { ColumnsMenu } from '@/features/crm/columns-menu'
import { ContactForm } from '@/features/crm/contact-form'
import { ContactResults } from '@/features/crm/contact-results'
import { exportContacts } from '@/features/crm/export-contacts'
import { FilterMenu } from '@/features/crm/filter-menu'
import { useListSettings } from '@/features/crm/list-settings'
import { OrderChoice } from '@/features/crm/order-choice'
import { SearchBox } from '@/components/search-box'
import { SegmentMenu } from '@/features/crm/segment-menu'
import { Trash } from '@/features/crm/trash'
import { useDeletion } from '@/features/crm/use-deletion'
import { useWish } from '@/features/crm/use-wish'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'

const MailPage = lazy(() => import('@/features/crm/mail-page'))
const WhatsappPage = lazy(() => import('@/features/crm/whatsapp-page'))

export default function CrmPage() {
  const [params] = useSearchParams()
  const view = params.get('vista')
  if (view !== 'posta' && view !== 'whatsapp') return <ContactsPage />
  return <Suspense>{view === 'posta' ? <MailPage /> : <WhatsappPage />}</Suspense>
}

function ContactsPage() {
  const { id: userId } = useUser()
  const navigate = useNavigate()
  const { wish, isTrash, change } = useWish()
  const list = useListSettings(userId)
  const [isAdding, setAdding] = useState(false)
  // The box keeps what is typed by itself; another number is another box.
  const [search, setSearch] = useState(0)
  const remove = useDeletion()
  useShortcut('n', () => setAdding(true))

  const [tab, title] = isTrash
    ? (['trash', 'Cestino'] as const)
    : wish.type === 'azienda'
      ? (['companies', 'Aziende'] as const)
      : (['contacts', 'Contatti'] as const)

  function clear() {
    change({ text: '', filter: { all: [] } })
    setSearch(search + 1)
  }

  function onSaved(id: string, name: string) {
    setAdding(false)
    toast.success('Contatto aggiunto', {
      description: name,
      action: { label: 'Annulla', onClick: () => remove([id], name) },
    })
    void navigate(paths.crmContact(id))
  }

  return (
    <div className="column grid gap-4 py-6">
      <PageTitle>{title}</PageTitle>
      <CrmHeader current={tab} title={title}>
        <Button aria-keyshortcuts="n" onClick={() => setAdding(true)}>
          <PlusIcon aria-hidden /> Nuovo
        </Button>
        <Button variant="outline" asChild>
          <Link to={paths.crmImport}>
            <UploadIcon aria-hidden className="max-sm:hidden" /> Importa
          </Link>
        </Button>
        {!isTrash && <CampaignButton userId={userId} contactIds={() => idsOf(wish)} />}
        {!isTrash && (
          <Button variant="outline" onClick={() => void exportContacts(wish)}>
            <DownloadIcon aria-hidden className="max-sm:hidden" /> Esporta
          </Button>
        )}
      </CrmHeader>
      {isTrash ? (
        <Trash userId={userId} />
      ) : (
        <>
          <div className="flex flex-wrap gap-2">
            <SearchBox
              key={`${wish.type}-${search}`}
              text={wish.text}
              label={wish.type === 'azienda' ? 'Cerca un’azienda' : 'Cerca un contatto'}
              placeholder="Nome, email, telefono, P.IVA, tag"
              onSearch={(text) => change({ text })}
            />
            <SegmentMenu userId={userId} filter={wish.filter} onChange={(filter) => change({ filter })} />
            <FilterMenu userId={userId} filter={wish.filter} onChange={(filter) => change({ filter })} />
            {!wish.text && <OrderChoice order={wish.order} onChange={(order) => change({ order })} />}
            <ColumnsMenu settings={list.settings} onChange={list.change} />
          </div>
          <ContactResults
            key={wish.type}
            userId={userId}
            wish={wish}
            settings={list.settings}
            onChange={change}
            onClear={clear}
            onAdd={() => setAdding(true)}
          />
        </>
      )}
      {isAdding && (
        <ContactForm
          userId={userId}
          values={emptyContact(wish.type)}
          onSaved={onSaved}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  )
}
