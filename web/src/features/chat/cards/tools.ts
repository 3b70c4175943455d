/** What the cards know of each tool that writes: whether it can be taken back, and what of it can be corrected. */

export type Field = {
  /** The argument of the tool. */
  name: string
  label: string
  kind: 'line' | 'text' | 'email' | 'tel' | 'date'
  longest: number
}

type Tool = {
  /** Whether it can be taken back once it was done. */
  isReversible: boolean
  /** Reversible writes that stay in the house: a conversation may carry them out without asking. */
  mayAlways?: boolean
  fields: readonly Field[]
}

const line = (name: string, label: string, longest: number): Field => ({
  name,
  label,
  kind: 'line',
  longest,
})
const text = (name: string, label: string, longest: number): Field => ({
  name,
  label,
  kind: 'text',
  longest,
})

const date = (name: string, label: string): Field => ({ name, label, kind: 'date', longest: 10 })

const tools: Record<string, Tool> = {
  create_task: {
    isReversible: true,
    mayAlways: true,
    fields: [line('text', 'Attività, come la scriveresti', 500)],
  },
  complete_task: { isReversible: true, mayAlways: true, fields: [] },
  move_task: { isReversible: true, mayAlways: true, fields: [line('when', 'Quando', 200)] },
  undo_last_action: { isReversible: false, fields: [] },
  add_subtasks: { isReversible: true, fields: [text('steps', 'Passi, uno per riga', 5_000)] },
  add_note: { isReversible: true, mayAlways: true, fields: [text('body', 'Nota', 20_000)] },
  log_interaction: {
    isReversible: true,
    fields: [line('when', 'Quando', 200), text('summary', 'Di che cosa avete parlato', 5_000)],
  },
  create_contact: {
    isReversible: true,
    fields: [
      line('name', 'Nome', 200),
      { name: 'email', label: 'Email', kind: 'email', longest: 254 },
      { name: 'phone', label: 'Telefono', kind: 'tel', longest: 40 },
      line('vat_number', 'Partita IVA', 20),
    ],
  },
  create_deal: {
    isReversible: true,
    fields: [
      line('title', 'Titolo', 200),
      line('amount', 'Valore in euro', 40),
      line('stage', 'Fase', 100),
      date('expected_close', 'Chiusura prevista'),
    ],
  },
  move_deal: { isReversible: true, fields: [line('stage', 'Fase', 100)] },
  mark_invoice_paid: { isReversible: true, fields: [date('paid_on', 'Giorno del pagamento')] },
  draft_email: {
    isReversible: true,
    fields: [line('subject', 'Oggetto', 200), text('body', 'Testo', 20_000)],
  },
  draft_whatsapp: { isReversible: true, fields: [text('body', 'Testo', 20_000)] },
  remember: { isReversible: true, fields: [line('fact', 'Ricordo', 240)] },
  create_goal: { isReversible: true, fields: [] },
  forget: { isReversible: false, fields: [] },
  delete_task: { isReversible: true, fields: [] },
  delete_contact: { isReversible: true, fields: [] },
}

/** A tool that this version does not know can be approved and refused as it stands. */
export function toolOf(name: string): Tool {
  return tools[name] ?? { isReversible: false, fields: [] }
}

/** The rule about a proposal whose words stand in a text that somebody else wrote. */
export const isFromOthers = ({ id }: { id: string }): boolean => id === 'E-09'
