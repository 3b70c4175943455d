/**
 * Every screen of this version and who sees it: walked by the accessibility tests and by the camera.
 */
import { expect, type Page } from '@playwright/test'

import type { Persona } from './test'

type Screen = { path: string; heading: RegExp }

/** The heading proves that the screen has arrived, not its skeleton. */
export const screens: Record<Persona, Screen[]> = {
  guest: [
    { path: '/', heading: /./ },
    { path: '/login', heading: /Accedi a Socio/ },
    { path: '/register', heading: /Crea il tuo account/ },
    { path: '/forgot-password', heading: /Password dimenticata/ },
    { path: '/reset-password', heading: /Serve un nuovo link/ },
    { path: '/reset-password?token_hash=abc&type=recovery', heading: /Scegli una nuova password/ },
    { path: '/auth/confirm', heading: /Conferma il tuo indirizzo/ },
    { path: '/auth/confirm?token_hash=abc&type=signup', heading: /Conferma il tuo indirizzo/ },
    { path: '/lista-attesa', heading: /Questo link non vale più/ },
    { path: '/lista-attesa?token=abc', heading: /Il tuo posto in lista d’attesa/ },
    { path: '/disiscrizione?da=abc&chiave=abc', heading: /Non vuoi più queste email/ },
    { path: '/pricing', heading: /Un prezzo per quello che usi/ },
    { path: '/store', heading: /Ricarica i tuoi crediti/ },
    { path: '/roadmap', heading: /Roadmap/ },
    { path: '/faq', heading: /Domande frequenti/ },
    { path: '/changelog', heading: /Novità/ },
    { path: '/status', heading: /Stato del servizio/ },
    { path: '/privacy-policy', heading: /Privacy Policy/ },
    { path: '/terms-of-service', heading: /Termini di Servizio/ },
    { path: '/cookie-policy', heading: /Cookie Policy/ },
    { path: '/business-documents', heading: /Documenti per la tua attività/ },
    { path: '/pagina-inesistente', heading: /Pagina non trovata|404/ },
  ],
  newcomer: [{ path: '/onboarding', heading: /Chi sei/ }],
  member: [
    { path: '/home', heading: /Anna|Giulia/ },
    { path: '/notifications', heading: /Notifiche/ },
    { path: '/chat', heading: /Nuova conversazione/ },
    { path: '/chat/00000000-0000-4000-8000-000000000000', heading: /Conversazione non trovata/ },
    { path: '/crm', heading: /Contatti/ },
    { path: '/crm?vista=aziende', heading: /Aziende/ },
    { path: '/crm?vista=whatsapp', heading: /WhatsApp/ },
    { path: '/crm/00000000-0000-4000-8000-000000000000', heading: /Contatto non trovato/ },
    { path: '/crm/trattative', heading: /Trattative/ },
    { path: '/crm/invii', heading: /Invii/ },
    { path: '/crm/importa', heading: /Importa contatti/ },
    { path: '/crm/doppioni', heading: /Possibili doppioni/ },
    { path: '/documents', heading: /Documenti/ },
    { path: '/documents?cestino=1', heading: /Cestino/ },
    { path: '/documents/fatture', heading: /Fatture/ },
    { path: '/documents/00000000-0000-4000-8000-000000000000', heading: /Documento non trovato/ },
    { path: '/projects', heading: /Attività e progetti/ },
    { path: '/projects?vista=obiettivi', heading: /Obiettivi/ },
    { path: '/tasks?vista=kanban', heading: /Attività e progetti/ },
    { path: '/tasks?vista=calendario', heading: /Attività e progetti/ },
    { path: '/tasks?vista=progetti', heading: /Attività e progetti/ },
    { path: '/settings', heading: /Impostazioni/ },
    { path: '/settings/profile', heading: /Profilo/ },
    { path: '/settings/business', heading: /Attività e dati fiscali/ },
    { path: '/settings/security', heading: /Sicurezza/ },
    { path: '/settings/credits', heading: /Crediti/ },
    { path: '/settings/notifications', heading: /Notifiche/ },
    { path: '/settings/channels', heading: /Canali/ },
    { path: '/settings/memory', heading: /Memoria/ },
    { path: '/settings/data', heading: /I tuoi dati/ },
    { path: '/settings/privacy', heading: /Privacy/ },
    { path: '/settings/ideas', heading: /Idee/ },
    { path: '/settings/ai-notice', heading: /Informativa IA/ },
    { path: '/settings/data/delete', heading: /Elimina l’account/ },
    { path: '/condividi', heading: /Condiviso con Socio/ },
    { path: '/pricing', heading: /Un prezzo per quello che usi/ },
    { path: '/store', heading: /Ricarica i tuoi crediti/ },
    { path: '/store/success', heading: /Nessun pagamento/ },
    { path: '/admin', heading: /Accesso Negato/ },
  ],
  admin: [
    { path: '/admin', heading: /Panoramica/ },
    { path: '/admin/errors', heading: /Errori/ },
    { path: '/admin/mobile-qa', heading: /Mobile/ },
    { path: '/admin/browser-testing', heading: /Browser/ },
    { path: '/admin/stripe-events', heading: /Pagamenti/ },
    { path: '/admin/security', heading: /Sicurezza/ },
    { path: '/admin/database-health', heading: /Database/ },
    { path: '/admin/credit-audit', heading: /Crediti/ },
    { path: '/admin/roadmap', heading: /Roadmap/ },
    // With a second factor and its recovery codes there is more to see.
    { path: '/settings/security', heading: /Sicurezza/ },
  ],
}

export const themes = ['light', 'dark'] as const

/** Opens `screen` and waits until its data and its fonts are there. */
export async function open(page: Page, screen: Screen): Promise<void> {
  await page.goto(screen.path)
  await expect(page.getByRole('heading', { name: screen.heading }).first()).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
}
