/** One received mail: its text, its quotations folded, and on request as it was formatted. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlertIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import {
  formattedMailQuery,
  type MailCertificate,
  type MailFile,
  type MailWarning,
  type ReceivedMail,
} from '@/data/inbox'
import { InvitationCard } from '@/features/crm/invitation-card'
import { CertifiedLine } from '@/features/crm/certified-line'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'
import { mailKinds, warningText } from '@/strings/inbox'

export function MailMessage({ mail }: { mail: ReceivedMail }) {
  const [isFormatted, setFormatted] = useState(false)
  const warnings = mail.warnings as MailWarning[]
  const files = mail.files as MailFile[]
  return (
    <article className="grid gap-2 rounded-lg border p-3">
      <header className="text-sm">
        <p className="font-medium break-words">
          {mail.folder === 'inviati' ? 'Tu' : (mail.sender_name ?? mail.sender ?? 'Mittente sconosciuto')}
        </p>
        <p className="break-words text-muted-foreground">
          {[mail.sender, fullDate(mail.at), mailKinds[mail.kind]].filter(Boolean).join(' · ')}
        </p>
      </header>
      <CertifiedLine certificate={mail.certificate as MailCertificate | null} />
      {warnings.map((warning) => (
        <p
          key={warning.kind + warning.value}
          role="alert"
          className="flex gap-2 rounded-md border border-error p-2 text-sm break-words text-error"
        >
          <TriangleAlertIcon aria-hidden className="size-4 shrink-0" /> {warningText(warning)}
        </p>
      ))}
      {isFormatted ? (
        <Formatted id={mail.id} />
      ) : (
        <p className="text-sm break-words whitespace-pre-wrap">{mail.body}</p>
      )}
      <InvitationCard mail={mail} />
      {mail.quoted && !isFormatted && (
        <details className="text-sm text-muted-foreground">
          <summary className="flex min-h-11 cursor-pointer items-center">Messaggi precedenti</summary>
          <p className="break-words whitespace-pre-wrap">{mail.quoted}</p>
        </details>
      )}
      {!mail.is_whole && <p className="text-sm text-muted-foreground">È troppo grande: leggila nella tua casella.</p>}
      {files.length > 0 && (
        <ul aria-label="Allegati" className="grid gap-1 text-sm break-words">
          {files.map((file) => (
            <li key={file.name + file.bytes}>
              {file.document_id ? (
                <Link className="underline" to={paths.document(file.document_id)}>
                  {file.name}
                </Link>
              ) : (
                file.name
              )}
            </li>
          ))}
        </ul>
      )}
      {mail.storage_path && (
        <Button
          className="justify-self-start"
          variant="ghost"
          size="sm"
          aria-pressed={isFormatted}
          onClick={() => setFormatted(!isFormatted)}
        >
          {isFormatted ? 'Mostra il testo' : 'Mostra formattata'}
        </Button>
      )}
    </article>
  )
}

/** In a frame without scripts, whose pictures are the mail's own. */
function Formatted({ id }: { id: string }) {
  const { id: userId } = useUser()
  const { data, isError } = useQuery(formattedMailQuery(userId, id))
  if (isError) return <p className="text-sm text-muted-foreground">Non riusciamo a mostrarla: riprova più tardi.</p>
  if (!data) return <p className="text-sm text-muted-foreground">Un momento…</p>
  if (data.url === null) return <p className="text-sm text-muted-foreground">Questa e-mail è solo testo.</p>
  return (
    <>
      {data.hasHiddenPictures && (
        <p className="text-sm text-muted-foreground">Le immagini che stanno altrove non si caricano.</p>
      )}
      <iframe
        title="E-mail formattata"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        src={data.url}
        className="h-96 w-full rounded-md border bg-white"
      />
    </>
  )
}
