/** Core Web Vitals of a page view, for whoever had agreed to statistics when it began. */
import { readConsent } from '@/lib/consent'

// By then most pages rest, and the browser keeps what the library would have seen before.
const REST_MS = 2_000

/** `route` is the pattern of the address that was opened (`/crm/:contactId`), never the address. */
export function measureVitals(route: string): void {
  if (readConsent() !== 'accepted') return
  setTimeout(() => {
    import('@/data/vitals-report').then(
      (report) => report.reportVitals(route),
      () => undefined,
    )
  }, REST_MS)
}
