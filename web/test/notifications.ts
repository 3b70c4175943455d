import type { Notification } from '@/data/notifications'

/** A row as the server answers it: unread, of a minute ago, unless told otherwise. */
export const notification = (id: string, change: Partial<Notification> = {}): Notification => ({
  id,
  user_id: 'user-1',
  title: `Titolo ${id}`,
  message: 'Testo',
  type: 'info',
  is_read: false,
  read_at: null,
  created_at: new Date().toISOString(),
  action_url: null,
  kind: 'avviso',
  category: 'sistema',
  dedupe_key: null,
  batch_key: null,
  batch_count: 1,
  entity_type: null,
  entity_id: null,
  ...change,
})
