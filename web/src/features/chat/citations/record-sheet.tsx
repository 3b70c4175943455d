/** The record that was cited, beside the conversation: its facts, and the way to its page. */
import { Sheet, SheetContent, SheetDescription, SheetTitle } from '@/components/ui/sheet'
import type { ChatRef } from '@/data/chat'
import { refKinds } from '@/features/chat/citations/kinds'
import { Record } from '@/features/chat/citations/records'

type Props = { userId: string; record: ChatRef | null; onClose: () => void }

export function RecordSheet({ userId, record, onClose }: Props) {
  return (
    <Sheet open={record !== null} onOpenChange={(isOpen) => !isOpen && onClose()}>
      {record && (
        <SheetContent side="right">
          <SheetDescription className="pr-10">{refKinds[record.kind].label}</SheetDescription>
          <SheetTitle className="-mt-3 break-words">{record.label}</SheetTitle>
          <Record key={`${record.kind}-${record.id}`} userId={userId} record={record} />
        </SheetContent>
      )}
    </Sheet>
  )
}
