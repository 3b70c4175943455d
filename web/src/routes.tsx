/** The route tree. Pages are lazy and exported by default; URLs come from paths.ts. */
import type { RouteObject } from 'react-router'

import { ByView } from '@/app/by-view'
import { RequireGuest, RequireRole, RequireUser } from '@/app/guards'
import { Layout } from '@/app/layout'
import { lazyPage } from '@/app/lazy-page'
import { Root } from '@/app/root'
import { siteRoute } from '@/app/site-page'
import { notFoundPage, sitePages } from '@/app/site-pages'
import { paths } from '@/paths'

const adminPage = lazyPage(() => import('@/features/admin/admin-page'))

// Both addresses show the same screen (LAYOUT-03).
const tasksPage = (
  <ByView
    view="obiettivi"
    page={lazyPage(() => import('@/features/goals/goals-page'))}
    otherwise={lazyPage(() => import('@/features/tasks/tasks-page'))}
  />
)

const guestRoutes: RouteObject[] = [
  { path: paths.login, element: lazyPage(() => import('@/features/auth/login-page')) },
  { path: paths.register, element: lazyPage(() => import('@/features/auth/register-page')) },
  { path: paths.forgotPassword, element: lazyPage(() => import('@/features/auth/forgot-password-page')) },
]

const publicRoutes: RouteObject[] = [
  ...sitePages.map(siteRoute),
  { path: paths.resetPassword, element: lazyPage(() => import('@/features/auth/reset-password-page')) },
  { path: paths.secondFactor, element: lazyPage(() => import('@/features/auth/second-factor-page')) },
  { path: paths.waitingList, element: lazyPage(() => import('@/features/landing/waiting-list-page')) },
  { path: paths.unsubscribe, element: lazyPage(() => import('@/features/unsubscribe/unsubscribe-page')) },
  { path: paths.authConfirm, element: lazyPage(() => import('@/features/auth/confirm-page')) },
  { path: paths.storeSuccess, element: lazyPage(() => import('@/features/store/success-page')) },
  siteRoute(notFoundPage),
]

const userRoutes: RouteObject[] = [
  { path: paths.home, element: lazyPage(() => import('@/features/home/home-page')) },
  { path: paths.notifications, element: lazyPage(() => import('@/features/notifications/notifications-page')) },
  { path: paths.share, element: lazyPage(() => import('@/features/share/share-page')) },
  { path: paths.settings, element: lazyPage(() => import('@/features/settings/settings-page')) },
  { path: paths.crm, element: lazyPage(() => import('@/features/crm/crm-page')) },
  { path: paths.crmDeals, element: lazyPage(() => import('@/features/crm-deals/deals-page')) },
  { path: paths.crmCampaigns, element: lazyPage(() => import('@/features/crm-campaigns/campaigns-page')) },
  { path: paths.crmImport, element: lazyPage(() => import('@/features/crm-import/import-page')) },
  { path: paths.crmDuplicates, element: lazyPage(() => import('@/features/crm-duplicates/duplicates-page')) },
  { path: paths.crmLinking, element: lazyPage(() => import('@/features/crm-linking/linking-page')) },
  { path: paths.crmContact(':contactId'), element: lazyPage(() => import('@/features/crm/contact-page')) },
  { path: paths.documents, element: lazyPage(() => import('@/features/documents/documents-page')) },
  { path: paths.documentsInvoices, element: lazyPage(() => import('@/features/invoices/invoices-page')) },
  { path: paths.document(':documentId'), element: lazyPage(() => import('@/features/document/document-page')) },
  { path: paths.tasks, element: tasksPage },
  { path: paths.projects, element: tasksPage },
  // One screen: a conversation that begins stays where it is.
  { path: paths.conversation(':conversationId?'), element: lazyPage(() => import('@/features/chat/chat-page')) },
  { path: paths.settingsProfile, element: lazyPage(() => import('@/features/settings/profile-page')) },
  { path: paths.settingsBusiness, element: lazyPage(() => import('@/features/settings/business-page')) },
  { path: paths.settingsSecurity, element: lazyPage(() => import('@/features/settings/security-page')) },
  { path: paths.settingsCredits, element: lazyPage(() => import('@/features/settings/credits/credits-page')) },
  {
    path: paths.settingsOrder(':orderId'),
    element: lazyPage(() => import('@/features/settings/credits/receipt-page')),
  },
  {
    path: paths.settingsNotifications,
    element: lazyPage(() => import('@/features/settings/notifications/notifications-settings-page')),
  },
  { path: paths.settingsData, element: lazyPage(() => import('@/features/settings/data-page')) },
  { path: paths.settingsPrivacy, element: lazyPage(() => import('@/features/settings/privacy-page')) },
  { path: paths.settingsIdeas, element: lazyPage(() => import('@/features/settings/ideas-page')) },
  { path: paths.settingsAiNotice, element: lazyPage(() => import('@/features/settings/ai-notice-page')) },
  { path: paths.settingsDeletion, element: lazyPage(() => import('@/features/settings/deletion-page')) },
  { path: paths.settingsChannels, element: lazyPage(() => import('@/features/settings/channels-page')) },
  { path: paths.settingsMemory, element: lazyPage(() => import('@/features/memory/memory-page')) },
]

const adminRoutes: RouteObject[] = [
  paths.admin,
  paths.adminErrors,
  paths.adminUptime,
  paths.adminMobileQa,
  paths.adminBrowserTesting,
  paths.adminPerformance,
  paths.adminAnalytics,
  paths.adminPaymentEvents,
  paths.adminSecurity,
  paths.adminDatabaseHealth,
  paths.adminCreditAudit,
  paths.adminRoadmap,
].map((path) => ({ path, element: adminPage }))

export const routes: RouteObject[] = [
  {
    element: <Root />,
    children: [
      {
        element: <Layout />,
        children: [
          ...publicRoutes,
          { element: <RequireGuest />, children: guestRoutes },
          {
            element: <RequireUser />,
            children: [...userRoutes, { element: <RequireRole role="admin" />, children: adminRoutes }],
          },
        ],
      },
      // Without the product around it: whoever comes here wants to answer and go back.
      { path: paths.oauthConsent, element: lazyPage(() => import('@/features/consent/consent-page')) },
      {
        element: <RequireUser />,
        children: [{ path: paths.onboarding, element: lazyPage(() => import('@/app/onboarding')) }],
      },
    ],
  },
]
