import { useAuth } from '@/data/auth-context'

/** When the day of this person begins («09:00»): what is put off until a day comes back then. */
export const useMorning = (): string => (useAuth().profile?.work_from ?? '09:00').slice(0, 5)
