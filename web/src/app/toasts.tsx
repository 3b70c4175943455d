/** The toasts. They tell what one person did: none of them is left on the screen for the next one in this browser. */
import { useEffect } from 'react'
import { toast, type ToasterProps } from 'sonner'

import { Toaster } from '@/components/ui/sonner'
import { onPersonGone, onSessionClosed } from '@/data/session'

export default function Toasts(props: ToasterProps) {
  useEffect(() => onPersonGone(() => void toast.dismiss()), [])
  useEffect(
    () =>
      onSessionClosed(() => void toast.info('La sessione è stata chiusa: accedi di nuovo.', { id: 'session-closed' })),
    [],
  )
  return <Toaster {...props} />
}
