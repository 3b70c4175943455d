import { Toaster as Sonner, type ToasterProps } from 'sonner'

export function Toaster(props: ToasterProps) {
  return (
    <Sonner
      position="top-center"
      // Below the top bar, so that a toast never covers the bell and the logout button.
      offset={68}
      mobileOffset={{ top: 64, left: 12, right: 12 }}
      containerAriaLabel="Avvisi"
      closeButton
      toastOptions={{ closeButtonAriaLabel: 'Chiudi avviso' }}
      {...props}
    />
  )
}
