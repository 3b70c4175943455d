import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Textarea } from '@/components/ui/textarea'
import { type MailAccount, mailAccountQuery, useChangeSignature } from '@/data/mail'
import type { Profile } from '@/data/profiles'
import { paths } from '@/paths'

const LONGEST = 2000

/** What stands below each mail. It belongs to the mailbox: without one nothing is signed. */
export function SignatureCard({ profile }: { profile: Profile }) {
  const { data: account, isPending } = useQuery(mailAccountQuery(profile.user_id))
  if (isPending) return null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Firma delle email</CardTitle>
        <CardDescription>
          {account
            ? `In fondo a ogni email che parte ${account.is_shared ? 'tramite Socio' : `da ${account.from_address}`}.`
            : 'In fondo a ogni email che invii da Socio: la scrivi quando colleghi la tua casella.'}
        </CardDescription>
      </CardHeader>
      {account ? (
        <SignatureForm key={account.id} account={account} proposal={proposalOf(profile)} />
      ) : (
        <Button variant="outline" asChild className="self-start">
          <Link to={paths.settingsChannels}>Collega la casella</Link>
        </Button>
      )}
    </Card>
  )
}

/** Name, business and phone, one a line. */
const proposalOf = ({ full_name: name, business_name: business, business_phone: phone }: Profile): string =>
  [name, business === name ? null : business, phone].filter(Boolean).join('\n')

function SignatureForm({ account, proposal }: { account: MailAccount; proposal: string }) {
  const [text, setText] = useState(account.signature ?? '')
  const change = useChangeSignature(account.user_id)
  const isChanged = text.trim() !== (account.signature ?? '')

  async function save() {
    try {
      await change.mutateAsync(text.trim() || null)
      setText(text.trim())
      toast.success(text.trim() ? 'Firma salvata' : 'Firma tolta')
    } catch {
      toast.error('Non siamo riusciti a salvare. Riprova.')
    }
  }

  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Label htmlFor="signature">Firma</Label>
      <Textarea
        id="signature"
        rows={4}
        maxLength={LONGEST}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" disabled={!isChanged || change.isPending}>
          Salva la firma
        </Button>
        {text === '' && proposal !== '' && (
          <Button type="button" variant="outline" onClick={() => setText(proposal)}>
            Proponi dai miei dati
          </Button>
        )}
      </div>
    </form>
  )
}
