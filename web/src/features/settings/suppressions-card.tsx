/** Addresses that a person never writes to: searched, added, never removed. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useInfiniteQuery } from '@tanstack/react-query'
import { MailXIcon } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { MoreButton } from '@/components/more-button'
import { SearchBox } from '@/components/search-box'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { suppressionsQuery, useSuppress } from '@/data/mail'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { z } from '@/lib/zod'
import { fullDate } from '@/strings/dates'
import { suppressionReasons } from '@/strings/mail'

const schema = z.object({ stopped: z.email('Scrivi un indirizzo email intero') })

export function SuppressionsCard({ userId }: { userId: string }) {
  const [typed, setTyped] = useState('')
  const query = useInfiniteQuery(suppressionsQuery(userId, typed))
  const suppress = useSuppress(userId)
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { stopped: '' } })

  async function onSubmit({ stopped }: z.infer<typeof schema>): Promise<void> {
    try {
      await suppress.mutateAsync(stopped)
      form.reset()
      toast.success('Non gli scriverai più', { description: stopped })
    } catch {
      form.setError('stopped', { message: 'Non siamo riusciti a salvare: riprova' })
    }
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>A chi non scrivi più</CardTitle>
        <CardDescription>
          Nessuna email parte verso questi indirizzi, nemmeno con il consenso. Non si tolgono: la legge tutela chi ha
          detto no, e un indirizzo che non riceve peggiora la consegna di tutte le tue email.
        </CardDescription>
      </CardHeader>
      <div className="flex">
        <SearchBox text="" label="Cerca un indirizzo" placeholder="Indirizzo o dominio" onSearch={setTyped} />
      </div>
      <EntryList
        query={query}
        label="Indirizzi a cui non scrivi più"
        empty={
          typed
            ? 'Nessun indirizzo corrisponde a questa ricerca.'
            : 'Ancora nessuno: chi si disiscrive da una tua promozione arriva qui da solo.'
        }
        error="Non riusciamo a leggere questi indirizzi in questo momento."
        renderRow={({ id, address, reason, created_at: at }) => (
          <Entry key={id} icon={MailXIcon} title={address} text={`${suppressionReasons[reason]}, ${fullDate(at)}`} />
        )}
      />
      <MoreButton query={query}>Mostra altri indirizzi</MoreButton>
      <AuthForm form={form} onSubmit={onSubmit} submit="Non scrivergli più" inline>
        <TextField name="stopped" label="Aggiungi un indirizzo" type="email" autoComplete="off" maxLength={254} />
      </AuthForm>
    </Card>
  )
}
