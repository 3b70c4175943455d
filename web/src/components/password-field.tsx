import { CheckIcon, CircleIcon, EyeIcon, EyeOffIcon } from 'lucide-react'
import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'

import { FormControl, FormField, FormItem, FormLabel, FormMessage } from '@/components/ui/form'
import { Input } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import { passwordRules } from '@/lib/password-rules'

type Props = {
  name: 'password' | 'confirmPassword' | 'currentPassword'
  label: string
  autoComplete: 'current-password' | 'new-password'
  /** Lists the rules under the field, each ticked as soon as it holds. */
  checklist?: boolean
}

/** A password that its owner may look at while typing. */
export function PasswordField({ name, label, autoComplete, checklist = false }: Props) {
  const { control } = useFormContext()
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOffIcon : EyeIcon
  return (
    <FormField
      control={control}
      name={name}
      render={({ field }) => (
        <FormItem>
          <FormLabel>{label}</FormLabel>
          <div className="relative">
            <FormControl>
              <Input
                {...field}
                type={shown ? 'text' : 'password'}
                autoComplete={autoComplete}
                // Shown, it is a text like any other to the keyboard, which would correct it.
                autoCapitalize="none"
                autoCorrect="off"
                spellCheck={false}
                className="pr-12"
              />
            </FormControl>
            <button
              type="button"
              aria-label={shown ? 'Nascondi password' : 'Mostra password'}
              onClick={() => setShown(!shown)}
              className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-md text-muted-foreground hover:text-foreground"
            >
              <Icon aria-hidden className="size-5" />
            </button>
          </div>
          {checklist && <PasswordChecklist name={name} />}
          <FormMessage />
        </FormItem>
      )}
    />
  )
}

function PasswordChecklist({ name }: { name: string }) {
  const password: unknown = useWatch({ name })
  const value = typeof password === 'string' ? password : ''
  return (
    <ul
      aria-label="La password contiene almeno"
      className="grid grid-cols-2 gap-x-3 gap-y-1 text-sm text-muted-foreground"
    >
      {passwordRules.map(({ label, test }) => {
        const kept = test(value)
        const Icon = kept ? CheckIcon : CircleIcon
        return (
          <li key={label} className={cn('flex items-center gap-1.5', kept && 'text-success')}>
            <Icon aria-hidden className={kept ? 'size-4' : 'size-4 scale-50'} />
            {label}
            {kept && <span className="sr-only"> (fatto)</span>}
          </li>
        )
      })}
    </ul>
  )
}
