/** «Trasforma in…»: a conversation becomes a task, a deal or a document, once each; then the menu opens them. */
import { useQuery } from '@tanstack/react-query'
import { ChevronDownIcon, FileTextIcon, HandshakeIcon, ListTodoIcon } from 'lucide-react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { mailTaskQuery, type MailThread, type ReceivedMail, useFileMail, useMakeDeal } from '@/data/inbox'
import { useAddTasks } from '@/data/task-changes'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'

type Props = { userId: string; thread: MailThread; last: ReceivedMail | undefined }

export function ThreadMenu({ userId, thread, last }: Props) {
  const navigate = useNavigate()
  const { data: hasTask = false } = useQuery(mailTaskQuery(userId, thread.id))
  const add = useAddTasks(userId)
  const deal = useMakeDeal(userId)
  const file = useFileMail(userId)
  const isBusy = add.isPending || deal.isPending || file.isPending

  /** Makes something and offers to open it. */
  async function make(what: string, work: () => Promise<string>) {
    try {
      const to = await work()
      toast.success(what, { action: { label: 'Apri', onClick: () => void navigate(to) } })
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a salvare: riprova')
    }
  }

  // The task has the id of the conversation, so that it is made once.
  async function makeTask() {
    const from = thread.party_name ?? thread.party
    const task = { id: thread.id, title: thread.subject, contact_id: thread.contact_id, origin: 'email' }
    await add.mutateAsync([{ ...task, notes: from ? `Email di ${from}` : '' }])
    return paths.task(thread.id)
  }

  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" size="sm" disabled={isBusy}>
          Trasforma in <ChevronDownIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        {hasTask ? (
          <DropdownMenuItem onSelect={() => void navigate(paths.task(thread.id))}>
            <ListTodoIcon /> Apri l’attività
          </DropdownMenuItem>
        ) : (
          <DropdownMenuItem onSelect={() => void make('È tra le tue attività', makeTask)}>
            <ListTodoIcon /> Attività
          </DropdownMenuItem>
        )}
        <DropdownMenuItem
          onSelect={() =>
            void make(thread.deal_id ? 'È fra le tue trattative' : 'Trattativa aperta', async () =>
              paths.crmDeal(await deal.mutateAsync(thread.id)),
            )
          }
        >
          <HandshakeIcon /> Trattativa
        </DropdownMenuItem>
        {last?.storage_path && (
          <DropdownMenuItem
            onSelect={() =>
              void make('È tra i tuoi documenti', async () =>
                paths.document(await file.mutateAsync({ id: last.id, file: null })),
              )
            }
          >
            <FileTextIcon /> Documento
          </DropdownMenuItem>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
