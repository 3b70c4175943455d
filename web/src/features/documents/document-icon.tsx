import {
  FileArchiveIcon,
  FileTypeIcon,
  FileIcon,
  FileTextIcon,
  ImageIcon,
  type LucideIcon,
  MailIcon,
  ReceiptEuroIcon,
} from 'lucide-react'

import { cn } from '@/lib/cn'
import { type DocumentKind, kindOf } from '@/lib/document-types'

const icons: Record<DocumentKind, LucideIcon> = {
  pdf: FileTextIcon,
  image: ImageIcon,
  invoice: ReceiptEuroIcon,
  mail: MailIcon,
  text: FileTypeIcon,
  archive: FileArchiveIcon,
}

/** What kind of file it is, at a glance; the words stand beside it. */
export function DocumentIcon({ name, className }: { name: string; className?: string }) {
  const kind = kindOf(name)
  const Icon = kind ? icons[kind] : FileIcon
  return <Icon aria-hidden className={cn('size-6 shrink-0 text-primary', className)} strokeWidth={1.5} />
}
