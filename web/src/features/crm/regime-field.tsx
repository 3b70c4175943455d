/** The tax regime of a contact: one of the known ones, or whatever is typed after «Altro». */
import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'

import { TextField } from '@/components/auth-form'
import { FormControl, FormField, FormItem, FormLabel } from '@/components/ui/form'
import { Select } from '@/components/ui/select'
import type { ContactValues } from '@/data/contacts-form'
import { LONGEST_LINE } from '@/lib/contact-cells'
import { contactRegimes } from '@/strings/crm'

const OTHER = 'altro'

const knownRegime = (typed: string) =>
  contactRegimes.find((regime) => regime.toLowerCase() === typed.trim().toLowerCase())

/** Inside a form whose values are `ContactValues`. */
export function RegimeField() {
  const { control } = useFormContext<ContactValues>()
  const typed = useWatch<ContactValues, 'regime'>({ name: 'regime' })
  const [isOther, setOther] = useState(Boolean(typed) && !knownRegime(typed))
  return (
    <>
      <FormField
        control={control}
        name="regime"
        render={({ field: { onBlur, onChange } }) => (
          <FormItem className="content-start">
            <FormLabel>Regime fiscale</FormLabel>
            <FormControl>
              <Select
                value={isOther ? OTHER : (knownRegime(typed) ?? '')}
                onBlur={onBlur}
                onChange={({ target: { value } }) => {
                  setOther(value === OTHER)
                  onChange(value === OTHER ? '' : value)
                }}
              >
                <option value="">Non indicato</option>
                {contactRegimes.map((regime) => (
                  <option key={regime}>{regime}</option>
                ))}
                <option value={OTHER}>Altro</option>
              </Select>
            </FormControl>
          </FormItem>
        )}
      />
      {isOther && <TextField name="regime" label="Quale regime" autoComplete="off" maxLength={LONGEST_LINE} />}
    </>
  )
}
