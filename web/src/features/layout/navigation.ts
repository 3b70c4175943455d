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

/** `tour` marks the stop of the guided tour. */
type Entry = { label: string; to: string; icon: LucideIcon; alsoAt?: string; tour?: string }

export const navigation: Entry[] = [
  { label: 'Home', to: paths.home, icon: HouseIcon, tour: 'dashboard' },
  { label: 'CRM', to: paths.crm, icon: UsersIcon, tour: 'crm' },
  // Both URLs show the same screen (LAYOUT-03).
  { label: 'Projects', to: paths.projects, icon: FolderKanbanIcon, alsoAt: paths.tasks, tour: 'tasks' },
  { label: 'Chat', to: paths.chat, icon: MessageCircleIcon, tour: 'chat-ai' },
  { label: 'Docs', to: paths.documents, icon: FileTextIcon, tour: 'documents' },
  { label: 'Settings', to: paths.settings, icon: SettingsIcon },
]
