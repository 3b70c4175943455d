/** What a push message shows. It has no content: on a locked screen anybody reads it. */
import { safePath } from '@/lib/action-url'
import { paths } from '@/paths'

type Notice = { title: string; options: NotificationOptions & { data: string } }

type Message = { id?: unknown; news?: unknown; url?: unknown }

/** The notice of a message as functions/jobs/push_message.py writes it, or of the bare signal. */
export function noticeOf(message: string): Notice {
  const { id, news, url } = parsed(message)
  const count = typeof news === 'number' && news > 1 ? news : 1
  return {
    title: count === 1 ? 'Hai una novità in Socio' : `Hai ${count} novità in Socio`,
    options: {
      body: 'Tocca per vedere di che cosa si tratta.',
      // A message that comes twice is one notice.
      tag: typeof id === 'string' ? id : 'socio',
      lang: 'it',
      icon: '/icon-192.png',
      data: safePath(typeof url === 'string' ? url : null) ?? paths.notifications,
    },
  }
}

function parsed(message: string): Message {
  try {
    return (JSON.parse(message) as Message | null) ?? {}
  } catch {
    return {}
  }
}
