/** The accounts, newest first: who has one and in which state, never what is in it; and what an admin may do about one. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Input } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/skeleton'
import { type Account, accountsQuery } from '@/data/admin-accounts'
import { useUser } from '@/data/auth-context'
import { AccountDialog, type AccountAction } from '@/features/admin/account-dialog'
import { ActionsHead, WideTable } from '@/features/admin/table-frame'
import { fullDate, relativeTime } from '@/strings/dates'
import { formatCredits } from '@/strings/numbers'

const head = ['Account', 'Stato', 'Crediti', 'Registrato', 'Ultimo accesso'] as const

export function AccountsSection() {
  const { id: ownId } = useUser()
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const [asked, setAsked] = useState<{ account: Account; action: AccountAction }>()
  const query = useInfiniteQuery(accountsQuery(search))
  const accounts = query.data?.pages.flatMap(({ rows }) => rows)
  return (
    <section aria-labelledby="utenti" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="utenti" className="text-base font-semibold">
          Utenti
        </h2>
        <Input
          type="search"
          aria-label="Cerca per indirizzo o nome"
          placeholder="Cerca per indirizzo o nome"
          className="max-w-72"
          value={typed}
          maxLength={200}
          onChange={({ target }) => setTyped(target.value)}
        />
      </div>
      {query.isPending && <Skeleton className="h-72" />}
      {query.isError && !accounts && (
        <LoadError text="Non siamo riusciti a leggere gli utenti." onRetry={() => void query.refetch()} />
      )}
      {accounts?.length === 0 && (
        <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">
          {search ? 'Nessun account con questo indirizzo o nome.' : 'Nessun account.'}
        </p>
      )}
      {accounts && accounts.length > 0 && (
        <WideTable title="Utenti" head={head} lastHead={<ActionsHead />}>
          {accounts.map((account) => (
            <AccountRow
              key={account.id}
              account={account}
              isOwn={account.id === ownId}
              onAct={(action) => setAsked({ account, action })}
            />
          ))}
        </WideTable>
      )}
      <MoreButton query={query}>Altri account</MoreButton>
      {asked && <AccountDialog {...asked} onClose={() => setAsked(undefined)} />}
    </section>
  )
}

type RowProps = { account: Account; isOwn: boolean; onAct: (action: AccountAction) => void }

function AccountRow({ account, isOwn, onAct }: RowProps) {
  return (
    <tr>
      <th scope="row" className="max-w-40 px-3 py-2 text-left font-normal sm:max-w-64">
        <span className="block truncate font-medium">{account.name ?? 'Senza nome'}</span>
        <span className="block truncate text-xs text-muted-foreground">{account.email}</span>
      </th>
      <td className="px-3 py-2">
        <span className="flex flex-wrap gap-1">
          {account.is_suspended && <Badge variant="notice">Sospeso</Badge>}
          {account.is_admin && <Badge>Amministratore</Badge>}
          {account.is_deleting && <Badge variant="secondary">In eliminazione</Badge>}
          {!account.is_verified && <Badge variant="secondary">Da confermare</Badge>}
          <Badge variant="outline">{account.has_factor ? 'Due passaggi' : 'Solo password'}</Badge>
        </span>
      </td>
      <td className="px-3 py-2">{formatCredits(account.credits)}</td>
      <td className="px-3 py-2 whitespace-nowrap" title={fullDate(account.created_at)}>
        {relativeTime(account.created_at)}
      </td>
      <td className="px-3 py-2 whitespace-nowrap">
        {account.last_seen_at ? relativeTime(account.last_seen_at) : 'mai'}
      </td>
      <td className="sticky right-0 bg-card px-3 py-1 text-right">
        {!isOwn && (
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button variant="outline" size="sm" aria-label={`Azioni su ${account.email}`}>
                Azioni
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent align="end">
              <DropdownMenuItem onSelect={() => onAct(account.is_suspended ? 'reactivate' : 'suspend')}>
                {account.is_suspended ? 'Riattiva' : 'Sospendi'}
              </DropdownMenuItem>
              {(account.is_admin || (account.is_verified && !account.is_suspended)) && (
                <DropdownMenuItem onSelect={() => onAct(account.is_admin ? 'unmake_admin' : 'make_admin')}>
                  {account.is_admin ? 'Togli da amministratore' : 'Rendi amministratore'}
                </DropdownMenuItem>
              )}
              <DropdownMenuItem onSelect={() => onAct('grant')}>Accredita crediti</DropdownMenuItem>
            </DropdownMenuContent>
          </DropdownMenu>
        )}
      </td>
    </tr>
  )
}
