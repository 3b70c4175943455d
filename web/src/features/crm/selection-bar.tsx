/** What can be done with several contacts at once. */
import { useQuery } from '@tanstack/react-query'
import { DownloadIcon, MergeIcon, TagIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { ActionBar } from '@/components/action-bar'
import { NameDialog } from '@/components/name-dialog'
import { Button } from '@/components/ui/button'
import type { ListedContact } from '@/data/contacts'
import { tagsQuery, useTagContacts } from '@/data/contacts-labels'
import { CampaignButton } from '@/features/crm/campaign-button'
import { WhatsappCampaignButton } from '@/features/crm/whatsapp-campaign-button'
import { useDeletion } from '@/features/crm/use-deletion'
import { exportContacts } from '@/features/crm/export-contacts'
import { paths } from '@/paths'

type Props = { userId: string; contacts: ListedContact[]; onClear: () => void }

export function SelectionBar({ userId, contacts, onClear }: Props) {
  const [isTagging, setTagging] = useState(false)
  const { data: tags = [] } = useQuery(tagsQuery(userId))
  const tag = useTagContacts(() => undefined)
  const remove = useDeletion()
  const ids = contacts.map(({ id }) => id)
  const [first, second, third] = contacts
  const count = ids.length === 1 ? '1 selezionato' : `${ids.length} selezionati`

  return (
    <>
      <ActionBar label="Azioni sui contatti selezionati" count={count} onClear={onClear}>
        <Button variant="outline" size="sm" onClick={() => setTagging(true)}>
          <TagIcon aria-hidden /> Tag
        </Button>
        {first && second && !third && first.type === second.type && (
          <Button variant="outline" size="sm" asChild>
            <Link to={paths.crmMerge(first.id, second.id)}>
              <MergeIcon aria-hidden /> Unisci
            </Link>
          </Button>
        )}
        <CampaignButton userId={userId} size="sm" contactIds={() => Promise.resolve(ids)} />
        <WhatsappCampaignButton userId={userId} size="sm" label="WhatsApp" contactIds={ids} />
        <Button variant="outline" size="sm" onClick={() => void exportContacts(ids)}>
          <DownloadIcon aria-hidden /> Esporta
        </Button>
        <Button
          variant="outline"
          size="sm"
          onClick={() => {
            remove(ids)
            onClear()
          }}
        >
          <Trash2Icon aria-hidden /> Elimina
        </Button>
      </ActionBar>
      {isTagging && (
        <NameDialog
          title="Aggiungi un tag"
          text="Chi lo ha già lo tiene. Un nome nuovo crea il tag."
          label="Tag"
          submit="Aggiungi"
          known={tags.map(({ name }) => name)}
          onSubmit={async (name) => {
            await tag.mutateAsync({ ids, name })
            toast.success('Tag aggiunto', { description: `${name}: ${count}` })
          }}
          onClose={() => setTagging(false)}
        />
      )}
    </>
  )
}
