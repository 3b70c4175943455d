/** Short names for the row types of the generated file. */
import type { Database } from '@/data/database.gen'

type Public = Database['public']

export type Tables<T extends keyof Public['Tables']> = Public['Tables'][T]['Row']
export type TablesUpdate<T extends keyof Public['Tables']> = Public['Tables'][T]['Update']
export type Enums<T extends keyof Public['Enums']> = Public['Enums'][T]
