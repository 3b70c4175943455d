import type { Home, Insight } from '@/data/home'

const side = {
  open_cents: 0,
  late_cents: 0,
  soon_cents: 0,
  undated_cents: 0,
  invoices: 0,
  late: 0,
  soon: 0,
  undated: 0,
}

/** One card, a late invoice unless told otherwise. */
export function makeInsight(change: Partial<Insight> = {}): Insight {
  return {
    id: 'insight-1',
    kind: 'fattura_scaduta',
    label: 'Fatture scadute',
    action: 'sollecito',
    entity_type: 'invoice',
    entity_id: 'invoice-1',
    contact_id: null,
    title: 'Fattura 12, Neri srl',
    body: 'Scaduta da 23 giorni. Di solito paga in 5 giorni dall’emissione, ne sono passati 53: è insolito.',
    amount_cents: 122_000,
    currency: 'EUR',
    data: {
      document_id: 'document-1',
      number: '12',
      counterparty: 'Neri srl',
      issued_on: '2026-10-03',
      due_on: '2026-11-02',
      late_days: 23,
    },
    ...change,
  }
}

/** What home_overview() answers to somebody with nothing of their own. */
export function makeHome(change: Partial<Home> = {}): Home {
  return {
    day: '2026-11-25',
    to_cash: { ...side, others: {} },
    to_pay: { ...side, others: {} },
    months: ['06', '07', '08', '09', '10', '11'].map((month) => ({
      month: `2026-${month}-01`,
      paid_cents: 0,
      open_cents: 0,
      late_cents: 0,
    })),
    forecast: {
      weeks: Array.from({ length: 13 }, (_, week) => ({
        week: new Date(Date.UTC(2026, 10, 23 + 7 * week)).toISOString().slice(0, 10),
        in_cents: 0,
        out_cents: 0,
      })),
      late_cents: 0,
      undated_cents: 0,
      later_cents: 0,
    },
    work: { today: 0, late: 0, tasks: [], people: 0, names: [] },
    deals: { count: 0, cents: 0, weighted_cents: 0, others: {}, stages: [] },
    activity: [],
    waiting: null,
    briefing: [],
    insights: [],
    balance: 100,
    has_invoices: false,
    has_contacts: false,
    ...change,
  }
}
