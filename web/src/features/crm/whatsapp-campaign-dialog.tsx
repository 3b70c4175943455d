/** Sends a template to several contacts by WhatsApp: whom and what, then who gets it and at what price, then the approval. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'react-router'

import { Field, wantedTime, type When, WhenField } from '@/components/mail-fields'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { idsOf } from '@/data/contacts'
import { everybody } from '@/data/contacts-filter'
import { segmentsQuery } from '@/data/contacts-labels'
import { type WhatsappAccount, type WhatsappTemplate, whatsappTemplatesQuery } from '@/data/whatsapp'
import type { WhatsappCampaign } from '@/data/whatsapp-campaigns'
import { NoTemplates } from '@/features/crm/no-templates'
import { WhatsappCampaignReview } from '@/features/crm/whatsapp-campaign-review'
import { paths } from '@/paths'
import { contactPlaces, templateCategories } from '@/strings/whatsapp'

type Props = {
  userId: string
  account: WhatsappAccount
  /** Whom it goes to; null asks. */
  contactIds: string[] | null
  onClose: () => void
}

const FIXED = 'testo'

/** What a place begins with: the value of the contact that is called so, or a text to be typed. */
const firstValue = (place: string): string => (place in contactPlaces ? `{{${place}}}` : '')

export default function WhatsappCampaignDialog({ userId, account, contactIds, onClose }: Props) {
  const [people, setPeople] = useState(contactIds)
  const [template, setTemplate] = useState<WhatsappTemplate | null>(null)
  const [values, setValues] = useState<Record<string, string>>({})
  const [when, setWhen] = useState<When>('orario')
  const [later, setLater] = useState('')
  const [isWritten, setWritten] = useState(false)
  const campaign: Omit<WhatsappCampaign, 'withOften'> | null = people &&
    template && { contactIds: people, templateId: template.id, values, notBefore: wantedTime(when, later) }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Invia su WhatsApp a più persone</DialogTitle>
          <DialogDescription>
            Ognuno riceve il suo messaggio dal {account.display_number ?? 'tuo numero'}, e non vede gli altri.{' '}
            <Link to={paths.crmCampaigns} className="underline">
              Invii precedenti
            </Link>
          </DialogDescription>
        </DialogHeader>
        {isWritten && campaign && template ? (
          <WhatsappCampaignReview template={template} campaign={campaign} onBack={() => setWritten(false)} />
        ) : (
          <form
            className="grid grid-cols-[minmax(0,1fr)] gap-4"
            onSubmit={(event) => {
              event.preventDefault()
              setWritten(true)
            }}
          >
            {contactIds ? (
              <p className="text-sm">
                {contactIds.length === 1 ? '1 contatto scelto' : `${contactIds.length} contatti scelti`}
              </p>
            ) : (
              <People userId={userId} onChange={setPeople} />
            )}
            <Template
              userId={userId}
              chosen={template}
              onChoose={(chosen) => {
                setTemplate(chosen)
                setValues(Object.fromEntries(chosen.places.map((place) => [place, firstValue(place)])))
              }}
            />
            {template?.places.map((place) => (
              <Place
                key={`${template.id} ${place}`}
                place={place}
                value={values[place] ?? ''}
                onChange={(value) => setValues({ ...values, [place]: value })}
              />
            ))}
            <WhenField canBeAtOnce={false} value={when} later={later} onChange={setWhen} onLater={setLater} />
            <Button
              type="submit"
              className="justify-self-start"
              disabled={
                !campaign ||
                people?.length === 0 ||
                Object.values(values).some((value) => !value.trim()) ||
                (when === 'tardi' && !later)
              }
            >
              Controlla chi lo riceve
            </Button>
          </form>
        )}
      </DialogContent>
    </Dialog>
  )
}

/** A saved segment, or all contacts. */
function People({ userId, onChange }: { userId: string; onChange: (ids: string[] | null) => void }) {
  const id = useId()
  const { data: segments = [] } = useQuery(segmentsQuery(userId))
  const [chosen, setChosen] = useState('')
  const [isFailed, setFailed] = useState(false)

  async function onChoose(segmentId: string) {
    setChosen(segmentId)
    setFailed(false)
    onChange(null)
    if (!segmentId) return
    const filter = segments.find((segment) => segment.id === segmentId)?.filter ?? everybody
    try {
      const lists = await Promise.all(
        (['persona', 'azienda'] as const).map((type) => idsOf({ type, filter, order: 'name', text: '' })),
      )
      onChange(lists.flat())
    } catch {
      setFailed(true)
    }
  }

  return (
    <>
      <Field id={id} label="A chi">
        <Select id={id} value={chosen} onChange={({ target }) => void onChoose(target.value)}>
          <option value="">Scegli</option>
          {segments.map((segment) => (
            <option key={segment.id} value={segment.id}>
              {segment.name}
            </option>
          ))}
          <option value="tutti">Tutti i contatti</option>
        </Select>
      </Field>
      <p className="-mt-2 text-sm text-muted-foreground">
        Sono i tuoi segmenti. Per scegliere uno a uno, seleziona i contatti nell’
        <Link to={paths.crm} className="underline">
          elenco
        </Link>{' '}
        e premi «WhatsApp».
      </p>
      {isFailed && <LoadError text="Non riusciamo a leggere i contatti." onRetry={() => void onChoose(chosen)} />}
    </>
  )
}

type TemplateProps = {
  userId: string
  chosen: WhatsappTemplate | null
  onChoose: (template: WhatsappTemplate) => void
}

function Template({ userId, chosen, onChoose }: TemplateProps) {
  const id = useId()
  const { data, isError, refetch } = useQuery(whatsappTemplatesQuery(userId))
  if (isError && !data) return <LoadError text="Non riusciamo a leggere i modelli." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-24" />
  const usable = data.filter(
    ({ state, is_usable: isUsable, category }) => state === 'APPROVED' && isUsable && category !== 'AUTHENTICATION',
  )
  if (usable.length === 0) return <NoTemplates />
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Field id={id} label="Modello">
        <Select
          id={id}
          value={chosen?.id ?? ''}
          onChange={({ target }) => {
            const found = usable.find((template) => template.id === target.value)
            if (found) onChoose(found)
          }}
        >
          {!chosen && <option value="">Scegli</option>}
          {usable.map((template) => (
            <option key={template.id} value={template.id}>
              {template.name}
            </option>
          ))}
        </Select>
      </Field>
      {chosen && (
        <>
          <p className="text-sm text-muted-foreground">{templateCategories[chosen.category] ?? chosen.category}</p>
          <p className="rounded-md bg-muted px-3 py-2 text-sm break-words whitespace-pre-wrap">{chosen.body}</p>
        </>
      )}
    </div>
  )
}

type PlaceProps = { place: string; value: string; onChange: (value: string) => void }

/** What a place says: something of each contact, or the same for all. */
function Place({ place, value, onChange }: PlaceProps) {
  const id = useId()
  const source = Object.keys(contactPlaces).find((name) => value === `{{${name}}}`) ?? FIXED
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Field id={id} label={`Al posto di «${place}»`}>
        <Select
          id={id}
          value={source}
          onChange={({ target }) => onChange(target.value === FIXED ? '' : `{{${target.value}}}`)}
        >
          {Object.entries(contactPlaces).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value={FIXED}>Un testo uguale per tutti</option>
        </Select>
      </Field>
      {source === FIXED && (
        <Input
          aria-label={`Testo per «${place}»`}
          placeholder="Testo uguale per tutti"
          value={value}
          maxLength={200}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </fieldset>
  )
}
