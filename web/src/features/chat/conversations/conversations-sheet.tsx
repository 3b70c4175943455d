import { MessagesSquareIcon } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/ui/button'
import { Sheet, SheetContent, SheetDescription, SheetTitle, SheetTrigger } from '@/components/ui/sheet'
import { ConversationList } from '@/features/chat/conversations/conversation-list'

type Props = { userId: string; currentId: string | null }

/** The list where it has no column of its own: a button, and a sheet from below. */
export function ConversationsSheet({ userId, currentId }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Sheet open={isOpen} onOpenChange={setOpen}>
      <SheetTrigger asChild>
        <Button variant="outline" size="icon" className="lg:hidden" aria-label="Conversazioni">
          <MessagesSquareIcon aria-hidden />
        </Button>
      </SheetTrigger>
      {/* The search would bring the keyboard of a phone along. */}
      <SheetContent className="h-[85dvh]" onOpenAutoFocus={(event) => event.preventDefault()}>
        <SheetTitle className="pr-10">Conversazioni</SheetTitle>
        <SheetDescription className="sr-only">Cerca, apri o riordina le tue conversazioni.</SheetDescription>
        <ConversationList userId={userId} currentId={currentId} onChoose={() => setOpen(false)} />
      </SheetContent>
    </Sheet>
  )
}
