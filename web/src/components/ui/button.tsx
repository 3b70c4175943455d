import { clsx } from 'clsx'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'

type Look = {
  variant?: 'default' | 'secondary' | 'outline' | 'ghost' | 'destructive' | 'link' | undefined
  size?: 'default' | 'sm' | 'lg' | 'icon' | undefined
}

/**
 * The classes of a button, which index.css defines in a layer below Tailwind's utilities: a utility beside them wins
 * without tailwind-merge, whose 7 KB the public pages would load before anything can be pressed.
 */
export function buttonVariants({ variant = 'default', size = 'default' }: Look = {}): string {
  return `button button-${variant} button-size-${size}`
}

type ButtonProps = ComponentProps<'button'> & Look & { asChild?: boolean }

export function Button({ className, variant, size, asChild = false, ...props }: ButtonProps) {
  const Comp = asChild ? Slot.Root : 'button'
  return <Comp data-slot="button" className={clsx(buttonVariants({ variant, size }), className)} {...props} />
}
