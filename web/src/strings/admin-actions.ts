/** What admins may do about an account (private.log_admin_action), in words for its owner. */
const labels: Record<string, string> = {
  'payment.replay': 'Un pagamento è stato elaborato di nuovo',
  'credits.adjust': 'I tuoi crediti sono stati corretti',
  'idea.answer': 'Una tua idea ha avuto risposta',
  'account.suspend': 'Il tuo account è stato sospeso',
  'account.reactivate': 'Il tuo account è stato riattivato',
  'account.make_admin': 'Il tuo account è diventato amministratore',
  'account.unmake_admin': 'Il tuo account non è più amministratore',
  'credits.sweep': 'I crediti bloccati sono stati liberati',
}

export const adminActionLabel = (action: string): string => labels[action] ?? 'Intervento sul tuo account'
