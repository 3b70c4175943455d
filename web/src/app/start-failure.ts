/** Fills `container` when nothing can work: the server's settings, or the code itself, did not arrive (so no React). */
export function showStartFailure(container: HTMLElement): void {
  const title = element('h1', 'font-display text-3xl font-medium', 'Socio non risponde')
  const text = element(
    'p',
    'max-w-md text-muted-foreground',
    'Non riusciamo a raggiungere il server. Controlla la connessione e riprova tra un momento.',
  )
  const retry = element('button', 'button button-default button-size-default mt-3', 'Riprova')
  retry.addEventListener('click', () => window.location.reload())
  const main = element('main', 'column grid min-h-dvh place-content-center justify-items-center gap-3 text-center')
  main.append(title, text, retry)
  container.replaceChildren(main)
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}
