/** Gives credits to an account in two steps: how many and why, then once more what will happen. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { tellFailure } from '@/components/save-failure'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type Account, useGrantCredits } from '@/data/admin-accounts'
import { z } from '@/lib/zod'
import { credits } from '@/strings/credits'

// The bound of admin_grant_credits().
const MOST = 5000

const schema = z.object({
  amount: z
    .string()
    .trim()
    .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST, 'Scrivi un numero da 1 a 5000'),
  reason: z.string().trim().min(3, 'Scrivi il motivo').max(200, 'Al massimo 200 caratteri'),
})

type Values = z.infer<typeof schema>

type Props = { account: Account; onClose: () => void }

export function GrantDialog({ account, onClose }: Props) {
  const grant = useGrantCredits()
  // The same for every click on this dialog.
  const [key] = useState(() => crypto.randomUUID())
  const [wanted, setWanted] = useState<Values>()
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: { amount: '', reason: '' } })
  const address = account.email ?? 'un account senza indirizzo'

  async function give({ amount, reason }: Values): Promise<void> {
    try {
      await grant.mutateAsync({ id: account.id, amount: Number(amount), reason, key })
      toast.success('Crediti accreditati')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  if (wanted) {
    return (
      <ConfirmDialog
        isOpen
        title={`Accreditare ${credits(Number(wanted.amount))}?`}
        text={`A ${address}, che ora ha ${credits(account.credits)}. Motivo: ${wanted.reason}`}
        confirm="Accredita"
        isBusy={grant.isPending}
        onConfirm={() => void give(wanted)}
        onClose={() => setWanted(undefined)}
      />
    )
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Accredita crediti</DialogTitle>
          <DialogDescription className="break-words">
            A {address}. Il motivo resta nel registro delle azioni e lo legge anche chi ha l’account.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={(values) => setWanted(values)} submit="Continua" inline>
          <TextField name="amount" label="Crediti" inputMode="numeric" autoComplete="off" maxLength={4} />
          <TextField name="reason" label="Motivo" autoComplete="off" maxLength={200} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
