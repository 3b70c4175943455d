import { Toaster as Sonner, type ToasterProps } from 'sonner'

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

export function Toaster(props: ToasterProps) {
  return (
    <Sonner
      position="top-center"
      // Below the top bar, so that a toast never covers the bell and the logout button.
      offset={68}
      mobileOffset={{ top: 64, left: 12, right: 12 }}
      containerAriaLabel="Avvisi"
      toastOptions={{ classNames, duration: 6000, closeButtonAriaLabel: 'Chiudi l’avviso' }}
      {...props}
    />
  )
}
