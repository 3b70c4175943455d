import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import { formatBytes } from '@/strings/files'

type Props = { icon: LucideIcon; file: File; note?: string; onRefuse: () => void; children?: ReactNode }

/** One shared file: what it is, what to do with it (`children`), and the way to be rid of it. */
export function PieceRow({ icon: Icon, file, note, onRefuse, children }: Props) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <Icon aria-hidden className="size-5 shrink-0 text-primary" />
      <div className="grid min-w-40 flex-1">
        <span className="font-medium break-words">{file.name}</span>
        <span className="text-sm text-muted-foreground">{note ?? formatBytes(file.size)}</span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="ghost" aria-label={`Scarta: ${file.name}`} onClick={onRefuse}>
          Scarta
        </Button>
        {children}
      </div>
    </li>
  )
}
