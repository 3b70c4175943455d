/**
 * What the account forms share: nothing can be pressed twice while a request runs, and the browser's autofill works.
 */
import { clsx } from 'clsx'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { type FieldValues, type Path, type SubmitHandler, useFormContext, type UseFormReturn } from 'react-hook-form'

import { Button } from '@/components/ui/button'
import { Form, FormControl, FormDescription, FormField, FormItem, FormLabel, FormMessage } from '@/components/ui/form'
import { Input } from '@/components/ui/input'
import { Spinner } from '@/components/ui/spinner'

type AuthFormProps<Values extends FieldValues> = {
  form: UseFormReturn<Values>
  onSubmit: SubmitHandler<Values>
  submit: string
  /** A button as wide as its words, for a form that is one part of a page. */
  inline?: boolean
  /** The button stays in sight while the fields of a dialog scroll behind it. */
  sticky?: boolean
  children: ReactNode
}

// Over the padding of the dialog, so that nothing of the fields is seen below it.
const stickyFooter = 'sticky -bottom-5 z-10 -mx-5 -mb-5 border-t bg-popover px-5 py-3'

/** @param onSubmit handles its own failures: a form never swallows a rejection. */
export function AuthForm<Values extends FieldValues>({
  form,
  onSubmit,
  submit,
  inline = false,
  sticky = false,
  children,
}: AuthFormProps<Values>) {
  const { isSubmitting } = form.formState
  const keepFocus = useKeptFocus(form)
  return (
    <Form {...form}>
      {/* The rules speak in our words, not in the browser's. */}
      <form
        noValidate
        aria-busy={isSubmitting}
        onSubmit={(event) => {
          const letGo = keepFocus()
          // A field that breaks a rule is given the focus by the form itself.
          void form.handleSubmit(onSubmit, letGo)(event)
        }}
      >
        <fieldset disabled={isSubmitting} className="grid min-w-0 gap-5">
          {children}
          <div className={clsx('grid', inline && 'justify-items-start', sticky && stickyFooter)}>
            <Button type="submit" size={inline ? 'default' : 'lg'}>
              {isSubmitting && <Spinner aria-hidden />}
              {submit}
            </Button>
          </div>
        </fieldset>
      </form>
    </Form>
  )
}

/**
 * A browser takes the focus from what is disabled: after the request it goes to the field that was refused, else back.
 * @returns what is called when the form is sent, and answers the way to leave the focus where it is
 */
function useKeptFocus<Values extends FieldValues>(form: UseFormReturn<Values>): () => () => void {
  const { isSubmitting, errors } = form.formState
  const before = useRef<Element | null>(null)
  useEffect(() => {
    const from = before.current
    if (isSubmitting || !from) return
    before.current = null
    // Whoever has gone on to something else meanwhile stays there.
    const here = document.activeElement
    if (here !== from && !here?.contains(from)) return
    const [refused] = Object.keys(errors)
    if (refused) form.setFocus(refused as Path<Values>)
    else if (from instanceof HTMLElement) from.focus()
  }, [isSubmitting, errors, form])
  return () => {
    before.current = document.activeElement
    return () => {
      before.current = null
    }
  }
}

type TextFieldProps = ComponentProps<typeof Input> & { name: string; label: string; help?: string }

export function TextField({ name, label, help, ...input }: TextFieldProps) {
  const { control } = useFormContext()
  return (
    <FormField
      control={control}
      name={name}
      render={({ field }) => (
        <FormItem className="content-start">
          <FormLabel>{label}</FormLabel>
          <FormControl>
            <Input {...field} {...input} />
          </FormControl>
          {help && <FormDescription>{help}</FormDescription>}
          <FormMessage />
        </FormItem>
      )}
    />
  )
}

type CodeFieldProps = Pick<TextFieldProps, 'name' | 'help'> & { label?: string }

/** The six digits of a mail or of the authenticator app; people write them in two groups. */
export function CodeField({ label = 'Codice di sei cifre', ...field }: CodeFieldProps) {
  return (
    <TextField
      {...field}
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      className="tabular tracking-[0.3em]"
    />
  )
}

export function EmailField({ label = 'Email' }: { label?: string }) {
  return (
    <TextField
      name="email"
      label={label}
      type="email"
      autoComplete="email"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}
