/** ⌘K / Ctrl+K: go anywhere by typing, to a page or to a contact, a document, a task, a project, a conversation (LAYOUT-10). */
import { BellIcon, CoinsIcon, LightbulbIcon, PackageIcon, ReceiptTextIcon, SearchIcon, TargetIcon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog'
import { navigation } from '@/features/layout/navigation'
import { onPaletteKey } from '@/features/layout/palette-key'
import { type Destination, useRecords } from '@/features/layout/palette-records'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'

const pages: Destination[] = [
  ...navigation,
  { label: 'Obiettivi', to: paths.goals, icon: TargetIcon },
  {
    label: 'Crea obiettivo',
    to: paths.newGoal,
    icon: TargetIcon,
    words: 'nuovo obiettivo agente autonomia farmi pagare solleciti automatici seguire preventivi piano mandato',
  },
  { label: 'Recupero crediti: piano e mandato', to: paths.mandate('recupero_crediti'), icon: TargetIcon },
  { label: 'Segui i preventivi: piano e mandato', to: paths.mandate('segui_preventivi'), icon: TargetIcon },
  { label: 'Pulizia contatti: piano e mandato', to: paths.mandate('pulizia_contatti'), icon: TargetIcon },
  { label: 'Chiusura del mese: piano e mandato', to: paths.mandate('chiusura_mese'), icon: TargetIcon },
  { label: 'Pacchetto per il commercialista', to: paths.monthPacket(), icon: PackageIcon },
  { label: 'Notifiche', to: paths.notifications, icon: BellIcon },
  { label: 'Proponi un’idea', to: paths.newIdea, icon: LightbulbIcon },
  { label: 'Saldo e ordini', to: paths.settingsCredits, icon: ReceiptTextIcon },
  { label: 'Crediti', to: paths.store, icon: CoinsIcon },
]

export function CommandPalette({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false)
  useEffect(() => onPaletteKey(() => setOpen((shown) => !shown)), [])

  return (
    <>
      <Button
        variant="outline"
        size="sm"
        className="hidden font-normal text-muted-foreground lg:inline-flex"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <SearchIcon aria-hidden />
        Vai a…
        <kbd className="font-sans text-xs">Ctrl K</kbd>
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        <DialogContent showCloseButton={false} className="gap-0 p-0 sm:top-[20%] sm:translate-y-0 sm:pb-0">
          <DialogTitle className="sr-only">Cerca e vai</DialogTitle>
          <DialogDescription className="sr-only">
            Scrivi il nome di una pagina, di un contatto, di un’attività o di un progetto, o una parola di un documento
            o di una conversazione, e premi Invio.
          </DialogDescription>
          <Destinations userId={userId} onChoose={() => setOpen(false)} />
        </DialogContent>
      </Dialog>
    </>
  )
}

function Destinations({ userId, onChoose }: { userId: string; onChoose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [marked, setMarked] = useState(0)
  const wanted = text.trim().toLocaleLowerCase('it')
  const records = useRecords(userId, text)
  const found = [
    ...pages.filter(({ label, words }) => `${label} ${words ?? ''}`.toLocaleLowerCase('it').includes(wanted)),
    ...records.found,
  ]

  function go(to: string | undefined) {
    if (!to) return
    onChoose()
    void navigate(to)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && found.length > 0) {
      event.preventDefault()
      setMarked((marked + step + found.length) % found.length)
    }
    if (event.key === 'Enter') go(found[marked]?.to)
  }

  return (
    <>
      <input
        role="combobox"
        aria-label="Vai a"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found[marked] && `${id}-${marked}`}
        placeholder="Cerca pagine, contatti, documenti, attività…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setMarked(0)
        }}
        onKeyDown={onKeyDown}
        className="h-14 w-full border-b bg-transparent px-5 text-base outline-none placeholder:text-muted-foreground"
      />
      <div id={id} role="listbox" aria-label="Risultati" className="max-h-[60dvh] overflow-y-auto p-1.5">
        {found.map(({ label, to, icon: Icon, kind }, index) => (
          <button
            key={to}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === marked}
            onMouseMove={() => setMarked(index)}
            onClick={() => go(to)}
            className={cn(
              'flex min-h-11 w-full items-center gap-3 rounded-md px-3.5 text-left text-sm',
              index === marked && 'bg-secondary text-secondary-foreground',
            )}
          >
            <Icon aria-hidden className="size-[18px] shrink-0" />
            <span className="truncate">{label}</span>
            {kind && <span className="ml-auto pl-3 text-xs text-muted-foreground">{kind}</span>}
          </button>
        ))}
      </div>
      {found.length === 0 && !records.isSearching && (
        <p role="status" className="px-5 pb-6 text-sm text-muted-foreground">
          Niente con questo nome.
        </p>
      )}
    </>
  )
}
