/** /settings/ai-notice: what a client is told about the AI that worked for them, ready to copy or print. */
import { useQuery } from '@tanstack/react-query'
import { PrinterIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { useSearchParams } from 'react-router'

import { ContactField } from '@/components/contact-field'
import { CopyButton } from '@/components/copy-button'
import { LoadError } from '@/components/load-error'
import { LogoImage } from '@/components/logo-image'
import { SettingsScreen } from '@/components/settings-screen'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { aiNoticeQuery, type NoticeSubject } from '@/data/ai-notice'
import { useAuth, useUser } from '@/data/auth-context'
import { projectsQuery } from '@/data/projects'
import { aiNoticeText } from '@/strings/ai-notice'
import { businessLine } from '@/strings/business'

export default function AiNoticePage() {
  const { id: userId } = useUser()
  const [params, setParams] = useSearchParams()
  const { data: projects = [] } = useQuery(projectsQuery(userId))
  const projectId = useId()
  const contact = params.get('cliente')
  const project = params.get('progetto')
  const { data: named } = useQuery({
    ...aiNoticeQuery(userId, { kind: 'contact', id: contact ?? '' }),
    enabled: contact !== null,
  })

  return (
    <SettingsScreen title="Informativa IA">
      <Card className="print:hidden">
        <CardHeader>
          <CardTitle>Per chi è</CardTitle>
          <CardDescription>
            Chi esercita una professione deve dire al cliente quali sistemi di intelligenza artificiale usa (legge
            132/2025, art. 13). Socio scrive il testo da quello che è successo davvero: rileggilo prima di darlo.
          </CardDescription>
        </CardHeader>
        <div className="grid gap-5 sm:grid-cols-2">
          <ContactField
            userId={userId}
            label="Cliente"
            value={contact === null || !named ? null : { id: contact, name: named.name }}
            onChoose={(found) => setParams(found ? { cliente: found.id } : {})}
          />
          <div className="grid gap-1.5">
            <Label htmlFor={projectId}>Oppure progetto</Label>
            <Select
              id={projectId}
              value={project ?? ''}
              onChange={({ target }) => setParams(target.value ? { progetto: target.value } : {})}
            >
              <option value="">Scegli</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
        </div>
      </Card>
      {contact !== null && <Notice key={contact} userId={userId} subject={{ kind: 'contact', id: contact }} />}
      {project !== null && <Notice key={project} userId={userId} subject={{ kind: 'project', id: project }} />}
    </SettingsScreen>
  )
}

function Notice({ userId, subject }: { userId: string; subject: NoticeSubject }) {
  const { profile } = useAuth()
  const [at] = useState(() => new Date().toISOString())
  const { data: notice, isPending, isError, refetch } = useQuery(aiNoticeQuery(userId, subject))
  if (isPending) return <Skeleton aria-busy className="h-96" />
  if (isError && notice === undefined) {
    return <LoadError text="Non riusciamo a leggere l’uso dell’IA in questo momento." onRetry={() => void refetch()} />
  }
  if (!notice) return <p className="text-sm text-muted-foreground">Questo cliente o progetto non c’è più.</p>
  const name = profile?.business_name ?? profile?.full_name ?? ''
  const text = aiNoticeText(subject.kind, notice, { name, business: profile ? businessLine(profile) : '', at })
  return (
    <Card className="print:border-0 print:p-0">
      <div className="flex flex-wrap gap-2 print:hidden">
        <CopyButton text={text} label="Copia" />
        <Button variant="outline" size="sm" onClick={() => window.print()}>
          <PrinterIcon aria-hidden />
          Stampa
        </Button>
      </div>
      <LogoImage address={profile?.logo_url ?? null} name={name} />
      <article aria-label="Informativa" className="text-sm leading-relaxed break-words whitespace-pre-wrap">
        {text}
      </article>
    </Card>
  )
}
