import { clsx } from 'clsx'

/** The mark and the name. */
export function Logo({ className }: { className?: string }) {
  return (
    <span className={clsx('flex items-center gap-2 font-display text-xl font-semibold', className)}>
      <img src="/icon.svg" alt="" width={28} height={28} />
      Socio
    </span>
  )
}
