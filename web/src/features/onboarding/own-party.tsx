/** Which party of the imported invoices is the person? One click puts each invoice on its side. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { homeKey } from '@/data/home-key'
import { reloadInvoices } from '@/data/invoices'
import { type OwnParty as Party, ownPartyQuery } from '@/data/own-party'
import { type Profile, useUpdateProfile } from '@/data/profiles'

type Props = { profile: Profile; isBusy: boolean }

export function OwnParty({ profile, isBusy }: Props) {
  const { user_id: userId } = profile
  const client = useQueryClient()
  const update = useUpdateProfile()
  const [isNone, setNone] = useState(false)
  const isKnown = profile.vat_number !== null || profile.tax_code !== null
  const { data: parties = [] } = useQuery({
    ...ownPartyQuery(userId),
    enabled: !isKnown,
    ...(isBusy && { refetchInterval: 2_000 }),
  })
  if (isKnown || isNone || parties.length === 0) return null

  async function choose({ vatNumber, taxCode }: Party) {
    try {
      await update.mutateAsync({ vat_number: vatNumber, ...(vatNumber === null && { tax_code: taxCode }) })
      await Promise.all([reloadInvoices(client, userId), client.invalidateQueries({ queryKey: homeKey(userId) })])
    } catch {
      toast.error('Non siamo riusciti a salvare il numero. Riprova, o scrivilo in Impostazioni → Profilo.')
    }
  }

  return (
    <section aria-labelledby="chi-sei" className="grid gap-3 rounded-md border p-4">
      <div className="grid gap-1">
        <h2 id="chi-sei" className="font-semibold">
          Quale sei tu?
        </h2>
        <p className="text-sm text-pretty text-muted-foreground">
          Così Socio sa quali fatture hai emesso e quali hai ricevuto.
        </p>
      </div>
      <div className="grid gap-2">
        {parties.map((party) => (
          <Button
            key={party.vatNumber ?? party.taxCode}
            variant="outline"
            className="h-auto min-h-11 justify-between gap-3 py-2 text-left whitespace-normal"
            disabled={update.isPending}
            onClick={() => void choose(party)}
          >
            <span className="min-w-0 break-words">{party.name}</span>
            <span className="shrink-0 text-sm text-muted-foreground tabular">
              {party.vatNumber ? `P.IVA ${party.vatNumber}` : `C.F. ${party.taxCode}`}
            </span>
          </Button>
        ))}
        <Button
          variant="ghost"
          size="sm"
          className="justify-self-start"
          disabled={update.isPending}
          onClick={() => setNone(true)}
        >
          Nessuno di questi
        </Button>
      </div>
    </section>
  )
}
