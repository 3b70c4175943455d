/**
 * What the account forms share: nothing can be pressed twice while a request runs, and the browser's autofill works.
 */
import type { ComponentProps, ReactNode } from 'react'
import { type FieldValues, type SubmitHandler, useFormContext, type UseFormReturn } from 'react-hook-form'

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
  children: ReactNode
}

/** @param onSubmit handles its own failures: a form never swallows a rejection. */
export function AuthForm<Values extends FieldValues>({
  form,
  onSubmit,
  submit,
  inline = false,
  children,
}: AuthFormProps<Values>) {
  const { isSubmitting } = form.formState
  return (
    <Form {...form}>
      {/* The rules speak in our words, not in the browser's. */}
      <form noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(onSubmit)}>
        <fieldset disabled={isSubmitting} className="grid min-w-0 gap-5">
          {children}
          <Button type="submit" size={inline ? 'default' : 'lg'} className={inline ? 'justify-self-start' : 'w-full'}>
            {isSubmitting && <Spinner aria-hidden />}
            {submit}
          </Button>
        </fieldset>
      </form>
    </Form>
  )
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

export function EmailField() {
  return (
    <TextField
      name="email"
      label="Email"
      type="email"
      autoComplete="email"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}
