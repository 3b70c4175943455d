/** What was read out of the document: value, how sure it is, where it stands, and a tick when it is right. */
import { useQuery } from '@tanstack/react-query'
import { CheckCheckIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import type { WholeDocument } from '@/data/document'
import { type DocumentField, fieldsQuery, findPlace, isSure, useConfirmFields } from '@/data/document-fields'
import { isBusy } from '@/data/documents'
import type { WholeInvoice } from '@/data/invoices'
import { EditField, FieldRow } from '@/features/document/field-row'
import type { Place } from '@/features/document/places'
import { RegisterEntry } from '@/features/document/register-entry'
import { byReadingOrder, fieldLabel, fieldRefusal, fieldType, usualFields } from '@/strings/document-fields'

type Props = { document: WholeDocument; userId: string; invoices: WholeInvoice[]; onShow: (place: Place) => void }

const failed = (failure: unknown) => toast.error(fieldRefusal(failure))

export function FieldsCard({ document, userId, invoices, onShow }: Props) {
  const { data, isPending, isError, refetch } = useQuery(fieldsQuery(userId, document.id))
  const confirm = useConfirmFields(userId, document.id)
  const fields = data?.toSorted(byReadingOrder)
  const open = fields?.filter((field) => !field.confirmed_at && field.source !== 'fatturapa') ?? []
  const isUnsure = fields?.some((field) => !isSure(field)) ?? false
  const missing = fields ? usualFields.filter((key) => fields.every((field) => field.key !== key)) : []
  const isScan = invoices.every(({ source }) => source === 'campi')
  const isMoney = document.kind === 'fattura' || document.kind === 'ricevuta'

  /** What was typed is looked for on the pages: the next document of this supplier is read better. */
  async function edit(key: string, value: string | null, before: DocumentField | null) {
    const place = value && (await findPlace(document.id, fieldType(key), value).catch(() => null))
    confirm.mutate([{ key, value, place: place || null }], {
      onError: failed,
      onSuccess: () =>
        toast.success(value ? `${fieldLabel(key)}: salvato` : `${fieldLabel(key)}: tolto`, {
          action: {
            label: 'Annulla',
            onClick: () => confirm.mutate([{ key, value: before?.value ?? null, place: before }], { onError: failed }),
          },
        }),
    })
  }

  return (
    <Card className="gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CardTitle>Campi</CardTitle>
        {open.length > 1 && (
          <Button
            variant="outline"
            size="sm"
            disabled={confirm.isPending}
            onClick={() =>
              confirm.mutate(
                open.map(({ key, value }) => ({ key, value })),
                { onError: failed },
              )
            }
          >
            <CheckCheckIcon aria-hidden /> Conferma tutti
          </Button>
        )}
      </div>
      {isPending && <Skeleton aria-busy className="h-40" />}
      {isError && !data && <LoadError text="Non riusciamo a leggere i campi." onRetry={() => void refetch()} />}
      {fields?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          {isBusy(document.state)
            ? 'I campi arrivano alla fine della lettura.'
            : 'In questo documento non c’erano dati da estrarre.'}
        </p>
      )}
      {fields && fields.length > 0 && (
        <ul className="divide-y">
          {fields.map((field) => (
            <FieldRow
              key={field.key}
              field={field}
              currency={document.currency}
              onConfirm={() => confirm.mutate([{ key: field.key, value: field.value }], { onError: failed })}
              // The register keeps what an electronic invoice says.
              onEdit={isScan ? (value) => void edit(field.key, value, field) : null}
              onShow={onShow}
            />
          ))}
        </ul>
      )}
      {isMoney && isScan && missing.length > 0 && (
        <AddField missing={missing} onAdd={(key, value) => void edit(key, value, null)} />
      )}
      {document.kind === 'fattura' && invoices.length === 0 && fields && fields.length > 0 && (
        <RegisterEntry document={document} userId={userId} isUnsure={isUnsure} />
      )}
    </Card>
  )
}

/** For what was not found: which field, then its value. */
function AddField({ missing, onAdd }: { missing: string[]; onAdd: (key: string, value: string) => void }) {
  const [key, setKey] = useState<string | null>(null)
  if (key)
    return (
      <EditField
        fieldKey={key}
        value={null}
        onSave={(value) => {
          setKey(null)
          onAdd(key, value)
        }}
        onClose={() => setKey(null)}
      />
    )
  return (
    <Select aria-label="Aggiungi un campo che manca" value="" onChange={(event) => setKey(event.target.value || null)}>
      <option value="">Aggiungi un campo che manca…</option>
      {missing.map((each) => (
        <option key={each} value={each}>
          {fieldLabel(each)}
        </option>
      ))}
    </Select>
  )
}
