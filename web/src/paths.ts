/** Every URL of the client (SITE-01). No other module spells one. */
export const paths = {
  landing: '/',
  login: '/login',
  secondFactor: '/login/verifica',
  register: '/register',
  /** The same form for somebody who has chosen a plan. */
  registerFor: (planId: string) => `/register?piano=${planId}`,
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  /** Target of the links in the confirmation e-mails: a button consumes the token, never the GET. */
  authConfirm: '/auth/confirm',
  /** Where an application elsewhere asks to use the account (`auth.oauth_server` of the settings). */
  oauthConsent: '/oauth/consent',
  /** Target of the links in the waiting list's mails; functions/jobs/waiting_list_mail.py spells it too. */
  waitingList: '/lista-attesa',
  /** Target of the link in promotions; functions/_shared/unsubscribing.py spells it too. */
  unsubscribe: '/disiscrizione',
  pricing: '/pricing',
  store: '/store',
  /** Target of the checkout, with its session_id; functions/create_checkout.py spells it too. */
  storeSuccess: '/store/success',
  roadmap: '/roadmap',
  faq: '/faq',
  changelog: '/changelog',
  status: '/status',
  privacyPolicy: '/privacy-policy',
  termsOfService: '/terms-of-service',
  cookiePolicy: '/cookie-policy',
  businessDocuments: '/business-documents',
  onboarding: '/onboarding',
  home: '/home',
  chat: '/chat',
  /** A conversation, or one message of it (with a default it is no part of the address that the server knows). */
  conversation: (conversationId: string, messageId = '') => `/chat/${conversationId}${messageId && `#m-${messageId}`}`,
  /** A new conversation with the question already typed. */
  ask: (question: string) => `/chat?${new URLSearchParams({ domanda: question }).toString()}`,
  crm: '/crm',
  /** The same screen as `crm`, with companies instead of people. */
  crmCompanies: '/crm?vista=aziende',
  /** The same screen with whom it is time to hear from. */
  /** The people of `consent_facts`. */
  crmWithoutConsent: `/crm?${new URLSearchParams({ filtro: '{"all":[{"field":"consent","channel":"email","is":"non_richiesto"}]}' }).toString()}`,
  crmDue: `/crm?${new URLSearchParams({ filtro: '{"all":[{"field":"due"}]}', ordine: 'prossimo' }).toString()}`,
  /** The same screen with what was deleted. */
  crmTrash: '/crm?cestino=1',
  /** The same screen with the mail that waits for an answer. */
  crmMail: '/crm?vista=posta',
  crmMailThread: (id: string) => `/crm?vista=posta&conversazione=${id}`,
  crmMailView: (view: string) => `/crm?vista=posta&stato=${view}`,
  /** The same screen with the WhatsApp messages that wait for an answer. */
  crmWhatsapp: '/crm?vista=whatsapp',
  crmWhatsappDone: '/crm?vista=whatsapp&stato=fatti',
  crmWhatsappChat: (id: string, messageId = '') =>
    `/crm?vista=whatsapp&conversazione=${id}${messageId && `#m-${messageId}`}`,
  crmDeals: '/crm/trattative',
  /** The same screen with one deal open. */
  crmDeal: (dealId: string) => `/crm/trattative?trattativa=${dealId}`,
  /** Texts that went to several contacts. */
  crmCampaigns: '/crm/invii',
  crmImport: '/crm/importa',
  /** The same screen with a file of contacts that another application has shared. */
  crmImportShared: (pieceId: string) => `/crm/importa?condiviso=${pieceId}`,
  crmDuplicates: '/crm/doppioni',
  /** Counterparties of papers that have no contact. */
  crmLinking: '/crm/da-collegare',
  /** The same screen, where these two are compared and merged. */
  crmMerge: (firstId: string, secondId: string) => `/crm/doppioni?unisci=${firstId},${secondId}`,
  crmContact: (contactId: string) => `/crm/${contactId}`,
  documents: '/documents',
  /** The same screen with what was deleted. */
  documentsTrash: '/documents?cestino=1',
  /** The same screen with those of which something read is doubtful. */
  documentsToCheck: '/documents?stato=da_verificare',
  /** The register of invoices with their due dates. */
  documentsInvoices: '/documents/fatture',
  /** The same with what one's clients owe. */
  invoicesToCash: '/documents/fatture?tipo=attive',
  /** The same with what one owes. */
  invoicesToPay: '/documents/fatture?tipo=passive',
  /** The same with the packet for the accountant open: of a month (2026-10), else of the last one. */
  monthPacket: (month = 'scorso') => `/documents/fatture?pacchetto=${month}`,
  /** Papers that wait to be registered as invoices. */
  invoicesToCheck: '/documents/fatture?tipo=verificare',
  /** All invoices of one contact: `attive` that were issued, `passive` that were received. */
  invoicesOf: (contactId: string, type: string) =>
    `/documents/fatture?${new URLSearchParams({ tipo: type, stato: 'tutte', contatto: contactId }).toString()}`,
  document: (documentId: string) => `/documents/${documentId}`,
  /** The same document at a page, with what was searched for marked. */
  documentHit: (documentId: string, query: string, page: string) =>
    `/documents/${documentId}?${new URLSearchParams({ q: query, p: page }).toString()}`,
  /** The same document at a passage, its words by their numbers on the page («3-12»). */
  documentPassage: (documentId: string, page: string, words: string) =>
    `/documents/${documentId}?${new URLSearchParams({ p: page, parole: words }).toString()}`,
  settings: '/settings',
  settingsProfile: '/settings/profile',
  /** What the business is on paper. functions/_shared/assistant/local/plans spell it too. */
  settingsBusiness: '/settings/business',
  settingsSecurity: '/settings/security',
  settingsCredits: '/settings/credits',
  /** The receipt of one order, to print. */
  settingsOrder: (orderId: string) => `/settings/credits/orders/${orderId}`,
  settingsChannels: '/settings/channels',
  settingsData: '/settings/data',
  settingsPrivacy: '/settings/privacy',
  /** The same screen with what is held about one contact, its copy and its erasure. */
  contactRights: (contactId: string) => `/settings/privacy?cliente=${contactId}`,
  settingsIdeas: '/settings/ideas',
  /** The same screen with a new idea begun. */
  newIdea: '/settings/ideas?nuova=1',
  settingsAiNotice: '/settings/ai-notice',
  /** The same screen with the notice for one contact. */
  aiNoticeFor: (contactId: string) => `/settings/ai-notice?cliente=${contactId}`,
  settingsDeletion: '/settings/data/delete',
  settingsMemory: '/settings/memory',
  settingsNotifications: '/settings/notifications',
  notifications: '/notifications',
  /** What another application has shared waits here; public/manifest.webmanifest spells it too. */
  share: '/condividi',
  /** What the service worker shows in place of a page that needs the network. */
  offline: '/offline',
  tasks: '/tasks',
  projects: '/projects',
  /** The same screen with the cursor where tasks are written; public/manifest.webmanifest spells it too. */
  newTask: '/tasks?nuova=1',
  /** What agents do for the person; db/schemas/64_goals.sql spells it too. */
  goals: '/projects?vista=obiettivi',
  /** The same with the aims that a goal can have. */
  newGoal: '/projects?vista=obiettivi&nuovo=1',
  /** The same with what an agent may do, its rehearsal and its plan. */
  mandate: (agent: string) => `/projects?vista=obiettivi&mandato=${agent}`,
  /** The same screen with one task open, or with the tasks of one project. */
  task: (taskId: string) => `/tasks?attivita=${taskId}`,
  project: (projectId: string) => `/tasks?vista=lista&progetto=${projectId}`,
  admin: '/admin',
  adminErrors: '/admin/errors',
  adminUptime: '/admin/uptime',
  adminMobileQa: '/admin/mobile-qa',
  adminBrowserTesting: '/admin/browser-testing',
  adminPerformance: '/admin/performance',
  adminAnalytics: '/admin/analytics',
  adminPaymentEvents: '/admin/stripe-events',
  adminSecurity: '/admin/security',
  adminDatabaseHealth: '/admin/database-health',
  adminCreditAudit: '/admin/credit-audit',
  adminRoadmap: '/admin/roadmap',
} as const
