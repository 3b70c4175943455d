/** The twelve admin screens in one lazy chunk: each alone would cost every public page a line of the route tree. */
import { useLocation } from 'react-router'

import { AnalyticsPage } from '@/features/admin/analytics-page'
import { BrowsersPage } from '@/features/admin/browsers-page'
import { CreditsPage } from '@/features/admin/credits-page'
import { DatabasePage } from '@/features/admin/database-page'
import { ErrorsPage } from '@/features/admin/errors-page'
import { MobilePage } from '@/features/admin/mobile-page'
import { OverviewPage } from '@/features/admin/overview-page'
import { PaymentsPage } from '@/features/admin/payments-page'
import { PerformancePage } from '@/features/admin/performance-page'
import { RoadmapPage } from '@/features/admin/roadmap-page'
import { SecurityPage } from '@/features/admin/security-page'
import { UptimePage } from '@/features/admin/uptime-page'
import { paths } from '@/paths'

export default function AdminPage() {
  const { pathname } = useLocation()
  switch (pathname) {
    case paths.adminErrors:
      return <ErrorsPage />
    case paths.adminUptime:
      return <UptimePage />
    case paths.adminMobileQa:
      return <MobilePage />
    case paths.adminBrowserTesting:
      return <BrowsersPage />
    case paths.adminPerformance:
      return <PerformancePage />
    case paths.adminAnalytics:
      return <AnalyticsPage />
    case paths.adminPaymentEvents:
      return <PaymentsPage />
    case paths.adminSecurity:
      return <SecurityPage />
    case paths.adminDatabaseHealth:
      return <DatabasePage />
    case paths.adminCreditAudit:
      return <CreditsPage />
    case paths.adminRoadmap:
      return <RoadmapPage />
    default:
      return <OverviewPage />
  }
}
