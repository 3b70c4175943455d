/** All that is known, searched and narrowed as one types; what was superseded is there to be read. */
import { BrainIcon, SearchXIcon } from 'lucide-react'
import { useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { SearchBox } from '@/components/search-box'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/select'
import type { Memory } from '@/data/memories'
import { MemoryRow } from '@/features/memory/memory-row'
import { everything, isWished, type Wish } from '@/features/memory/wish'
import { memoryKinds, memoryStates } from '@/strings/memory'

export function MemoryList({ userId, memories }: { userId: string; memories: Memory[] }) {
  const [wish, setWish] = useState(everything)
  const shown = memories.filter((memory) => isWished(memory, wish))
  const contacts = new Map(memories.flatMap(({ contact }) => (contact ? [[contact.id, contact.name]] : [])))
  if (memories.length === 0) {
    return (
      <EmptyState
        icon={BrainIcon}
        title="Ancora nessun ricordo"
        text="Scrivi qui sopra che cosa Socio deve sapere di te: la tariffa, gli orari, come preferisci lavorare."
      />
    )
  }
  return (
    <section aria-labelledby="ricordi" className="grid gap-3">
      <h2 id="ricordi" className="font-semibold">
        Ricordi ({shown.length})
      </h2>
      <div className="grid gap-2 sm:grid-cols-3">
        <div className="sm:col-span-3">
          <SearchBox
            // Emptied from outside it starts anew.
            key={wish === everything ? 'all' : 'some'}
            text={wish.text}
            label="Cerca nei ricordi"
            placeholder="Cerca…"
            onSearch={(text) => setWish({ ...wish, text })}
          />
        </div>
        <Select
          aria-label="Tipo"
          value={wish.kind}
          onChange={({ target }) => setWish({ ...wish, kind: target.value as Wish['kind'] })}
        >
          <option value="">Ogni tipo</option>
          {Object.entries(memoryKinds).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Stato"
          value={wish.state}
          onChange={({ target }) => setWish({ ...wish, state: target.value as Wish['state'] })}
        >
          <option value="">Attivi e in pausa</option>
          {(['attiva', 'sospesa', 'superata'] as const).map((state) => (
            <option key={state} value={state}>
              {memoryStates[state]}
            </option>
          ))}
        </Select>
        {contacts.size > 0 && (
          <Select
            aria-label="Contatto"
            value={wish.contactId}
            onChange={({ target }) => setWish({ ...wish, contactId: target.value })}
          >
            <option value="">Ogni contatto</option>
            {[...contacts].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </div>
      {shown.length > 0 ? (
        <ul aria-label="Ricordi" className="divide-y rounded-md border bg-card">
          {shown.map((memory) => (
            <MemoryRow key={memory.id} userId={userId} memory={memory} />
          ))}
        </ul>
      ) : (
        <EmptyState icon={SearchXIcon} title="Nessun ricordo così" isAnswer>
          <Button variant="outline" onClick={() => setWish(everything)}>
            Mostra tutti
          </Button>
        </EmptyState>
      )}
    </section>
  )
}
