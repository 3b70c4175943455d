/** What the forms that send mails, or a WhatsApp template to several people, have alike: why, when, and what it looks like. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { SenderLine } from '@/components/sender-line'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { type MailAccount, nextMailTimeQuery } from '@/data/mail'
import type { Enums } from '@/data/tables'
import { instantOf, wallTime } from '@/lib/rome-time'
import { fullDate } from '@/strings/dates'
import { mailBases } from '@/strings/mail'

type Basis = Enums<'mail_basis'>
/** In the hours in which people are written to; at any hour; when its writer says. */
export type When = 'orario' | 'subito' | 'tardi'

const SOON_MS = 60_000

/** Whether a mail that leaves then is as good as gone. */
export const isSoon = (leavesAt: string): boolean => Date.parse(leavesAt) - Date.now() < SOON_MS

/** The moment before which a mail does not leave; null: now. */
export const wantedTime = (when: When, later: string): string | null =>
  when === 'tardi' && later ? instantOf(later) : null

export function Field({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      {children}
    </div>
  )
}

export function BasisField({ value, onChange }: { value: Basis; onChange: (value: Basis) => void }) {
  return (
    <Field id="perche-mail" label="Che cos’è">
      <Select id="perche-mail" value={value} onChange={({ target }) => onChange(target.value as Basis)}>
        {Object.entries(mailBases).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  )
}

type WhenProps = {
  /** A promotion keeps the rest of its recipient. */
  canBeAtOnce: boolean
  value: When
  /** What the clock in Italy shows then. */
  later: string
  onChange: (value: When) => void
  onLater: (later: string) => void
}

export function WhenField({ canBeAtOnce, value, later, onChange, onLater }: WhenProps) {
  const [earliest] = useState(() => wallTime(new Date()))
  return (
    <>
      <Field id="quando-mail" label="Quando parte">
        <Select id="quando-mail" value={value} onChange={({ target }) => onChange(target.value as When)}>
          <option value="orario">Appena è orario: 8–21, non nei festivi</option>
          {canBeAtOnce && <option value="subito">Subito, a qualunque ora</option>}
          <option value="tardi">Più tardi, a un’ora che scelgo io</option>
        </Select>
      </Field>
      {value === 'tardi' && (
        <Field id="ora-mail" label="Giorno e ora">
          <Input
            id="ora-mail"
            type="datetime-local"
            value={later}
            min={earliest}
            onChange={({ target }) => onLater(target.value)}
          />
        </Field>
      )}
      {value !== 'subito' && <Departure at={wantedTime(value, later)} />}
    </>
  )
}

/** When it leaves, where that is not at once. */
export function Departure({ at }: { at: string | null }) {
  const { data: leavesAt } = useQuery(nextMailTimeQuery(at))
  if (!leavesAt || isSoon(leavesAt)) return null
  const isMoved = at !== null && Date.parse(leavesAt) !== Date.parse(at)
  return (
    <p role="status" className="text-sm text-muted-foreground">
      Parte {fullDate(leavesAt)}
      {(at === null || isMoved) && ': prima è sera, notte o festa per chi riceve'}.
    </p>
  )
}

type PreviewProps = {
  /** Null before one is connected. */ account: MailAccount | null
  subject: string
  body: string
  basis: Basis
}

/** A mail as its recipient sees it. */
export function LetterPreview({ account, subject, body, basis }: PreviewProps) {
  return (
    <div className="grid gap-1 rounded-md border bg-background p-3 text-sm break-words">
      {account && (
        <p className="text-muted-foreground">
          Da: <SenderLine account={account} />
        </p>
      )}
      <p className="font-medium">{subject}</p>
      <p className="whitespace-pre-wrap">{body.trim()}</p>
      {account?.signature && <p className="mt-3 whitespace-pre-wrap text-muted-foreground">{account.signature}</p>}
      {basis !== 'contratto' && (
        <p className="mt-3 text-muted-foreground">
          Non vuoi più ricevere queste email? <span className="underline">Disiscriviti qui</span>
        </p>
      )}
    </div>
  )
}
