import { clsx } from 'clsx'
import { CheckIcon } from 'lucide-react'

/** What a pack or a plan contains. */
export function FeatureList({ features, className }: { features: readonly string[]; className?: string }) {
  return (
    <ul className={clsx('grid gap-2 text-sm', className)}>
      {features.map((feature) => (
        <li key={feature} className="flex items-start gap-2">
          <CheckIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-primary" />
          {feature}
        </li>
      ))}
    </ul>
  )
}
