/** Asks for the reason of what an admin does about an account. */
import type { Account } from '@/data/admin-accounts'
import { useSetAdmin, useSuspendAccount } from '@/data/admin-accounts'
import { GrantDialog } from '@/features/admin/grant-dialog'
import { ReasonDialog } from '@/features/admin/reason-dialog'

export type AccountAction = 'suspend' | 'reactivate' | 'make_admin' | 'unmake_admin' | 'grant'

const words: Record<Exclude<AccountAction, 'grant'>, { title: string; text: string; done: string }> = {
  suspend: {
    title: 'Sospendi',
    text: 'Le sessioni finiscono subito, nessuno può più entrare e dall’account non parte più nulla.',
    done: 'Account sospeso',
  },
  reactivate: { title: 'Riattiva', text: 'Chi ha l’account può entrare di nuovo.', done: 'Account riattivato' },
  make_admin: {
    title: 'Rendi amministratore',
    text: 'Vedrà queste pagine e potrà agire come te, con la verifica in due passaggi.',
    done: 'Amministratore aggiunto',
  },
  unmake_admin: {
    title: 'Togli da amministratore',
    text: 'Non vedrà più queste pagine, da subito.',
    done: 'Amministratore tolto',
  },
}

type Props = { account: Account; action: AccountAction; onClose: () => void }

export function AccountDialog({ account, action, onClose }: Props) {
  const suspend = useSuspendAccount()
  const setAdmin = useSetAdmin()
  if (action === 'grant') return <GrantDialog account={account} onClose={onClose} />
  const { title, text, done } = words[action]
  return (
    <ReasonDialog
      title={title}
      text={`${account.email ?? 'Account senza indirizzo'}. ${text} Lo legge anche chi ha l’account.`}
      done={done}
      onAct={(reason) =>
        action === 'suspend' || action === 'reactivate'
          ? suspend.mutateAsync({ id: account.id, reason, isSuspended: action === 'suspend' })
          : setAdmin.mutateAsync({ id: account.id, reason, isAdmin: action === 'make_admin' })
      }
      onClose={onClose}
    />
  )
}
