/** A form over some fields of the profile: only what was changed is sent, and what another tab wrote meanwhile stays. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { type DefaultValues, type FieldValues, type Path, useForm } from 'react-hook-form'
import { toast } from 'sonner'
import type { ZodType } from 'zod'

import { refusedField } from '@/data/business'
import { invoicesKey } from '@/data/invoices'
import { type Profile, type ProfileChange, useUpdateProfile } from '@/data/profiles'
import { changed } from '@/lib/changed'

type Part<Values extends FieldValues> = {
  schema: ZodType<Values, Values>
  valuesOf: (profile: Profile) => Values
  changeFrom: (values: Values) => ProfileChange | Promise<ProfileChange>
  saved: string
}

export function useProfileForm<Values extends FieldValues>(
  profile: Profile,
  { schema, valuesOf, changeFrom, saved }: Part<Values>,
) {
  const update = useUpdateProfile()
  const client = useQueryClient()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    values: valuesOf(profile),
    // What was typed stays when another tab has written something else.
    resetOptions: { keepDirtyValues: true },
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      const changes = changed(await changeFrom(values), await changeFrom(valuesOf(profile)))
      // The server refuses a change of nothing.
      const next = Object.keys(changes).length > 0 ? await update.mutateAsync(changes) : profile
      form.reset(valuesOf(next) as DefaultValues<Values>, { keepDirtyValues: false })
      toast.success(saved)
      // Whose invoices are issued follows from the tax numbers.
      await client.invalidateQueries({ queryKey: invoicesKey(profile.user_id) })
    } catch (failure) {
      const field = refusedField(failure)
      if (field === null) toast.error('Non siamo riusciti a salvare. Riprova.')
      else form.setError(field as Path<Values>, { message: 'Questo valore non va bene: controllalo' })
    }
  }

  return { form, onSubmit }
}
