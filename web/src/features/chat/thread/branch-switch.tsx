import { ChevronLeftIcon, ChevronRightIcon } from 'lucide-react'

type Props = { versions: readonly string[]; current: string; onChoose: (id: string) => void }

/** ‹2/3›: the versions of a message; nothing where there is only one. */
export function BranchSwitch({ versions, current, onChoose }: Props) {
  const at = versions.indexOf(current)
  if (versions.length < 2) return null
  const step = (label: string, to: string | undefined, icon: React.ReactNode) => (
    <button
      type="button"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && onChoose(to)}
      className="grid size-9 place-items-center rounded-md text-muted-foreground hover:bg-muted hover:text-foreground disabled:pointer-events-none disabled:opacity-40 max-sm:h-11"
    >
      {icon}
    </button>
  )
  return (
    <div
      role="group"
      aria-label="Versioni"
      className="flex items-center text-xs font-medium text-muted-foreground tabular"
    >
      {step('Versione precedente', versions[at - 1], <ChevronLeftIcon aria-hidden className="size-4" />)}
      <span>
        {at + 1}/{versions.length}
      </span>
      {step('Versione successiva', versions[at + 1], <ChevronRightIcon aria-hidden className="size-4" />)}
    </div>
  )
}
