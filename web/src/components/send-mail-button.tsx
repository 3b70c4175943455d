/** Opens the dialog that sends a mail, or leads to where an account is connected. */
import { useQuery } from '@tanstack/react-query'
import { SendIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'

import type { Letter } from '@/components/send-mail-dialog'
import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { mailAccountQuery } from '@/data/mail'
import { paths } from '@/paths'

const SendMailDialog = lazy(() => import('@/components/send-mail-dialog'))

type Props = { letter: Letter; label: string; onSent?: (() => void) | undefined }

export function SendMailButton({ letter, label, onSent }: Props) {
  const { id: userId } = useUser()
  const { data: account } = useQuery(mailAccountQuery(userId))
  const [isOpen, setOpen] = useState(false)
  // Not known yet, or away: copying works meanwhile.
  if (account === undefined) return null
  if (account === null)
    return (
      <Button variant="outline" size="sm" asChild>
        <Link to={paths.settingsChannels} data-stays>
          <SendIcon aria-hidden /> Collega la tua e-mail
        </Link>
      </Button>
    )
  return (
    <>
      <Button variant="outline" size="sm" data-stays onClick={() => setOpen(true)}>
        <SendIcon aria-hidden /> {label}
      </Button>
      {isOpen && (
        <Suspense>
          <SendMailDialog account={account} letter={letter} onSent={onSent} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
