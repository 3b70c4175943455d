/** One received mail: its text, its quotations folded, and on request as it was formatted. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { TriangleAlertIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import {
  formattedMailQuery,
  type MailCertificate,
  type MailFile,
  type MailWarning,
  type ReceivedMail,
  useFileMail,
} from '@/data/inbox'
import { InvitationCard } from '@/features/crm/invitation-card'
import { CertifiedLine } from '@/features/crm/certified-line'
import { FunctionError } from '@/lib/server-errors'
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
      {mail.is_forwarded && (
        <p className="text-sm text-muted-foreground">Inoltrata da te: il mittente e la data non sono verificati.</p>
      )}
      {isUnverified(mail) && (
        <p className="text-sm text-muted-foreground">
          Mittente non verificato: niente prova che venga davvero da questo indirizzo.
        </p>
      )}
      {mail.is_answered && (
        <p className="text-sm text-muted-foreground">Hai già risposto dalla tua casella, fuori da Socio.</p>
      )}
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
          {files.map((file, place) => (
            <Attachment key={file.name + file.bytes} mail={mail} file={file} place={place} />
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

/** Nothing proves the sender of a mail that came to an address of ours; a failed proof is a warning. */
const isUnverified = (mail: ReceivedMail) =>
  mail.is_by_address && !mail.is_forwarded && mail.folder === 'ricevuti' && mail.sender !== null && !mail.dmarc

type AttachmentProps = { mail: ReceivedMail; file: MailFile; place: number }

/** Those of contacts are documents already; others become one when somebody wants it. */
function Attachment({ mail, file, place }: AttachmentProps) {
  const { id: userId } = useUser()
  const save = useFileMail(userId)
  if (file.document_id)
    return (
      <li>
        <Link className="underline" to={paths.document(file.document_id)}>
          {file.name}
        </Link>
      </li>
    )

  async function onSave() {
    try {
      await save.mutateAsync({ id: mail.id, file: place })
      toast.success('È tra i tuoi documenti', { description: file.name })
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 break-words">{file.name}</span>
      {mail.storage_path && (
        <Button variant="ghost" size="sm" disabled={save.isPending} onClick={() => void onSave()}>
          Salva nei documenti<span className="sr-only"> {file.name}</span>
        </Button>
      )}
    </li>
  )
}

/** In a frame without scripts, whose pictures are the mail's own. */
function Formatted({ id }: { id: string }) {
  const { id: userId } = useUser()
  const [withPictures, setWithPictures] = useState(false)
  const { data, isError, isPlaceholderData } = useQuery({
    ...formattedMailQuery(userId, id, withPictures),
    placeholderData: keepPreviousData,
  })
  if (isError) return <p className="text-sm text-muted-foreground">Non riusciamo a mostrarla: riprova più tardi.</p>
  if (!data) return <p className="text-sm text-muted-foreground">Un momento…</p>
  if (data.url === null) return <p className="text-sm text-muted-foreground">Questa email è solo testo.</p>
  return (
    <>
      {data.hasHiddenPictures && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground">
          {withPictures && !isPlaceholderData ? (
            <p>Alcune immagini non si possono mostrare.</p>
          ) : (
            <>
              <p>Le immagini che stanno altrove non si caricano: chi scrive saprebbe che leggi.</p>
              <Button variant="outline" size="sm" disabled={withPictures} onClick={() => setWithPictures(true)}>
                Mostra immagini
              </Button>
            </>
          )}
        </div>
      )}
      <iframe
        title="Email formattata"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        src={data.url}
        className="h-96 w-full rounded-md border bg-white"
      />
    </>
  )
}
