/** The state of a report in words and colour, and when it was measured. */
import type { Light } from '@/data/admin'
import { lightNames } from '@/strings/admin'
import { fullDate, relativeTime } from '@/strings/dates'

const dots: Record<Light, string> = { ok: 'bg-success', warning: 'bg-warning', error: 'bg-error', old: 'bg-info' }

/** Without a light where there is nothing to judge. */
export function MeasuredLine({ light, at }: { light: Light | null; at: string }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted-foreground">
      {light && <LightLabel light={light} />}
      <time dateTime={at} title={fullDate(at)}>
        aggiornato {relativeTime(at)}
      </time>
    </p>
  )
}

/** A light in colour and words. */
export function LightLabel({ light, label = lightNames[light] }: { light: Light; label?: string | undefined }) {
  return (
    <span className="inline-flex items-center gap-x-2 font-medium text-foreground">
      <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${dots[light]}`} />
      {label}
    </span>
  )
}
