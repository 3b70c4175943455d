import { useEffect, useState } from 'react'
import { Toaster as Sonner, type ToasterProps, useSonner } from 'sonner'

const classNames = {
  toast:
    'flex-wrap! gap-3! rounded-md! border-border! bg-card! px-4! py-3! font-sans! text-sm! text-foreground! shadow-float!',
  // A long action moves to its own line instead of squeezing the text.
  content: 'min-w-48 flex-1',
  title: 'font-medium!',
  description: 'text-muted-foreground!',
  success: '[&_[data-icon]]:text-success',
  warning: '[&_[data-icon]]:text-warning',
  error: '[&_[data-icon]]:text-error',
  info: '[&_[data-icon]]:text-info',
  actionButton:
    '-my-1.5! -mr-2! h-11! rounded-md! bg-transparent! px-3! text-sm! font-semibold! text-primary! hover:bg-muted!',
}

/** Toasts in the half of the screen that was not touched last, so that they do not cover what they speak of. */
export function Toaster(props: ToasterProps) {
  const side = useFreeSide()
  return (
    <Sonner
      position={`${side}-center`}
      // Clear of the top bar with the bell and the logout button, and of the navigation below.
      offset={{ top: 68, bottom: 92 }}
      mobileOffset={{ top: 64, bottom: 'calc(4.25rem + env(safe-area-inset-bottom))', left: 12, right: 12 }}
      containerAriaLabel="Avvisi"
      toastOptions={{ classNames, duration: 6000, closeButtonAriaLabel: 'Chiudi l’avviso' }}
      {...props}
    />
  )
}

function useFreeSide(): 'top' | 'bottom' {
  const [side, setSide] = useState<'top' | 'bottom'>('top')
  // What is being read does not move away.
  const isShowing = useSonner().toasts.length > 0
  useEffect(() => {
    if (isShowing) return undefined
    const choose = ({ target }: Event) => {
      if (target instanceof Element) {
        setSide(target.closest(belowIsTaken) || isInLowerHalf(target) ? 'top' : 'bottom')
      }
    }
    addEventListener('pointerdown', choose, true)
    addEventListener('keydown', choose, true)
    return () => {
      removeEventListener('pointerdown', choose, true)
      removeEventListener('keydown', choose, true)
    }
  }, [isShowing])
  return side
}

/** Forms, whose keyboard covers a phone from below, and dialogs, which have their buttons there. */
const belowIsTaken =
  'form, input:not([type="checkbox"], [type="radio"]), textarea, [role="dialog"], [role="alertdialog"]'

function isInLowerHalf(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top + bottom > innerHeight
}
