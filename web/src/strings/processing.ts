/** Words of the record of processing activities. */
import type { ProcessingRole } from '@/data/admin-processing'

export const processingRoles: Record<ProcessingRole, string> = {
  titolare: 'Titolare',
  responsabile: 'Responsabile, per conto dei clienti',
}
