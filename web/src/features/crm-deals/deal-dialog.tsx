/** A new deal, or one that is there already. Mounted only while open. */
import { zodResolver } from '@hookform/resolvers/zod'
import { Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { useController, useForm, useFormContext, useWatch } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { ContactField } from '@/components/contact-field'
import { RelatedMails } from '@/components/related-mails'
import { SendMailButton } from '@/components/send-mail-button'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { FormControl, FormField, FormItem, FormLabel, FormMessage } from '@/components/ui/form'
import { Select } from '@/components/ui/select'
import { type Deal, type DealFields, useAddDeal, useChangeDeal } from '@/data/deals'
import { DealTasks } from '@/features/crm-deals/deal-tasks'
import { type Column, positionIn } from '@/features/crm-deals/board'
import { changed } from '@/lib/changed'
import { priceOf } from '@/lib/typed-amount'
import { z } from '@/lib/zod'
import { typedEuro } from '@/strings/numbers'

const UNDO_MS = 8_000

const schema = z.object({
  title: z.string().trim().min(1, 'Scrivi che cosa vendi').max(200, 'Titolo troppo lungo'),
  contact: z.object({ id: z.string(), name: z.string() }).nullable(),
  amount: z
    .string()
    .refine((typed) => typed.trim() === '' || priceOf(typed) !== null, 'Scrivi un importo, come 1.500 o 1.500,50')
    .refine((typed) => (priceOf(typed) ?? 0) <= 100_000_000_000, 'L’importo è troppo grande'),
  probability: z
    .string()
    .trim()
    .regex(/^(?:\d|[1-9]\d|100)?$/, 'Un numero da 0 a 100'),
  expectedClose: z.string(),
  stageId: z.string(),
  lostReason: z.string().trim().max(200, 'Motivo troppo lungo'),
})

type Values = z.infer<typeof schema>

type Props = { deal: Deal | null; columns: Column[]; userId: string; onClose: () => void }

function initialValues(deal: Deal | null, columns: Column[]): Values {
  return {
    title: deal?.title ?? '',
    contact: deal?.contact ? { id: deal.contact.id, name: deal.contact.name ?? '' } : null,
    amount: deal ? typedEuro(deal.amount_cents) : '',
    probability: String(deal?.probability ?? ''),
    expectedClose: deal?.expected_close ?? '',
    stageId: deal?.stage_id ?? columns[0]?.stage.id ?? '',
    lostReason: deal?.lost_reason ?? '',
  }
}

function fieldsOf(values: Values, columns: Column[]): DealFields {
  const isLost = columns.some(({ stage }) => stage.id === values.stageId && stage.kind === 'persa')
  return {
    title: values.title,
    contact_id: values.contact?.id ?? null,
    amount_cents: priceOf(values.amount) ?? 0,
    probability: values.probability === '' ? null : Number(values.probability),
    expected_close: values.expectedClose || null,
    stage_id: values.stageId,
    lost_reason: (isLost && values.lostReason) || null,
  }
}

export function DealDialog({ deal, columns, userId, onClose }: Props) {
  const add = useAddDeal(userId)
  const change = useChangeDeal(userId)
  const [now] = useState(() => new Date())
  const [newId] = useState(() => crypto.randomUUID())
  const [former] = useState(() => initialValues(deal, columns))
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: former })
  const stageId = useWatch({ control: form.control, name: 'stageId' })
  const contact = useController({ control: form.control, name: 'contact' }).field
  const column = columns.find(({ stage }) => stage.id === stageId)

  async function onSubmit(values: Values): Promise<void> {
    if (!column) return
    const fields = fieldsOf(values, columns)
    try {
      if (!deal) await add.mutateAsync({ id: newId, ...fields, position: positionIn(column, '', 0) })
      else {
        // What another tab has written meanwhile stays: a deal that was won there is not opened again.
        const changes = changed(fields, fieldsOf(former, columns))
        const place = 'stage_id' in changes && { position: positionIn(column, deal.id, 0) }
        const shows = 'contact_id' in changes && { shows: { contact: values.contact } }
        await change.mutateAsync({ id: deal.id, change: { ...changes, ...place }, ...shows })
      }
      onClose()
    } catch {
      toast.error('Non siamo riusciti a salvare la trattativa: riprova.')
    }
  }

  function remove({ id, title }: Deal) {
    const onError = () => toast.error('Non siamo riusciti a eliminare la trattativa: riprova.', { description: title })
    const undo = () => change.mutate({ id, change: { deleted_at: null } }, { onError })
    change.mutate({ id, change: { deleted_at: new Date().toISOString() } }, { onError })
    toast('Trattativa eliminata', {
      description: title,
      duration: UNDO_MS,
      action: { label: 'Annulla', onClick: undo },
    })
    onClose()
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{deal ? 'Trattativa' : 'Nuova trattativa'}</DialogTitle>
          <DialogDescription>
            {deal
              ? 'Cambia quello che serve: il resto rimane com’è.'
              : 'Basta il titolo: il resto lo completi quando lo sai.'}
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit={deal ? 'Salva' : 'Aggiungi'}>
          <TextField name="title" label="Titolo" autoComplete="off" maxLength={200} placeholder="Sito web per Rossi" />
          <ContactField userId={userId} label="Contatto" value={contact.value} onChoose={contact.onChange} />
          <div className="grid grid-cols-2 gap-3">
            <TextField name="amount" label="Importo in euro" inputMode="decimal" autoComplete="off" />
            <TextField
              name="probability"
              label="Probabilità %"
              inputMode="numeric"
              autoComplete="off"
              placeholder={String(column?.stage.probability ?? '')}
            />
            <StageField columns={columns} />
            <TextField name="expectedClose" label="Chiusura prevista" type="date" />
          </div>
          {column?.stage.kind === 'persa' && (
            <TextField
              name="lostReason"
              label="Perché è andata persa (facoltativo)"
              autoComplete="off"
              maxLength={200}
            />
          )}
        </AuthForm>
        {deal && (
          <>
            <DealTasks userId={userId} deal={deal} now={now} />
            <DealMails userId={userId} deal={deal} />
            <Button variant="destructive" className="justify-self-start" onClick={() => remove(deal)}>
              <Trash2Icon aria-hidden /> Elimina la trattativa
            </Button>
          </>
        )}
      </DialogContent>
    </Dialog>
  )
}

/** What was written with its contact since it began, and what writes more. */
function DealMails({ userId, deal: { id, title, contact } }: { userId: string; deal: Deal }) {
  return (
    <section aria-labelledby="posta-trattativa" className="grid gap-2 border-t pt-4">
      <h3 id="posta-trattativa" className="text-sm font-semibold">
        Email
      </h3>
      <RelatedMails userId={userId} about={{ dealId: id }}>
        {contact && (
          <div>
            <SendMailButton
              label="Scrivi"
              hint={`a ${contact.name ?? 'questo contatto'}`}
              letter={{ contactId: contact.id, recipient: null, subject: title, body: '', about: { dealId: id } }}
            />
          </div>
        )}
      </RelatedMails>
    </section>
  )
}

function StageField({ columns }: { columns: Column[] }) {
  const { control } = useFormContext<Values>()
  return (
    <FormField
      control={control}
      name="stageId"
      render={({ field }) => (
        <FormItem className="content-start">
          <FormLabel>Fase</FormLabel>
          <FormControl>
            <Select {...field}>
              {columns.map(({ stage }) => (
                <option key={stage.id} value={stage.id}>
                  {stage.name}
                </option>
              ))}
            </Select>
          </FormControl>
          <FormMessage />
        </FormItem>
      )}
    />
  )
}
