/** What of the person's own the palette finds: contacts, documents, tasks, e-mails, WhatsApp, projects, conversations. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  FileTextIcon,
  FolderKanbanIcon,
  ListTodoIcon,
  type LucideIcon,
  MailIcon,
  MessageCircleIcon,
  SmartphoneIcon,
  UserRoundIcon,
} from 'lucide-react'
import { useDeferredValue } from 'react'

import { contactSearchQuery } from '@/data/contact-search'
import { conversationPaletteQuery } from '@/data/conversations'
import { documentSearchQuery } from '@/data/document-search'
import { mailSearchQuery } from '@/data/mail-search'
import { noFilter } from '@/data/documents-wish'
import { projectsQuery } from '@/data/projects'
import { taskSearchQuery } from '@/data/tasks'
import { whatsappSearchQuery } from '@/data/whatsapp-search'
import { paths } from '@/paths'

/** `words` find it too. */
export type Destination = { label: string; to: string; icon: LucideIcon; kind?: string; words?: string }

/** One letter fits too much. */
const SHORTEST = 2
const PROJECTS_SHOWN = 3
const DOCUMENTS_SHOWN = 5
const MAILS_SHOWN = 5
const WHATSAPP_SHOWN = 5
const BEFORE_MARK = 12

export function useRecords(userId: string, typed: string): { found: Destination[]; isSearching: boolean } {
  const text = useDeferredValue(typed.trim())
  const enabled = text.length >= SHORTEST
  const contacts = useQuery({ ...contactSearchQuery(userId, text), enabled, placeholderData: keepPreviousData })
  const documents = useQuery({
    ...documentSearchQuery(userId, text, noFilter, DOCUMENTS_SHOWN),
    enabled,
    placeholderData: keepPreviousData,
  })
  const tasks = useQuery({ ...taskSearchQuery(userId, text), enabled, placeholderData: keepPreviousData })
  const mails = useQuery({
    ...mailSearchQuery(userId, text, MAILS_SHOWN),
    enabled,
    placeholderData: keepPreviousData,
  })
  const whatsapp = useQuery({
    ...whatsappSearchQuery(userId, text, WHATSAPP_SHOWN),
    enabled,
    placeholderData: keepPreviousData,
  })
  const projects = useQuery({ ...projectsQuery(userId), enabled })
  const conversations = useQuery({
    ...conversationPaletteQuery(userId, text),
    enabled,
    placeholderData: keepPreviousData,
  })
  if (!enabled) return { found: [], isSearching: false }
  const wanted = text.toLocaleLowerCase('it')
  const found: Destination[] = [
    ...(contacts.data ?? []).map(({ id, name }) => ({
      label: name,
      to: paths.crmContact(id),
      icon: UserRoundIcon,
      kind: 'Contatto',
    })),
    ...(documents.data ?? []).map(({ id, name, hits: [best] }) => ({
      label: name,
      to: best?.page ? paths.documentHit(id, text, String(best.page)) : paths.document(id),
      icon: FileTextIcon,
      kind: 'Documento',
    })),
    ...(tasks.data ?? []).map(({ id, title }) => ({
      label: title,
      to: paths.task(id),
      icon: ListTodoIcon,
      kind: 'Attività',
    })),
    ...(projects.data ?? [])
      .filter(({ name }) => name.toLocaleLowerCase('it').includes(wanted))
      .slice(0, PROJECTS_SHOWN)
      .map(({ id, name }) => ({ label: name, to: paths.project(id), icon: FolderKanbanIcon, kind: 'Progetto' })),
    ...(mails.data ?? []).map(({ subject, party, thread_id: threadId, contact_id: contactId }) => ({
      label: party ? `${party}: ${subject}` : subject,
      to: threadId ? paths.crmMailThread(threadId) : paths.crmContact(contactId ?? ''),
      icon: MailIcon,
      kind: 'Email',
    })),
    ...(whatsapp.data ?? []).map(({ party, snippet, marks, channel_id: channelId, message_id: messageId }) => ({
      label: `${party}: ${fromMark(snippet, marks)}`,
      to: paths.crmWhatsappChat(channelId, messageId),
      icon: SmartphoneIcon,
      kind: 'WhatsApp',
    })),
    ...(conversations.data ?? []).map(({ id, title, messageId, snippet }) => ({
      label: title ?? snippet,
      to: paths.conversation(id, messageId ?? undefined),
      icon: MessageCircleIcon,
      kind: 'Conversazione',
    })),
  ]
  return {
    found,
    isSearching: [contacts, documents, tasks, mails, whatsapp, projects, conversations].some(
      ({ isFetching }) => isFetching,
    ),
  }
}

/** A sentence from shortly before its first mark: a line of the palette is short. */
function fromMark(text: string, [mark = 0]: number[]): string {
  const start = text.lastIndexOf(' ', mark - BEFORE_MARK)
  return mark < BEFORE_MARK || start < 1 ? text : `…${text.slice(start + 1)}`
}
