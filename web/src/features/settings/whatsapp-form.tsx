/** Connects a WhatsApp number by the token of the person's own Meta app. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { Button } from '@/components/ui/button'
import { useConnectWhatsapp, whatsappOfferQuery } from '@/data/whatsapp'
import { WhatsappGuide } from '@/features/settings/whatsapp-guide'
import { FunctionError } from '@/lib/server-errors'
import { z } from '@/lib/zod'

const schema = z.object({
  waba_id: z
    .string()
    .trim()
    .regex(/^\d{1,40}$/, 'Sono solo cifre: lo trovi in WhatsApp Manager'),
  phone_number_id: z
    .string()
    .trim()
    .regex(/^\d{1,40}$/, 'Sono solo cifre: non è il numero di telefono'),
  token: z.string().trim().min(1, 'Scrivi il token'),
  app_secret: z.string().trim().min(1, 'Scrivi la chiave segreta'),
})

type Values = z.infer<typeof schema>

export function WhatsappForm({ userId }: { userId: string }) {
  const connect = useConnectWhatsapp(userId)
  const { data } = useQuery(whatsappOfferQuery())
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { waba_id: '', phone_number_id: '', token: '', app_secret: '' },
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      await connect.mutateAsync(values)
      toast.success('Numero WhatsApp collegato')
    } catch (error) {
      form.setError('app_secret', {
        message: error instanceof FunctionError ? error.message : 'Non siamo riusciti a collegare il numero: riprova',
      })
    }
  }

  return (
    <div className="grid gap-4">
      <WhatsappGuide way="token" />
      {data?.sandbox && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Button
            type="button"
            variant="outline"
            size="sm"
            onClick={() => {
              const { page: _, ...values } = data.sandbox ?? { page: '' }
              form.reset(values)
            }}
          >
            Usa il numero di prova
          </Button>
          <a className="underline" href={data.sandbox.page} target="_blank" rel="noreferrer">
            Scrivi come cliente
          </a>
        </p>
      )}
      <AuthForm form={form} onSubmit={onSubmit} submit="Collega il numero" inline>
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField name="phone_number_id" label="ID del numero di telefono" inputMode="numeric" autoComplete="off" />
          <TextField name="waba_id" label="ID dell’account WhatsApp Business" inputMode="numeric" autoComplete="off" />
        </div>
        <TextField name="token" label="Token di accesso" type="password" autoComplete="off" />
        <TextField name="app_secret" label="Chiave segreta dell’app" type="password" autoComplete="off" />
      </AuthForm>
    </div>
  )
}
