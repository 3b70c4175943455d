/** The six entries of the bottom navigation, which the command palette offers too. */
import {
  FileTextIcon,
  FolderKanbanIcon,
  HouseIcon,
  type LucideIcon,
  MessageCircleIcon,
  SettingsIcon,
  UsersIcon,
} from 'lucide-react'

import { paths } from '@/paths'

type Entry = { label: string; to: string; icon: LucideIcon; alsoAt?: string }

export const navigation: Entry[] = [
  { label: 'Home', to: paths.home, icon: HouseIcon },
  { label: 'CRM', to: paths.crm, icon: UsersIcon },
  // Both URLs show the same screen (spec section 2).
  { label: 'Projects', to: paths.projects, icon: FolderKanbanIcon, alsoAt: paths.tasks },
  { label: 'Chat', to: paths.chat, icon: MessageCircleIcon },
  { label: 'Docs', to: paths.documents, icon: FileTextIcon },
  { label: 'Settings', to: paths.settings, icon: SettingsIcon },
]
