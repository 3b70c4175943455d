/** The six stops of the guided tour, in their order (LAYOUT-06), on elements marked with `data-tour`. */
import { XIcon } from 'lucide-react'
import { useId } from 'react'
import { type EventHandler, Joyride, type Options, type Step, type TooltipRenderProps } from 'react-joyride'

import { Button } from '@/components/ui/button'
import { endTour } from '@/lib/tour'

const stop = (target: string, title: string, content: string): Step => ({
  id: target,
  target: `[data-tour="${target}"]`,
  title,
  content,
})

const steps: Step[] = [
  stop('dashboard', 'La tua giornata', 'Da qui riparti ogni mattina: il briefing, i soldi e che cosa fare adesso.'),
  stop('chat-ai', 'La chat con Socio', 'Chiedi con parole tue: Socio risponde guardando i tuoi dati.'),
  stop('crm', 'I tuoi contatti', 'Clienti e trattative in un posto solo, con la storia di ognuno.'),
  stop('documents', 'I documenti', 'Carica fatture, contratti e preventivi: li ritrovi quando servono.'),
  stop('tasks', 'Attività e progetti', 'Quello che c’è da fare, e per quando.'),
  stop('credits', 'I crediti', 'Le funzioni IA si pagano a crediti. Qui vedi sempre quanti ne restano.'),
]

const locale = { back: 'Indietro', close: 'Chiudi', last: 'Fine', next: 'Avanti', skip: 'Salta' }

const options: Partial<Options> = {
  zIndex: 10_000,
  buttons: ['back', 'close', 'primary', 'skip'],
  closeButtonAction: 'skip',
  overlayClickAction: false,
  dismissKeyAction: false,
  // The beacon and the loader of the library bring <style> elements, which our CSP refuses.
  skipBeacon: true,
  skipScroll: true,
  blockTargetInteraction: true,
  // The stops are on screen from the start; one that is not will not come.
  targetWaitTimeout: 0,
  spotlightPadding: 4,
  spotlightRadius: 10,
  overlayColor: 'rgb(28 27 23 / 0.55)',
}

const onEvent: EventHandler = (event) => {
  if (event.type === 'error:target_not_found') {
    console.warn(`Guided tour: «${event.step.id}» is missing or not visible, skipped`)
  }
  if (event.type === 'tour:end') endTour()
}

export default function TourSteps() {
  return (
    <Joyride
      run
      continuous
      steps={steps}
      locale={locale}
      options={options}
      floatingOptions={{ hideArrow: true }}
      tooltipComponent={TourCard}
      loaderComponent={null}
      onEvent={onEvent}
    />
  )
}

function TourCard({ index, size, isLastStep, step, controls, closeProps }: TooltipRenderProps) {
  const id = useId()
  return (
    <div
      role="alertdialog"
      aria-modal
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      className="relative grid w-[min(22rem,calc(100vw-20px))] gap-3 rounded-xl border bg-popover p-5 text-popover-foreground shadow-float"
    >
      <p className="text-xs font-medium text-muted-foreground tabular">
        {index + 1} di {size}
      </p>
      <h2 id={`${id}-title`} className="pr-8 text-base font-semibold">
        {step.title}
      </h2>
      <p id={`${id}-text`} className="text-sm text-pretty text-muted-foreground">
        {step.content}
      </p>
      <div className="mt-1 flex items-center gap-2">
        {!isLastStep && (
          <Button variant="ghost" className="-ml-3 px-3 text-muted-foreground" onClick={() => controls.skip()}>
            {locale.skip}
          </Button>
        )}
        <span className="ml-auto flex gap-2">
          {index > 0 && (
            <Button variant="outline" onClick={() => controls.prev()}>
              {locale.back}
            </Button>
          )}
          {/* The library puts the focus on what carries this mark. */}
          <Button data-action="primary" onClick={() => controls.next()}>
            {isLastStep ? locale.last : locale.next}
          </Button>
        </span>
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={locale.close}
        className="absolute top-1.5 right-1.5 text-muted-foreground"
        onClick={closeProps.onClick}
      >
        <XIcon aria-hidden />
      </Button>
    </div>
  )
}
