/** Begins a mail with a template, or keeps what is written as one. */
import { useQuery } from '@tanstack/react-query'
import { BookmarkPlusIcon, LayoutTemplateIcon } from 'lucide-react'
import { useState } from 'react'

import { MailTemplateDialog } from '@/components/mail-template-dialog'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuGroup,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import type { MailAccount } from '@/data/mail'
import { type MailTemplate, mailTemplatesQuery, type TemplateText } from '@/data/mail-templates'
import { mailStarters } from '@/strings/mail-starters'

type Props = {
  userId: string
  account: MailAccount
  /** What is written, with places for the values of this mail; asked for when it is to be kept. */
  asTemplate: () => Promise<Omit<TemplateText, 'name'> | null>
  canKeep: boolean
  onUse: (template: TemplateText) => void
}

export function MailTemplateMenu({ userId, account, asTemplate, canKeep, onUse }: Props) {
  const { data: own, isError } = useQuery(mailTemplatesQuery(userId))
  const [kept, setKept] = useState<MailTemplate | null>(null)
  const offered: TemplateText[] = own && own.length > 0 ? own : mailStarters

  async function keep() {
    const text = await asTemplate()
    if (text) setKept({ id: crypto.randomUUID(), name: '', ...text })
  }

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button variant="outline" size="sm" className="justify-self-start">
            <LayoutTemplateIcon aria-hidden /> Usa un modello
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent
          align="start"
          className="max-h-[min(24rem,60dvh)] max-w-[min(24rem,calc(100vw-2rem))] overflow-y-auto"
        >
          <DropdownMenuGroup>
            <DropdownMenuLabel>{labelOf(own, isError)}</DropdownMenuLabel>
            {offered.map((template) => (
              <DropdownMenuItem key={template.name} onSelect={() => onUse(template)}>
                <span className="truncate">{template.name}</span>
              </DropdownMenuItem>
            ))}
          </DropdownMenuGroup>
          {canKeep && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuItem onSelect={() => void keep()}>
                <BookmarkPlusIcon /> Salva come modello…
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {kept && (
        <MailTemplateDialog userId={userId} account={account} template={kept} isNew onClose={() => setKept(null)} />
      )}
    </>
  )
}

function labelOf(own: MailTemplate[] | undefined, isError: boolean): string {
  if (isError && !own) return 'Non riusciamo a leggere i tuoi modelli: ecco quelli pronti'
  if (own && own.length > 0) return 'I tuoi modelli'
  return 'Modelli pronti: i tuoi li scrivi in Impostazioni, Canali'
}
