/** What Socio does by itself on a person's WhatsApp. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { whatsappKey } from '@/data/whatsapp-key'
import { supabase } from '@/lib/supabase'

export type WhatsappSettings = Omit<Tables<'whatsapp_settings'>, 'user_id'>

export type AnswerChoice = Pick<WhatsappSettings, 'answer_when' | 'answer_text' | 'answer_until'>

const NOTHING: WhatsappSettings = { voice_credits: null, answer_when: 'mai', answer_text: null, answer_until: null }

/** The choices; a person who has made none wants nothing done. */
export function whatsappSettingsQuery(userId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'settings'],
    queryFn: async (): Promise<WhatsappSettings> => {
      await currentUser()
      return unwrap(await supabase.from('whatsapp_settings').select('*').maybeSingle()) ?? NOTHING
    },
  })
}

export function useSaveWhatsappSettings(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (change: Partial<WhatsappSettings>) =>
      unwrap(await supabase.from('whatsapp_settings').upsert({ user_id: userId, ...change })),
    onSettled: () => client.invalidateQueries({ queryKey: whatsappSettingsQuery(userId).queryKey }),
  })
}

/** What the automatic answer would say with these choices, and whether it would leave now; nothing is sent. */
export function usePreviewAnswer() {
  return useMutation({
    mutationFn: async ({ answer_when: when, answer_text: text, answer_until: until }: AnswerChoice) => {
      const choice = { _when: when, ...(text !== null && { _text: text }), ...(until !== null && { _until: until }) }
      return unwrap(await supabase.rpc('preview_whatsapp_answer', choice).single())
    },
  })
}
