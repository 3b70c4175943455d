/** The first result of Socio: one true sentence about what was brought along, and what to do with it. */
import type { Home } from '@/data/home'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'
import { countText } from '@/strings/home'
import { formatCount, formatEuro } from '@/strings/numbers'

export type FirstResult = {
  sentence: string
  /** Null when there is nothing to open. */
  action: { label: string; path: string } | null
  /** What is there now, in few words each. */
  facts: string[]
}

type Rows = {
  home: Home
  contacts: { all: number; companies: number }
  firstDue: { name: string | null; dueOn: string } | null
}

export function firstResult(rows: Rows): FirstResult {
  return { ...headline(rows), facts: factsOf(rows) }
}

function headline({ home, contacts, firstDue }: Rows): Pick<FirstResult, 'sentence' | 'action'> {
  const { to_cash: cash, to_pay: debt, waiting, deals } = home
  if (cash.late > 0) {
    const late = countText(cash.late, 'fattura scaduta', 'fatture scadute')
    const oldest = firstDue?.name && `${cash.late === 1 ? 'è' : 'la più vecchia è'} di ${firstDue.name}`
    return {
      sentence: `Hai ${late}${amount(cash.late_cents, cash.others)}${oldest ? `: ${oldest}` : ''}.`,
      action: { label: 'Vedi chi ti deve pagare', path: paths.invoicesToCash },
    }
  }
  if (cash.invoices > 0) {
    const next =
      firstDue &&
      `: la prossima scadenza è il ${dayAndMonth(firstDue.dueOn)}${firstDue.name ? `, ${firstDue.name}` : ''}`
    return {
      sentence: `Hai ${countText(cash.invoices, 'fattura', 'fatture')} da incassare${amount(cash.open_cents, cash.others)}${next ?? ''}.`,
      action: { label: 'Vedi le fatture da incassare', path: paths.invoicesToCash },
    }
  }
  if (debt.invoices > 0) {
    const late = debt.late > 0 ? `, ${formatCount(debt.late)} già ${debt.late === 1 ? 'scaduta' : 'scadute'}` : ''
    return {
      sentence: `Hai ${countText(debt.invoices, 'fattura', 'fatture')} da pagare${amount(debt.open_cents, debt.others)}${late}.`,
      action: { label: 'Vedi le fatture da pagare', path: paths.invoicesToPay },
    }
  }
  if (waiting) {
    const papers = countText(waiting.count, 'documento aspetta', 'documenti aspettano')
    return {
      sentence: `${papers} una tua occhiata prima di entrare nei conti.`,
      action: { label: 'Verifica adesso', path: paths.invoicesToCheck },
    }
  }
  if (deals.count > 0) {
    return {
      sentence: `Hai ${countText(deals.count, 'trattativa aperta', 'trattative aperte')} per ${formatEuro(deals.cents)}.`,
      action: { label: 'Apri le trattative', path: paths.crmDeals },
    }
  }
  if (contacts.all > 0) {
    return {
      sentence: `Hai ${countText(contacts.all, 'contatto', 'contatti')} in rubrica: da qui Socio ti dice chi è ora di risentire.`,
      action: { label: 'Apri i contatti', path: paths.crm },
    }
  }
  return {
    sentence:
      'Non hai ancora portato niente: basta un elenco di contatti o una fattura, e qui trovi la prima risposta.',
    action: null,
  }
}

/** The euros, and that there is more than they say. */
function amount(cents: number, others: Record<string, number>): string {
  return ` per ${formatEuro(cents)}${Object.keys(others).length > 0 ? ' (altre valute a parte)' : ''}`
}

function factsOf({ home, contacts }: Rows): string[] {
  const { to_cash: cash, to_pay: debt, work } = home
  const companies = contacts.companies > 0 ? `, di cui ${countText(contacts.companies, 'azienda', 'aziende')}` : ''
  return [
    ...(contacts.all > 0 ? [`${countText(contacts.all, 'contatto', 'contatti')}${companies}`] : []),
    ...(cash.invoices > 0 ? [`${countText(cash.invoices, 'fattura', 'fatture')} da incassare`] : []),
    ...(debt.invoices > 0 ? [`${countText(debt.invoices, 'fattura', 'fatture')} da pagare`] : []),
    ...(work.today > 0 ? [`${countText(work.today, 'attività', 'attività')} per oggi`] : []),
  ]
}
