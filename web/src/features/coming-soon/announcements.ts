/** What each announced screen will hold. */
import { GaugeIcon, type LucideIcon, MessageCircleIcon } from 'lucide-react'

import { paths } from '@/paths'

type Announcement = { title: string; text: string; icon: LucideIcon }

const announcements: Record<string, Announcement> = {
  [paths.chat]: {
    title: 'Chat',
    text: 'Qui potrai chiedere a Socio qualsiasi cosa sul tuo lavoro: conosce clienti, documenti e scadenze.',
    icon: MessageCircleIcon,
  },
}

const admin: Announcement = {
  title: 'Amministrazione',
  text: 'Qui seguirai errori, disponibilità, pagamenti, crediti e sicurezza di Socio.',
  icon: GaugeIcon,
}

/** Every admin URL shares one announcement. */
export function announcementFor(pathname: string): Announcement {
  return announcements[pathname.replace(/\/+$/, '')] ?? admin
}
