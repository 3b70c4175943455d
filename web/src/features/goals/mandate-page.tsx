/** `?vista=obiettivi&mandato=<agent>`: the rehearsal on one's own past, the plan, then what the agent may do, to read and give. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { RadioCard } from '@/components/radio-card'
import { tellFailure } from '@/components/save-failure'
import { SharedOffer } from '@/components/shared-offer'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import {
  type Agent,
  type Autonomy,
  type Mandate,
  mandatesQuery,
  ownIbansQuery,
  useGiveMandate,
  useRevokeMandate,
} from '@/data/goals'
import { mailAccountQuery, sharedSenderQuery } from '@/data/mail'
import { MandateChannels } from '@/features/goals/mandate-channels'
import { MandateWriter, type Writer } from '@/features/goals/mandate-writer'
import { PlanCard } from '@/features/goals/plan-card'
import { RehearsalCard } from '@/features/goals/rehearsal-card'
import { DataError } from '@/lib/server-errors'
import { priceOf } from '@/lib/typed-amount'
import { ibanInFours } from '@/lib/iban'
import { paths } from '@/paths'
import { dateAndTime } from '@/strings/dates'
import { agents, autonomies, goalRefusals, mandateChannels, mandateWriter, tones } from '@/strings/goals'
import { typedEuro } from '@/strings/numbers'

const MOST_CENTS = 100_000_000
const DEFAULT_CENTS = 500_000
const DEFAULT_A_DAY = 10
const DEFAULT_CREDITS = 50
const MOST_CREDITS = 10_000

export function MandatePage({ userId, agent }: { userId: string; agent: Agent }) {
  const mandates = useQuery(mandatesQuery(userId))
  const ibans = useQuery(ownIbansQuery(userId))
  const mandate = mandates.data?.find((each) => each.agent === agent) ?? null
  const failed = [mandates, ibans].find(({ isError, data }) => isError && data === undefined)
  return (
    <>
      <Link to={paths.goals} className="justify-self-start text-sm font-medium underline">
        Torna agli obiettivi
      </Link>
      <RehearsalCard userId={userId} agent={agent} />
      {failed && <LoadError text="Non riusciamo a leggere il mandato." onRetry={() => void failed.refetch()} />}
      {!failed && (!mandates.data || !ibans.data) && <Skeleton aria-busy className="h-96" />}
      {mandates.data && ibans.data && (
        <MandateForm
          key={mandate?.id ?? 'new'}
          userId={userId}
          agent={agent}
          mandate={mandate}
          // Only letters about invoices name an account.
          known={agent === 'recupero_crediti' ? ibans.data.map(({ iban }) => iban) : []}
        />
      )}
    </>
  )
}

type FormProps = { userId: string; agent: Agent; mandate: Mandate | null; known: string[] }

function MandateForm({ userId, agent, mandate, known }: FormProps) {
  const { name, action } = agents[agent]
  const isMail = action === 'mail'
  const navigate = useNavigate()
  const account = useQuery(mailAccountQuery(userId))
  const shared = useQuery({ ...sharedSenderQuery(userId), enabled: isMail && account.data === null })
  const give = useGiveMandate(userId, agent, name)
  const [autonomy, setAutonomy] = useState<Autonomy>(mandate?.autonomy ?? 'proponi')
  const [amount, setAmount] = useState(typedEuro(mandate?.max_cents ?? DEFAULT_CENTS))
  const [aDay, setADay] = useState(String(mandate?.max_recipients_day ?? DEFAULT_A_DAY))
  const [tone, setTone] = useState(mandate?.last_tone ?? 2)
  const offered = [...new Set([...known, ...(mandate?.ibans ?? [])])]
  const [claimsInterest, setClaimsInterest] = useState(mandate?.claims_interest ?? false)
  const [channels, setChannels] = useState({
    usesWhatsapp: mandate?.uses_whatsapp ?? false,
    usesPec: mandate?.uses_pec ?? false,
  })
  const [writer, setWriter] = useState<Writer>({
    credits: mandate?.letter_credits ?? null,
    budget: String(mandate?.letter_budget ?? DEFAULT_CREDITS),
    style: mandate?.letter_style ?? '',
  })
  const [skippedSteps, setSkippedSteps] = useState<readonly string[]>(mandate?.skipped_steps ?? [])
  const [ibans, setIbans] = useState<readonly string[]>(mandate?.ibans ?? [])
  const cents = priceOf(amount)
  const recipients = /^\d{1,3}$/.test(aDay) ? Number(aDay) : null
  const budget = /^\d{1,5}$/.test(writer.budget) ? Number(writer.budget) : 0
  const isBudgetWrong = writer.credits !== null && (budget < 1 || budget > MOST_CREDITS)
  const isWrong = cents === null || cents > MOST_CENTS || recipients === null || recipients > 100

  // Not by the callbacks of `mutate`: with its new mandate this form is another.
  async function press() {
    if (isWrong || isBudgetWrong) return
    try {
      await give.mutateAsync({
        action,
        autonomy,
        maxCents: cents,
        maxRecipientsDay: recipients,
        lastTone: tone,
        ibans: [...ibans],
        claimsInterest,
        ...channels,
        letterCredits: writer.credits,
        letterBudget: writer.credits === null ? null : budget,
        letterStyle: writer.style.trim() || null,
        skippedSteps,
      })
    } catch (error) {
      const reason = error instanceof DataError && goalRefusals[error.code]
      if (reason) toast.error(reason)
      else tellFailure(error)
      return
    }
    toast.success(`${name} è attivo`, { description: 'Puoi fermarlo in ogni momento.' })
    void navigate(paths.goals)
  }

  return (
    <>
      <PlanCard
        userId={userId}
        agent={agent}
        terms={{
          autonomy,
          lastTone: tone,
          ...channels,
          letterCredits: writer.credits,
          letterBudget: writer.credits === null || isBudgetWrong ? null : budget,
          skippedSteps,
        }}
        limits={{ autonomy, cents, aDay: recipients }}
        onSkip={setSkippedSteps}
      />
      <Card>
        <CardTitle>Mandato a {name}</CardTitle>
        {isMail && account.data === null && (
          <p role="status" className="text-sm text-pretty">
            I messaggi partono dalla tua casella:{' '}
            <Link to={paths.settingsChannels} className="underline">
              collegala
            </Link>
            {shared.data?.is_offered ? ', oppure comincia senza password:' : ', o aspetteranno.'}
          </p>
        )}
        {isMail && account.data === null && shared.data?.is_offered && (
          <SharedOffer userId={userId} shared={shared.data} />
        )}
        <fieldset className="grid gap-2">
          <legend className="mb-2 text-sm font-medium">Quanta autonomia</legend>
          {(Object.entries(autonomies[action]) as [Autonomy, { title: string; text: string }][]).map(
            ([each, words]) => (
              <RadioCard
                key={each}
                name="autonomia"
                isLong
                checked={autonomy === each}
                onChange={() => setAutonomy(each)}
              >
                <span>
                  <span className="block font-medium">{words.title}</span>
                  {words.text}
                </span>
              </RadioCard>
            ),
          )}
        </fieldset>
        {isMail && autonomy !== 'proponi' && (
          <div className="grid gap-4 sm:grid-cols-3">
            <div className="grid content-start gap-1.5">
              <Label htmlFor="importo">Al massimo per messaggio (€)</Label>
              <Input
                id="importo"
                inputMode="decimal"
                value={amount}
                onChange={({ target }) => setAmount(target.value)}
              />
            </div>
            <div className="grid content-start gap-1.5">
              <Label htmlFor="al-giorno">Messaggi al giorno</Label>
              <Input id="al-giorno" inputMode="numeric" value={aDay} onChange={({ target }) => setADay(target.value)} />
            </div>
            {autonomy === 'supervisionata' && (
              <div className="grid content-start gap-1.5">
                <Label htmlFor="tono">Tono più fermo da solo</Label>
                <select
                  id="tono"
                  value={tone}
                  onChange={({ target }) => setTone(Number(target.value))}
                  className="h-11 rounded-md border border-input bg-background px-3 text-sm"
                >
                  {Object.entries(tones).map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </div>
            )}
          </div>
        )}
        {isMail && <MandateWriter userId={userId} value={writer} onChange={setWriter} />}
        {agent === 'recupero_crediti' && (
          <MandateChannels userId={userId} account={account.data} value={channels} onChange={setChannels} />
        )}
        {agent === 'recupero_crediti' && (
          <div className="grid gap-1 text-sm">
            <label className="flex min-h-11 cursor-pointer items-center gap-3 font-medium">
              <input
                type="checkbox"
                checked={claimsInterest}
                onChange={({ target }) => setClaimsInterest(target.checked)}
                aria-describedby="mora"
                className="size-5 shrink-0 accent-primary"
              />
              Chiedi anche interessi di mora e 40 € di risarcimento
            </label>
            <p id="mora" className="text-pretty text-muted-foreground">
              Solo nell’ultimo sollecito e solo alle aziende (D.Lgs. 231/2002). L’importo degli interessi c’è se il
              tasso di ogni semestre è noto.
            </p>
          </div>
        )}
        {offered.length > 0 && (
          <fieldset className="grid gap-1">
            <legend className="mb-1 text-sm font-medium">Sono davvero i tuoi conti?</legend>
            <p className="text-sm text-pretty text-muted-foreground">
              Una fattura con un IBAN che non confermi qui blocca sempre il messaggio: protegge dai conti sostituiti.
            </p>
            {offered.map((iban) => (
              <label key={iban} className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
                <input
                  type="checkbox"
                  checked={ibans.includes(iban)}
                  onChange={() =>
                    setIbans(ibans.includes(iban) ? ibans.filter((each) => each !== iban) : [...ibans, iban])
                  }
                  className="size-5 shrink-0 accent-primary"
                />
                <span className="tabular">{ibanInFours(iban)}</span>
              </label>
            ))}
          </fieldset>
        )}
        {isWrong && (
          <p role="alert" className="text-sm text-error">
            Scrivi un importo fino a un milione di euro e al massimo 100 messaggi al giorno.
          </p>
        )}
        {isBudgetWrong && (
          <p role="alert" className="text-sm text-error">
            Scrivi quanti crediti può usare, da 1 a 10.000.
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button disabled={isWrong || isBudgetWrong || give.isPending} onClick={() => void press()}>
            {mandate ? 'Aggiorna il mandato' : 'Dai il mandato e attiva'}
          </Button>
          {mandate && <RevokeButton userId={userId} mandate={mandate} />}
        </div>
        {mandate && (
          <p className="text-sm text-muted-foreground">
            In vigore dal {dateAndTime(mandate.given_at)}
            {mandateChannels(mandate) && `, ${mandateChannels(mandate)}`}
            {mandateWriter(mandate) && `, ${mandateWriter(mandate)}`}.
          </p>
        )}
      </Card>
    </>
  )
}

function RevokeButton({ userId, mandate }: { userId: string; mandate: Mandate }) {
  const revoke = useRevokeMandate(userId)

  async function press() {
    try {
      await revoke.mutateAsync(mandate.id)
    } catch (error) {
      tellFailure(error)
      return
    }
    toast.success('Mandato revocato: non parte più niente')
  }

  return (
    <Button variant="outline" disabled={revoke.isPending} onClick={() => void press()}>
      Revoca
    </Button>
  )
}
