/** What the domains of the catalogue (functions/_shared/personal_data.py) are called. */
export const deletionDomains: Record<string, string> = {
  profilo: 'Profilo e scelte',
  clienti: 'Clienti, email e trattative',
  lavoro: 'Progetti e attività',
  documenti: 'Documenti e fatture',
  assistente: 'Conversazioni e memoria',
  crediti: 'Limiti dei crediti',
  registro: 'Avvisi e registri',
}
