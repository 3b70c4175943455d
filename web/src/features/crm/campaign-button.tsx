/** Opens the dialog that writes to several contacts. */
import { useQuery } from '@tanstack/react-query'
import { SendIcon } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { mailAccountQuery } from '@/data/mail'
import { lazyDialog } from '@/lib/lazy-dialog'
import { paths } from '@/paths'

const CampaignDialog = lazyDialog(() => import('@/features/crm/campaign-dialog'))

type Props = {
  userId: string
  size?: 'sm' | undefined
  /** Whom to write to. */
  contactIds: () => Promise<string[]>
}

export function CampaignButton({ userId, size, contactIds }: Props) {
  const navigate = useNavigate()
  const { data: account } = useQuery(mailAccountQuery(userId))
  const [chosen, setChosen] = useState<string[] | null>(null)

  async function onPress() {
    if (account === null) {
      toast('Collega prima la tua casella email', {
        action: { label: 'Collega', onClick: () => void navigate(paths.settingsChannels) },
      })
      return
    }
    if (account?.is_shared) {
      toast('Per le campagne collega la tua casella', {
        description: 'Tramite Socio partono email singole, non promozioni.',
        action: { label: 'Collega', onClick: () => void navigate(paths.settingsChannels) },
      })
      return
    }
    try {
      setChosen(await contactIds())
    } catch {
      toast.error('Non riusciamo a leggere i contatti: riprova')
    }
  }

  return (
    <>
      <Button variant="outline" size={size} disabled={account === undefined} onClick={() => void onPress()}>
        <SendIcon aria-hidden className={size ? undefined : 'max-sm:hidden'} /> Scrivi
      </Button>
      {chosen && account && <CampaignDialog account={account} contactIds={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}
