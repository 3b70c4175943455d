/** The fields of a contact, inside a form whose values are `ContactValues`. */
import { useQuery } from '@tanstack/react-query'
import { PlusIcon, XIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'

import { TextField } from '@/components/auth-form'
import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { FormControl, FormField, FormItem, FormLabel, FormMessage } from '@/components/ui/form'
import { Textarea } from '@/components/ui/textarea'
import { companyNamesQuery } from '@/data/contacts'
import type { ContactValues } from '@/data/contacts-form'
import { DuplicateHint } from '@/features/crm/duplicate-hint'
import { RegimeField } from '@/features/crm/regime-field'
import { TagsField } from '@/features/crm/tags-field'
import { LONGEST_LINE, LONGEST_NOTE } from '@/lib/contact-cells'
import { isItaly } from '@/lib/countries'

type Props = { userId: string; isNew: boolean }

export function ContactFields({ userId, isNew }: Props) {
  const type = useWatch<ContactValues, 'type'>({ name: 'type' })
  const isPerson = type === 'persona'
  return (
    <>
      {isNew && <TypeChoice />}
      {isPerson ? (
        <PersonFields userId={userId} />
      ) : (
        <TextField name="businessName" label="Ragione sociale" maxLength={LONGEST_LINE} />
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Rows name="emails" label="Email" add="Aggiungi email" type="email" />
        <Rows name="phones" label="Telefono" add="Aggiungi numero" type="tel" />
      </div>
      {isNew && <DuplicateHint />}
      <TagsField userId={userId} />
      <Part title="Dati fiscali">
        <TextField name="vatNumber" label="Partita IVA" inputMode="numeric" autoComplete="off" maxLength={20} />
        <TextField
          name="taxCode"
          label="Codice fiscale"
          autoComplete="off"
          autoCapitalize="characters"
          maxLength={20}
        />
        <TextField
          name="sdiCode"
          label="Codice destinatario"
          autoComplete="off"
          autoCapitalize="characters"
          maxLength={7}
        />
        <TextField name="pec" label="PEC" type="email" autoComplete="off" maxLength={200} />
        <RegimeField />
      </Part>
      <AddressFields />
      <TextField
        name="touchDays"
        label="Risentire ogni quanti giorni"
        help="Ogni chiamata, email o incontro fa ripartire il conto. Vuoto: decidono i tag."
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
      />
      <FormField<ContactValues>
        name="note"
        render={({ field }) => (
          <FormItem>
            <FormLabel>In breve</FormLabel>
            <FormControl>
              <Textarea
                {...field}
                value={field.value as string}
                rows={2}
                maxLength={LONGEST_NOTE}
                className="min-h-20"
              />
            </FormControl>
            <FormMessage />
          </FormItem>
        )}
      />
    </>
  )
}

function TypeChoice() {
  const { register } = useFormContext<ContactValues>()
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="sr-only">Tipo di contatto</legend>
      {(['persona', 'azienda'] as const).map((type) => (
        <RadioCard key={type} value={type} {...register('type')}>
          {type === 'persona' ? 'Persona' : 'Azienda'}
        </RadioCard>
      ))}
    </fieldset>
  )
}

function PersonFields({ userId }: { userId: string }) {
  const typed = useWatch<ContactValues, 'company'>({ name: 'company' })
  const { data: names = [] } = useQuery({
    ...companyNamesQuery(userId, typed.trim()),
    enabled: typed.trim().length > 1,
  })
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <TextField name="firstName" label="Nome" autoComplete="off" maxLength={LONGEST_LINE} />
      <TextField name="lastName" label="Cognome" autoComplete="off" maxLength={LONGEST_LINE} />
      <TextField name="company" label="Azienda" autoComplete="off" maxLength={LONGEST_LINE} list="aziende-note" />
      <datalist id="aziende-note">
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <TextField name="jobTitle" label="Ruolo" autoComplete="off" maxLength={LONGEST_LINE} />
    </div>
  )
}

function AddressFields() {
  const { register } = useFormContext<ContactValues>()
  const isItalian = isItaly(useWatch<ContactValues, 'country'>({ name: 'country' }))
  // What is wrong in Italy may be right elsewhere.
  register('country', { deps: ['postalCode', 'province'] })
  return (
    <Part title="Indirizzo">
      <TextField name="street" label="Via e numero" autoComplete="off" maxLength={LONGEST_LINE} />
      <TextField
        name="postalCode"
        label="CAP"
        inputMode={isItalian ? 'numeric' : 'text'}
        autoComplete="off"
        maxLength={isItalian ? 5 : 20}
      />
      <TextField name="city" label="Città" autoComplete="off" maxLength={LONGEST_LINE} />
      <TextField
        name="province"
        label="Provincia"
        autoComplete="off"
        autoCapitalize="characters"
        maxLength={isItalian ? 2 : LONGEST_LINE}
      />
      <TextField name="country" label="Paese" autoComplete="off" maxLength={LONGEST_LINE} />
      <TextField name="website" label="Sito" inputMode="url" autoComplete="off" autoCapitalize="none" maxLength={200} />
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-3 w-full border-t pt-4 text-sm font-semibold">{title}</legend>
      <div className="grid gap-5 sm:grid-cols-2">{children}</div>
    </fieldset>
  )
}

type RowsProps = { name: 'emails' | 'phones'; label: string; add: string; type: 'email' | 'tel' }

/** The first of the rows is the main one. */
function Rows({ name, label, add, type }: RowsProps) {
  const { fields, append, remove } = useFieldArray<ContactValues>({ name })
  return (
    <div className="grid content-start gap-2">
      {fields.map(({ id }, index) => (
        <div key={id} className="flex items-end gap-1">
          <div className="min-w-0 flex-1">
            <TextField
              name={`${name}.${index}.value`}
              label={index === 0 ? label : `${label} ${index + 1}`}
              type={type}
              autoComplete="off"
              maxLength={type === 'tel' ? 40 : 254}
            />
          </div>
          {index > 0 && (
            <Button
              type="button"
              variant="ghost"
              size="icon"
              aria-label={`Togli ${label} ${index + 1}`}
              onClick={() => remove(index)}
            >
              <XIcon aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {fields.length < 10 && (
        <Button
          type="button"
          variant="ghost"
          size="sm"
          className="justify-self-start"
          onClick={() => append({ value: '' })}
        >
          <PlusIcon aria-hidden /> {add}
        </Button>
      )}
    </div>
  )
}
