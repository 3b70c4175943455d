/** Parts of a page that come by themselves: nobody asked for them, so nobody misses them. */
import { type ComponentType, lazy } from 'react'

/** As `lazy`; when the chunk cannot be had, `Lost` comes (nothing) and the page stays as it is. */
export function uninvited<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Lost: ComponentType<Props> = () => null,
) {
  return lazy(() => load().catch(() => ({ default: Lost })))
}
