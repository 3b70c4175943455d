import { clsx } from 'clsx'

type Props<Value extends string> = {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  onChange: (value: Value) => void
  /** In a narrow column. */
  isSmall?: boolean
}

/** A choice between a few looks of the same thing. */
export function Choice<Value extends string>({ label, value, options, onChange, isSmall = false }: Props<Value>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="flex gap-1 justify-self-start rounded-md border bg-muted p-1 print:hidden"
    >
      {options.map(([key, text]) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === value}
          onClick={() => onChange(key)}
          className={clsx(
            'min-h-9 rounded-sm font-semibold transition-colors',
            isSmall ? 'px-2 text-xs' : 'px-3 text-sm',
            key === value ? 'bg-card text-foreground' : 'text-muted-foreground hover:text-foreground',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
