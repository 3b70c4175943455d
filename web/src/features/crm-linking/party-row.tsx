/** One counterparty: its papers, who it may be, and what to do about it. */
import { useId, useState } from 'react'
import { Link } from 'react-router'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import type { Party } from '@/data/parties'
import { canBeNew, type Chosen } from '@/features/crm-linking/choices'
import { paths } from '@/paths'
import { draftText, nameOf, partyFacts, reasons } from '@/strings/parties'

type Props = {
  party: Party
  userId: string
  choice: Chosen | null
  isBusy: boolean
  onChoose: (choice: Chosen | null) => void
  onConfirm: (choice: Chosen) => void
  onDismiss: () => void
}

export function PartyRow({ party, userId, choice, isBusy, onChoose, onConfirm, onDismiss }: Props) {
  const title = useId()
  const name = nameOf(party)
  const isOther = choice?.kind === 'contact' && party.candidates.every(({ contact_id: id }) => id !== choice.id)
  const [isSearching, setSearching] = useState(false)

  return (
    <li
      aria-labelledby={title}
      className="grid gap-3 rounded-md border bg-card p-4 md:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]"
    >
      <div className="grid content-start gap-1">
        <p id={title} className="font-semibold break-words">
          {name}
        </p>
        {(party.vat_number ?? party.tax_code) && (
          <p className="text-sm text-muted-foreground">
            {party.vat_number ? `P.IVA ${party.vat_number}` : `C.F. ${party.tax_code}`}
          </p>
        )}
        <p className="text-sm text-muted-foreground">{partyFacts(party)}</p>
        <Papers ids={party.document_ids} name={name} />
      </div>
      <form
        className="grid content-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (choice && !isBusy) onConfirm(choice)
        }}
      >
        <fieldset className="grid gap-1">
          <legend className="sr-only">Chi è {name}?</legend>
          {party.candidates.map((candidate) => (
            <Option
              key={candidate.contact_id}
              group={title}
              isChosen={choice?.kind === 'contact' && choice.id === candidate.contact_id}
              onChoose={() => onChoose({ kind: 'contact', id: candidate.contact_id, name: candidate.name })}
              label={candidate.name}
              detail={[reasons[candidate.reason], candidate.company].filter(Boolean).join(' · ')}
            />
          ))}
          {isOther && (
            <Option group={title} isChosen onChoose={() => undefined} label={choice.name} detail="scelto da te" />
          )}
          {canBeNew(party) && (
            <Option
              group={title}
              isChosen={choice?.kind === 'new'}
              onChoose={() => onChoose({ kind: 'new' })}
              label="Nuovo contatto"
              detail={draftText(party.draft) || 'con il nome che c’è sul documento'}
            />
          )}
        </fieldset>
        {isSearching ? (
          <ContactField
            userId={userId}
            label="Un altro contatto"
            value={null}
            onChoose={(contact) => {
              setSearching(false)
              if (contact) onChoose({ kind: 'contact', id: contact.id, name: contact.name ?? '' })
            }}
          />
        ) : null}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="sm" disabled={!choice || isBusy}>
            Conferma<span className="sr-only">: {name}</span>
          </Button>
          {!isSearching && (
            <Button type="button" size="sm" variant="outline" onClick={() => setSearching(true)}>
              Un altro contatto<span className="sr-only"> per {name}</span>
            </Button>
          )}
          <Button type="button" size="sm" variant="ghost" disabled={isBusy} onClick={onDismiss}>
            Non è un contatto<span className="sr-only">: {name}</span>
          </Button>
        </div>
      </form>
    </li>
  )
}

type OptionProps = { group: string; isChosen: boolean; onChoose: () => void; label: string; detail: string }

function Option({ group, isChosen, onChoose, label, detail }: OptionProps) {
  return (
    <label className="flex min-h-9 cursor-pointer items-start gap-2 rounded-md px-2 py-1.5 text-sm has-checked:bg-secondary">
      <input
        type="radio"
        name={group}
        checked={isChosen}
        onChange={onChoose}
        className="mt-0.5 size-4 accent-primary"
      />
      <span className="min-w-0">
        <span className="font-medium break-words">{label}</span>{' '}
        <span className="break-words text-muted-foreground">{detail}</span>
      </span>
    </label>
  )
}

const FEW = 3

/** The first ones as links; who wants all of many finds them by the name. */
function Papers({ ids, name }: { ids: string[]; name: string }) {
  return (
    <p className="flex flex-wrap gap-x-3 text-sm">
      {ids.slice(0, FEW).map((id, index) => (
        <Link key={id} to={paths.document(id)} className="font-medium text-primary hover:underline">
          {ids.length === 1 ? 'Apri il documento' : `Apri il ${index + 1}º`}
          <span className="sr-only"> di {name}</span>
        </Link>
      ))}
    </p>
  )
}
