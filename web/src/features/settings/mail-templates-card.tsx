/** The templates that a person begins mails with. */
import { useQuery } from '@tanstack/react-query'
import { LayoutTemplateIcon, PencilIcon, PlusIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { MailTemplateDialog } from '@/components/mail-template-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuGroup,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { Skeleton } from '@/components/ui/skeleton'
import type { MailAccount } from '@/data/mail'
import {
  type MailTemplate,
  mailTemplatesQuery,
  type TemplateText,
  useDeleteTemplate,
  useSaveTemplate,
} from '@/data/mail-templates'
import { mailStarters } from '@/strings/mail-starters'

const UNDO_MS = 8_000

const blank: TemplateText = { name: '', subject: null, body: '' }

type Props = { userId: string; account: MailAccount | null }
type Opened = { template: MailTemplate; isNew: boolean }

export function MailTemplatesCard({ userId, account }: Props) {
  const { data: templates, isError, refetch } = useQuery(mailTemplatesQuery(userId))
  const save = useSaveTemplate(userId)
  const remove = useDeleteTemplate(userId)
  const [opened, setOpened] = useState<Opened | null>(null)

  const begin = (text: TemplateText) =>
    setOpened({ template: { id: crypto.randomUUID(), ...text, name: freeName(text.name, templates) }, isNew: true })

  function onRemove(template: MailTemplate) {
    const onError = () =>
      toast.error('Non siamo riusciti a eliminare il modello: riprova', { description: template.name })
    const undo = () =>
      save.mutate(template, {
        onSuccess: () => toast.success('Modello ripristinato', { description: template.name }),
        onError: () =>
          toast.error('Non siamo riusciti a ripristinare il modello: riprova', { description: template.name }),
      })
    remove.mutate(template.id, {
      onError,
      onSuccess: () =>
        toast('Modello eliminato', {
          description: template.name,
          duration: UNDO_MS,
          action: { label: 'Annulla', onClick: undo },
        }),
    })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Modelli di email</CardTitle>
        <CardDescription>
          Testi che scrivi una volta e usi quando scrivi a un contatto: nome, fattura e trattativa si compilano da soli.
          Un’email in cui manca un dato non parte.
        </CardDescription>
      </CardHeader>
      {isError && !templates && (
        <LoadError text="Non riusciamo a leggere i tuoi modelli in questo momento." onRetry={() => void refetch()} />
      )}
      {!templates && !isError && <Skeleton aria-busy className="h-24" />}
      {templates?.length === 0 && <Starters onBegin={begin} />}
      {templates && templates.length > 0 && (
        <>
          <ul aria-label="Modelli di email" className="divide-y">
            {templates.map((template) => (
              <li key={template.id} className="flex items-center gap-3 py-2">
                <div className="grid min-w-0 flex-1">
                  <span className="font-medium break-words">{template.name}</span>
                  <span className="truncate text-sm text-muted-foreground">{template.subject ?? template.body}</span>
                </div>
                <div className="-mr-2 flex">
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Modifica ${template.name}`}
                    onClick={() => setOpened({ template, isNew: false })}
                  >
                    <PencilIcon aria-hidden />
                  </Button>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Elimina ${template.name}`}
                    disabled={remove.isPending}
                    onClick={() => onRemove(template)}
                  >
                    <Trash2Icon aria-hidden />
                  </Button>
                </div>
              </li>
            ))}
          </ul>
          <NewTemplate onBegin={begin} />
        </>
      )}
      {opened && (
        <MailTemplateDialog
          key={opened.template.id}
          userId={userId}
          account={account}
          {...opened}
          onClose={() => setOpened(null)}
        />
      )}
    </Card>
  )
}

/** The name, with a number where the person has a template of that name. */
function freeName(name: string, templates: MailTemplate[] = []): string {
  const taken = new Set(templates.map((template) => template.name.toLowerCase()))
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} ${number}`
  return free
}

type BeginProps = { onBegin: (text: TemplateText) => void }

function Starters({ onBegin }: BeginProps) {
  return (
    <EmptyState
      icon={LayoutTemplateIcon}
      title="Non hai ancora modelli"
      text="Parti da uno pronto e cambialo come vuoi."
    >
      <div className="flex flex-wrap justify-center gap-2">
        {mailStarters.map((starter) => (
          <Button key={starter.name} variant="outline" size="sm" onClick={() => onBegin(starter)}>
            {starter.name}
          </Button>
        ))}
      </div>
      <Button variant="ghost" size="sm" onClick={() => onBegin(blank)}>
        <PlusIcon aria-hidden /> Scrivine uno da zero
      </Button>
    </EmptyState>
  )
}

function NewTemplate({ onBegin }: BeginProps) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" size="sm" className="self-start">
          <PlusIcon aria-hidden /> Nuovo modello
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        <DropdownMenuItem onSelect={() => onBegin(blank)}>Da zero</DropdownMenuItem>
        <DropdownMenuGroup aria-label="Da uno pronto">
          <DropdownMenuLabel>Da uno pronto</DropdownMenuLabel>
          {mailStarters.map((starter) => (
            <DropdownMenuItem key={starter.name} onSelect={() => onBegin(starter)}>
              {starter.name}
            </DropdownMenuItem>
          ))}
        </DropdownMenuGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
