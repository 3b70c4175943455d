import { type Label as LabelPrimitive, Slot } from 'radix-ui'
import { type ComponentProps, createContext, use, useId } from 'react'
import {
  Controller,
  type ControllerProps,
  type FieldPath,
  type FieldValues,
  FormProvider,
  useFormContext,
  useFormState,
} from 'react-hook-form'

import { Label } from '@/components/ui/label'
import { cn } from '@/lib/cn'

export const Form = FormProvider

const FormFieldContext = createContext<string | null>(null)
const FormItemContext = createContext<string | null>(null)

export function FormField<
  TFieldValues extends FieldValues = FieldValues,
  TName extends FieldPath<TFieldValues> = FieldPath<TFieldValues>,
>(props: ControllerProps<TFieldValues, TName>) {
  return (
    <FormFieldContext value={props.name}>
      <Controller {...props} />
    </FormFieldContext>
  )
}

function useFormField() {
  const name = use(FormFieldContext)
  const id = use(FormItemContext)
  if (!name || !id) throw new Error('a form part needs a <FormItem> inside a <FormField>')
  const { getFieldState } = useFormContext()
  const formState = useFormState({ name })
  const { error } = getFieldState(name, formState)
  return {
    error,
    controlId: `${id}-control`,
    descriptionId: `${id}-description`,
    messageId: `${id}-message`,
  }
}

export function FormItem({ className, ...props }: ComponentProps<'div'>) {
  const id = useId()
  return (
    <FormItemContext value={id}>
      <div data-slot="form-item" className={cn('grid gap-1.5', className)} {...props} />
    </FormItemContext>
  )
}

export function FormLabel(props: ComponentProps<typeof LabelPrimitive.Root>) {
  const { controlId } = useFormField()
  return <Label data-slot="form-label" htmlFor={controlId} {...props} />
}

export function FormControl(props: ComponentProps<typeof Slot.Root>) {
  const { error, controlId, descriptionId, messageId } = useFormField()
  return (
    <Slot.Root
      data-slot="form-control"
      id={controlId}
      aria-describedby={error ? `${descriptionId} ${messageId}` : descriptionId}
      aria-invalid={Boolean(error)}
      {...props}
    />
  )
}

export function FormDescription({ className, ...props }: ComponentProps<'p'>) {
  const { descriptionId } = useFormField()
  return (
    <p
      data-slot="form-description"
      id={descriptionId}
      className={cn('text-sm text-muted-foreground', className)}
      {...props}
    />
  )
}

export function FormMessage({ className, children, ...props }: ComponentProps<'p'>) {
  const { error, messageId } = useFormField()
  const body = error ? (error.message ?? '') : children
  if (!body) return null
  return (
    <p
      data-slot="form-message"
      id={messageId}
      role="alert"
      className={cn('text-sm font-medium text-error', className)}
      {...props}
    >
      {body}
    </p>
  )
}
