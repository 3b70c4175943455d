/** Opens the dialog that sends a mail; without an account offers the shared sender, or leads to where one is connected. */
import { useQuery } from '@tanstack/react-query'
import { SendIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import type { Letter } from '@/components/letter-text'
import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { mailAccountQuery, sharedSenderQuery } from '@/data/mail'
import { lazyDialog } from '@/lib/lazy-dialog'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'

const ChooseSenderDialog = lazyDialog(() => import('@/components/choose-sender-dialog'))
const SendMailDialog = lazyDialog(() => import('@/components/send-mail-dialog'))

type Props = {
  /** What the dialog starts with; a function is asked when the button is pressed. */
  letter: Letter | (() => Promise<Letter>)
  label: string
  /** What it is about, for people who hear it. */
  hint?: string
  /** A key that presses it. */
  shortcut?: string
  onSent?: (() => void) | undefined
}

export function SendMailButton({ letter, label, hint, shortcut, onSent }: Props) {
  const { id: userId } = useUser()
  const { data: account } = useQuery(mailAccountQuery(userId))
  const isWithout = account === null
  const { data: shared, isPending } = useQuery({ ...sharedSenderQuery(userId), enabled: isWithout })
  const [opened, setOpened] = useState<Letter | null>(null)
  const canWrite = Boolean(account) || Boolean(shared?.is_offered)
  async function onPress() {
    try {
      setOpened(typeof letter === 'function' ? await letter() : letter)
    } catch {
      toast.error('Non riusciamo a leggere il contatto: riprova')
    }
  }

  useShortcut(shortcut ?? '', () => canWrite && !opened && void onPress())
  // Not known yet, or away: copying works meanwhile.
  if (account === undefined || (isWithout && isPending)) return null
  if (!canWrite)
    return (
      <Button variant="outline" size="sm" asChild>
        <Link to={paths.settingsChannels} data-stays>
          <SendIcon aria-hidden /> Collega la tua email
        </Link>
      </Button>
    )

  return (
    <>
      <Button variant="outline" size="sm" data-stays aria-keyshortcuts={shortcut} onClick={() => void onPress()}>
        <SendIcon aria-hidden /> {label}
        {hint && <span className="sr-only"> {hint}</span>}
      </Button>
      {opened && account && (
        <SendMailDialog account={account} letter={opened} onSent={onSent} onClose={() => setOpened(null)} />
      )}
      {opened && !account && shared && (
        // The letter follows when the account is there.
        <ChooseSenderDialog userId={userId} shared={shared} onClose={() => setOpened(null)} />
      )}
    </>
  )
}
