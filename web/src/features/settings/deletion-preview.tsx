import { ChevronDownIcon } from 'lucide-react'
import { useState } from 'react'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import type { DeletionPreview } from '@/data/account-deletion'
import { deletionDomains } from '@/strings/deletion'
import { dayAndMonth } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'

const DAYS = 30

/** «Va via subito», «Va via tra 30 giorni», «Resta, e perché». */
export function DeletionPreviewCards({ preview }: { preview: DeletionPreview }) {
  const [dueAt] = useState(() => new Date(Date.now() + DAYS * 24 * 60 * 60 * 1000).toISOString())
  return (
    <>
      <Card>
        <CardHeader>
          <CardTitle>Si ferma subito</CardTitle>
          <CardDescription>
            Dal momento in cui lo chiedi non parte più nulla. Se annulli, lo riattivi tu.
          </CardDescription>
        </CardHeader>
        <ul className="grid list-disc gap-1 pl-5 text-sm">
          {stopping(preview.stops).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Card>
      <Card>
        <CardHeader>
          <CardTitle>Va via il {dayAndMonth(dueAt)}</CardTitle>
          <CardDescription>Per {DAYS} giorni non tocchiamo niente. Poi non si può tornare indietro.</CardDescription>
        </CardHeader>
        {preview.domains.length === 0 && preview.files === 0 && (
          <p className="text-sm text-muted-foreground">Non c’è ancora niente, a parte l’accesso.</p>
        )}
        <ul aria-label="Va via" className="divide-y">
          {preview.domains.map(({ domain, tables }) => (
            <li key={domain} className="py-1 first:pt-0 last:pb-0">
              <details className="group">
                <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-4 text-sm">
                  <span className="font-medium">{deletionDomains[domain] ?? domain}</span>
                  <span className="flex items-center gap-2 text-muted-foreground tabular">
                    {formatCount(tables.reduce((sum, { count }) => sum + count, 0))}
                    <ChevronDownIcon aria-hidden className="size-[18px] transition-transform group-open:rotate-180" />
                  </span>
                </summary>
                <ul className="grid gap-1 pr-[26px] pb-2 text-sm text-muted-foreground">
                  {tables.map(({ label, count }) => (
                    <li key={label} className="flex justify-between gap-4">
                      <span>{label}</span>
                      <span className="tabular">{formatCount(count)}</span>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          ))}
          {preview.files > 0 && (
            <li className="flex min-h-11 items-center justify-between gap-4 py-1 text-sm last:pb-0">
              <span className="font-medium">File originali</span>
              <span className="pr-[26px] text-muted-foreground tabular">{formatCount(preview.files)}</span>
            </li>
          )}
        </ul>
      </Card>
      <Card>
        <CardHeader>
          <CardTitle>Resta, e perché</CardTitle>
          <CardDescription>Senza il tuo nome e il tuo indirizzo, a meno che li chieda la legge.</CardDescription>
        </CardHeader>
        <ul aria-label="Resta" className="divide-y text-sm">
          {preview.kept.map(({ title, period, reason, count }) => (
            <li key={title} className="grid gap-1 py-3 first:pt-0 last:pb-0">
              <p className="flex justify-between gap-4 font-medium">
                {title}
                {count > 0 && <span className="font-normal text-muted-foreground tabular">{formatCount(count)}</span>}
              </p>
              <p>
                {period}. <span className="text-muted-foreground">{reason}.</span>
              </p>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

/** What of it this account has, in sentences. */
function stopping({
  mailbox,
  whatsapp,
  waiting_mails,
  calendar,
  devices,
  applications,
}: DeletionPreview['stops']): string[] {
  return [
    mailbox === null ? '' : `La casella ${mailbox} è scollegata e la sua password cancellata`,
    whatsapp === null ? '' : `Il numero WhatsApp ${whatsapp} è scollegato e le sue chiavi cancellate`,
    waiting_mails === 0
      ? ''
      : waiting_mails === 1
        ? '1 email in attesa non parte'
        : `${waiting_mails} email in attesa non partono`,
    calendar ? 'L’indirizzo del calendario non si apre più' : '',
    devices === 0
      ? ''
      : devices === 1
        ? '1 browser non riceve più notifiche'
        : `${devices} browser non ricevono più notifiche`,
    applications === 0
      ? ''
      : applications === 1
        ? '1 applicazione collegata perde l’accesso'
        : `${applications} applicazioni collegate perdono l’accesso`,
    'L’assistente, gli avvisi e i riepiloghi si fermano',
  ].filter(Boolean)
}
