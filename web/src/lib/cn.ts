/** Joins class names; a later Tailwind class wins over an earlier one of the same property. */
import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

const twMerge = extendTailwindMerge({ extend: { classGroups: { shadow: ['shadow-float'] } } })

export function cn(...inputs: ClassValue[]): string {
  return twMerge(clsx(inputs))
}
