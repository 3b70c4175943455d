import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'

import { AuthForm, CodeField } from '@/components/auth-form'
import { CopyButton } from '@/components/copy-button'
import { LoadError } from '@/components/load-error'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/skeleton'
import { type TotpEnrolment, totpEnrolmentQuery, useConfirmTotp } from '@/data/factors'
import { totpSchema, type TotpValues } from '@/features/settings/schemas'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

type Props = { name: string; onDone: () => void; onClose: () => void }

/** Scan, then prove with a first code that the app has it. Mounted only while open. */
export function TotpDialog({ name, onDone, onClose }: Props) {
  const enrolment = useQuery(totpEnrolmentQuery(name))
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Aggiungi un’app di autenticazione</DialogTitle>
          <DialogDescription>
            Inquadra il codice con un’app come Google Authenticator, 1Password o Aegis, poi scrivi qui le sei cifre che
            mostra.
          </DialogDescription>
        </DialogHeader>
        {enrolment.data && <Enrolment enrolment={enrolment.data} onDone={onDone} />}
        {enrolment.isPending && <Skeleton className="mx-auto size-48" />}
        {enrolment.isError && (
          <LoadError
            text={authErrorMessage(asAuthFailure(enrolment.error), 'Non riusciamo a preparare il codice.')}
            onRetry={() => void enrolment.refetch()}
          />
        )}
      </DialogContent>
    </Dialog>
  )
}

function Enrolment({ enrolment, onDone }: { enrolment: TotpEnrolment; onDone: () => void }) {
  const confirm = useConfirmTotp()
  const form = useForm<TotpValues>({ resolver: zodResolver(totpSchema), defaultValues: { code: '' } })

  async function onSubmit({ code }: TotpValues): Promise<void> {
    try {
      await confirm.mutateAsync({ factorId: enrolment.id, code })
      onDone()
    } catch (thrown) {
      form.setError('code', { message: authErrorMessage(asAuthFailure(thrown), 'Errore durante la verifica') })
    }
  }

  return (
    <>
      {/* White around the code in both themes: cameras look for the contrast. */}
      <img
        src={enrolment.qrCode}
        alt="Codice QR per l’app di autenticazione"
        className="mx-auto size-48 rounded-md border bg-[#ffffff]"
      />
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-muted p-3">
        <p className="min-w-0 text-sm">
          <span className="text-muted-foreground">Non puoi inquadrarlo? Scrivi questa chiave nell’app:</span>
          <br />
          <code className="tabular font-sans font-medium break-all">{enrolment.secret}</code>
        </p>
        <CopyButton text={enrolment.secret} label="Copia la chiave" />
      </div>
      <AuthForm form={form} onSubmit={onSubmit} submit="Attiva">
        <CodeField name="code" />
      </AuthForm>
    </>
  )
}
