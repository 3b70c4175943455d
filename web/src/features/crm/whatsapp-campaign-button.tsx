/** Opens the dialog that sends a template to several contacts by WhatsApp. */
import { useQuery } from '@tanstack/react-query'
import { MessageCircleIcon } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { whatsappAccountQuery } from '@/data/whatsapp'
import { lazyDialog } from '@/lib/lazy-dialog'
import { paths } from '@/paths'

const WhatsappCampaignDialog = lazyDialog(() => import('@/features/crm/whatsapp-campaign-dialog'))

type Props = {
  userId: string
  label: string
  size?: 'sm' | undefined
  /** Whom it goes to; the dialog asks without them. */
  contactIds?: string[]
}

export function WhatsappCampaignButton({ userId, label, size, contactIds }: Props) {
  const navigate = useNavigate()
  const { data: account } = useQuery(whatsappAccountQuery(userId))
  const [isOpen, setOpen] = useState(false)

  function onPress() {
    if (account?.state === 'attivo') return setOpen(true)
    toast(account ? 'Il numero WhatsApp non può inviare' : 'Collega prima il tuo numero WhatsApp', {
      action: { label: account ? 'Controlla' : 'Collega', onClick: () => void navigate(paths.settingsChannels) },
    })
  }

  return (
    <>
      <Button variant="outline" size={size} disabled={account === undefined} onClick={onPress}>
        <MessageCircleIcon aria-hidden /> {label}
      </Button>
      {isOpen && account && (
        <WhatsappCampaignDialog
          userId={userId}
          account={account}
          contactIds={contactIds ?? null}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
