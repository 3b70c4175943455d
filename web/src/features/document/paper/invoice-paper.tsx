/** An electronic invoice as a sheet of paper: the same order as on the accountant's desk, codes in words. */
import type { ReactNode } from 'react'

import type { InvoiceContent } from '@/data/invoice-content'
import type { Finding } from '@/data/invoices'
import { Findings } from '@/features/document/paper/findings'
import { InvoiceLines } from '@/features/document/paper/invoice-lines'
import { InvoiceTotals } from '@/features/document/paper/invoice-totals'
import { Parties } from '@/features/document/paper/parties'
import { Payments } from '@/features/document/paper/payments'
import { dayAndMonth } from '@/strings/dates'
import { formatBytes } from '@/strings/files'
import { codeWords } from '@/strings/invoice-codes'

type Props = { content: InvoiceContent; findings: Finding[] }

export function InvoicePaper({ content, findings }: Props) {
  const { type_code: type, number, issued_on: day, reasons, version, transmission } = content
  return (
    <div className="@container">
      <Findings findings={findings} />
      <article
        aria-label={`Fattura ${number ?? ''}`}
        className="mx-auto grid grid-cols-1 max-w-[52rem] gap-6 rounded-md border bg-card p-4 text-card-foreground shadow-sm @xl:gap-8 @xl:p-10 print:max-w-none print:border-0 print:p-0 print:shadow-none"
      >
        <header className="grid gap-1">
          <h2 className="text-xl font-semibold">
            {codeWords('documents', type) || 'Fattura'} {number && `n. ${number}`}
          </h2>
          <p className="text-sm text-muted-foreground">
            {day && `del ${dayAndMonth(day)}`}
            {type && ` · ${type}`}
          </p>
        </header>
        <Parties content={content} />
        {reasons.length > 0 && (
          <Section title="Causale">
            <p className="text-sm break-words whitespace-pre-line">{reasons.join('\n')}</p>
          </Section>
        )}
        <References content={content} />
        <InvoiceLines content={content} />
        <InvoiceTotals content={content} />
        <Payments content={content} />
        <Attachments content={content} />
        <footer className="grid gap-1 border-t pt-4 text-xs text-muted-foreground">
          <p>{signatureLine(content.signature)}</p>
          <p className="break-words">
            {codeWords('versions', version)}
            {transmission.recipient_code && ` · codice destinatario ${transmission.recipient_code}`}
            {transmission.recipient_pec && ` · PEC ${transmission.recipient_pec}`}
          </p>
        </footer>
      </article>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-1.5">
      <h3 className="text-xs font-medium text-muted-foreground">{title}</h3>
      {children}
    </section>
  )
}

function signatureLine(signature: InvoiceContent['signature']): string {
  if (!signature) return 'File senza firma digitale.'
  const by = signature.signer ? ` di ${signature.signer}` : ''
  if (signature.verified === true) return `Firma${by} integra. ${signature.note}`
  if (signature.verified === false) return `Firma${by} non valida. ${signature.note}`
  return `Firma${by} non verificata. ${signature.note}`
}

/** The orders, contracts and earlier invoices that it names. */
function References({
  content: { references, deliveries, main_invoice: main, corrected_invoice: corrected },
}: {
  content: InvoiceContent
}) {
  const told = [
    ...references.map(({ kind, number, issued_on: day, cup, cig }) => [
      `${codeWords('references', kind)} ${number ?? ''}`.trim(),
      day && `del ${dayAndMonth(day)}`,
      cup && `CUP ${cup}`,
      cig && `CIG ${cig}`,
    ]),
    ...deliveries.map(({ number, issued_on: day }) => [
      `Documento di trasporto ${number ?? ''}`.trim(),
      day && `del ${dayAndMonth(day)}`,
    ]),
    ...[main, corrected].flatMap((each) =>
      each
        ? [
            [
              `Fattura di riferimento ${each.number ?? ''}`.trim(),
              each.issued_on && `del ${dayAndMonth(each.issued_on)}`,
            ],
          ]
        : [],
    ),
  ].map((parts) => parts.filter(Boolean).join(' '))
  if (told.length === 0) return null
  return (
    <Section title="Riferimenti">
      <ul className="grid gap-0.5 text-sm">
        {Array.from(new Set(told), (text) => (
          <li key={text} className="break-words">
            {text}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Attachments({ content: { attachments } }: { content: InvoiceContent }) {
  if (attachments.length === 0) return null
  return (
    <Section title="Allegati">
      <ul className="grid gap-0.5 text-sm">
        {attachments.map(({ name, description, size_bytes: size }) => (
          <li key={name} className="break-words">
            {name}
            {description && `: ${description}`}
            {size === null ? ' (illeggibile)' : ` (${formatBytes(size)})`}
          </li>
        ))}
      </ul>
    </Section>
  )
}
