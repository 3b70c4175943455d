import { CheckIcon, CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'

/** Puts `text` on the clipboard and says so in place. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      toast.error('Copia non riuscita: seleziona il testo e copialo a mano.')
    }
  }

  const Icon = isCopied ? CheckIcon : CopyIcon
  return (
    <Button variant="outline" size="sm" onClick={() => void copy()}>
      <Icon aria-hidden />
      <span aria-live="polite">{isCopied ? 'Copiato' : label}</span>
    </Button>
  )
}
