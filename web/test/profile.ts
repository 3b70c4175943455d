import type { User } from '@supabase/supabase-js'

import { type AuthState, guest } from '@/data/auth-context'
import type { Profile } from '@/data/profiles'

/** A row of profiles as the server gives it after onboarding. */
export function makeProfile(change: Partial<Profile> = {}): Profile {
  return {
    user_id: 'user-1',
    full_name: 'Giulia Ferri',
    avatar_url: null,
    onboarding_completed: true,
    onboarding_step: 4,
    business_name: null,
    activity: null,
    tax_regime: null,
    vat_number: null,
    tax_code: null,
    goal: null,
    ateco: null,
    iban: null,
    account_holder: null,
    pec: null,
    sdi_code: null,
    address: null,
    business_phone: null,
    logo_url: null,
    work_days: [1, 2, 3, 4, 5],
    work_from: '09:00:00',
    work_to: '18:00:00',
    created_at: '2026-11-20T09:00:00Z',
    deletion_due_at: null,
    limited_since: null,
    ...change,
  }
}

/** Signed in with a password, and past onboarding. */
export const member: AuthState = {
  ...guest,
  user: { id: 'user-1', email: 'giulia@socio.example' } as User,
  level: 'aal1',
  profile: makeProfile(),
}
