/** Figures of the law that estimates and reminders use: an admin writes the next one with its source. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { NameDialog } from '@/components/name-dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import { lawFiguresQuery, useSetLawFigure } from '@/data/admin'
import { ReportTable } from '@/features/admin/report-table'
import { priceOf } from '@/lib/typed-amount'
import { lawFigure, lawFigureName } from '@/strings/admin'

export function LawFigures() {
  const { data: figures, isPending, refetch } = useQuery(lawFiguresQuery())
  const [changed, setChanged] = useState<string>()
  if (isPending) return <Skeleton aria-busy className="h-72" />
  if (!figures) return <LoadError text="Non siamo riusciti a leggere le cifre." onRetry={() => void refetch()} />
  return (
    <>
      <ReportTable
        title="Cifre di legge"
        rows={figures.map(({ name, value, valid_from: since, source }, place) => ({
          name: lawFigureName(name),
          value: lawFigure(name, value),
          since,
          source,
          // The newest of each comes first.
          changes: name === figures[place - 1]?.name ? null : name,
        }))}
        shown={['name', 'value', 'since', 'source']}
        empty="Nessuna cifra: senza, le stime non dicono importi."
        actions={[
          {
            label: 'Nuova',
            isFor: ({ changes }) => changes !== null,
            onAct: ({ changes }) => setChanged(String(changes)),
          },
        ]}
      />
      {changed && <FigureDialog name={changed} onClose={() => setChanged(undefined)} />}
    </>
  )
}

function FigureDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const id = useId()
  const { mutateAsync } = useSetLawFigure()
  const [typed, setTyped] = useState('')
  const [since, setSince] = useState('')
  const cents = priceOf(typed)

  function check(source: string): string {
    if (!cents) return 'Scrivi il valore, con al massimo due decimali'
    if (!since) return 'Scegli il giorno da cui vale'
    return source.length < 5 ? 'Scrivi dove sta scritto' : ''
  }

  return (
    <NameDialog
      title={lawFigureName(name)}
      text="Vale dal giorno che scegli, per le stime e i solleciti di tutti. Resta nel registro delle azioni."
      label="Fonte"
      longest={300}
      submit="Salva la cifra"
      done="Cifra salvata"
      check={check}
      onSubmit={(source) => mutateAsync({ name, since, value: (cents ?? 0) / 100, source })}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3">
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-value`}>Valore</Label>
          <Input
            id={`${id}-value`}
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-since`}>Dal giorno</Label>
          <Input id={`${id}-since`} type="date" value={since} onChange={({ target }) => setSince(target.value)} />
        </div>
      </div>
    </NameDialog>
  )
}
