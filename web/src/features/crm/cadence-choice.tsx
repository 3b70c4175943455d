/** When it is time to be in touch again, and putting that off. */
import { addDays } from 'date-fns'
import { AlarmClockIcon, AlarmClockOffIcon } from 'lucide-react'
import { clsx } from 'clsx'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { useSnoozeContact, type WholeContact } from '@/data/contacts'
import { isDue, isSnoozed, touchLabel } from '@/features/crm/cadence'
import { fullDate, relativeTime } from '@/strings/dates'

const snoozes = [
  { days: 1, label: 'Domani' },
  { days: 7, label: 'Tra una settimana' },
  { days: 30, label: 'Tra un mese' },
]

export function Cadence({ contact }: { contact: WholeContact }) {
  const { id, last_interaction_at: last, next_touch_at, snoozed_until, touch_days } = contact
  const snooze = useSnoozeContact(() => toast.error('Non siamo riusciti a rimandare: riprova'))

  function putOff(days: number) {
    snooze.mutate({ id, until: addDays(new Date(), days).toISOString() })
    toast('Promemoria rimandato', {
      description: contact.name,
      action: { label: 'Annulla', onClick: () => snooze.mutate({ id, until: snoozed_until }) },
    })
  }

  return (
    <section aria-label="Cadenza" className="grid gap-2 border-t pt-4 text-sm">
      <p className="text-muted-foreground">
        {last ? (
          <>
            Ultimo contatto{' '}
            <time dateTime={last} title={fullDate(last)} className="text-foreground">
              {relativeTime(last)}
            </time>
          </>
        ) : (
          'Ancora nessun contatto registrato'
        )}
      </p>
      {next_touch_at ? (
        <p className={clsx('font-medium', isDue(contact) && 'text-terracotta')}>
          {touchLabel(contact)}
          {touch_days && <span className="font-normal text-muted-foreground"> · ogni {touch_days} giorni</span>}
        </p>
      ) : (
        <p className="text-muted-foreground">Nessuna cadenza: la scegli in «Modifica», o con un tag.</p>
      )}
      {next_touch_at && (
        <div className="flex flex-wrap gap-2">
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button variant="outline" size="sm">
                <AlarmClockIcon aria-hidden /> Rimanda
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent align="start">
              {snoozes.map(({ days, label }) => (
                <DropdownMenuItem key={days} onSelect={() => putOff(days)}>
                  {label}
                </DropdownMenuItem>
              ))}
            </DropdownMenuContent>
          </DropdownMenu>
          {isSnoozed(contact) && (
            <Button variant="ghost" size="sm" onClick={() => snooze.mutate({ id, until: null })}>
              <AlarmClockOffIcon aria-hidden /> Non rimandare
            </Button>
          )}
        </div>
      )}
    </section>
  )
}
