/** The event that a mail invites to, as a proposal: one press makes a task of it. */
import { useQuery } from '@tanstack/react-query'
import { CalendarPlusIcon } from 'lucide-react'
import { toast } from 'sonner'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { mailTaskQuery, type MailInvitation, type ReceivedMail } from '@/data/inbox'
import { useAddTasks } from '@/data/task-changes'
import { paths } from '@/paths'
import { dayAndMonth, fullDate } from '@/strings/dates'

export function InvitationCard({ mail }: { mail: ReceivedMail }) {
  const invitation = mail.invitation as MailInvitation | null
  if (!invitation || mail.folder === 'inviati') return null
  const { title, starts_at: startsAt, is_allday: isAllday, place, is_cancelled: isCancelled, repeats } = invitation
  return (
    <section aria-label="Invito" className="grid justify-items-start gap-1 rounded-md bg-muted p-3 text-sm">
      <p className="font-medium break-words">
        {isCancelled && 'Annullato: '}
        {title}
      </p>
      <p className="break-words text-muted-foreground">
        {startsAt ? (isAllday ? dayAndMonth(startsAt) : fullDate(startsAt)) : 'Giorno e ora sono nel messaggio'}
        {place && ` · ${place}`}
        {repeats && ' · si ripete'}
      </p>
      {!isCancelled && <TaskButton mail={mail} invitation={invitation} />}
    </section>
  )
}

/** The task has the id of the mail, so that it is made once. */
function TaskButton({ mail, invitation }: { mail: ReceivedMail; invitation: MailInvitation }) {
  const { id: userId } = useUser()
  const { data: isMade } = useQuery(mailTaskQuery(userId, mail.id))
  const add = useAddTasks(userId)

  async function onAdd() {
    const notes = [invitation.place, `Invito di ${mail.sender_name ?? mail.sender ?? 'mittente sconosciuto'}`]
    try {
      await add.mutateAsync([
        {
          id: mail.id,
          title: invitation.title,
          notes: notes.filter(Boolean).join('\n'),
          due_at: invitation.starts_at,
          due_is_allday: invitation.is_allday,
          contact_id: mail.contact_id,
        },
      ])
      toast.success('È tra le tue attività')
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  if (isMade)
    return (
      <Link className="underline" to={paths.task(mail.id)}>
        È tra le tue attività
      </Link>
    )
  return (
    <Button variant="outline" size="sm" disabled={add.isPending || isMade === undefined} onClick={() => void onAdd()}>
      <CalendarPlusIcon aria-hidden /> Aggiungi alle attività
    </Button>
  )
}
