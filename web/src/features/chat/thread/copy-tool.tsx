import { CheckIcon, CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { ToolButton } from '@/features/chat/thread/tool-button'

/** Puts a message on the clipboard. */
export function CopyTool({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      toast.error('Copia non riuscita: seleziona il testo e copialo a mano.')
    }
  }

  return (
    <ToolButton
      icon={isCopied ? CheckIcon : CopyIcon}
      label={isCopied ? 'Copiato' : 'Copia'}
      onClick={() => void copy()}
    />
  )
}
