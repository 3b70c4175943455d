/** Names of the parts of the installation, their states and those of incidents. */
import type { IncidentState, PartState } from '@/data/service-status'

export const partNames: Record<string, string> = {
  site: 'Sito',
  api: 'API e database',
  auth: 'Accesso',
  storage: 'File',
  functions: 'Funzioni',
  worker: 'Lavori in background',
  mail: 'Posta in uscita',
  journey: 'Percorso di prova',
}

export const partName = (part: string): string => partNames[part] ?? part

export const partStates: Record<PartState, string> = {
  up: 'Funziona',
  down: 'Non risponde',
  unknown: 'Nessun dato',
}

export const overallStates: Record<PartState, string> = {
  up: 'Tutto funziona',
  down: 'Qualcosa non risponde',
  unknown: 'Lo stato non viene misurato da qualche minuto',
}

export const incidentStates: Record<IncidentState, string> = {
  investigating: 'Cerchiamo la causa',
  identified: 'Causa trovata',
  monitoring: 'Sotto osservazione',
  resolved: 'Risolto',
}

const moment = new Intl.DateTimeFormat('it-IT', {
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'Europe/Rome',
})

/** «21 novembre alle ore 09:05», in Italy. */
export const momentInItaly = (iso: string): string => moment.format(new Date(iso))
