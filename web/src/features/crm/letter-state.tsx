/** Shows when a letter of the outbox left or leaves, why it did not, and what servers said of it. */
import type { SentLetter } from '@/data/letters'
import { CertifiedTicks } from '@/components/certified-ticks'
import { fullDate } from '@/strings/dates'
import { mailErrorText, mailReports } from '@/strings/mail'

export function LetterState({ letter }: { letter: SentLetter }) {
  const told = letter.mail_reports
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .map(({ kind, at }) => ({ kind, at, text: mailReports[kind] }))
    .findLast(({ text }) => text !== undefined)
  const hasFailed = letter.state === 'failed' || letter.state === 'uncertain'
  return (
    <>
      <p className="text-muted-foreground">
        {letter.state === 'queued' && `Parte ${fullDate(letter.not_before)}`}
        {letter.state === 'cancelled' && 'Annullata'}
        {letter.state !== 'queued' && letter.state !== 'cancelled' && fullDate(letter.sent_at ?? letter.created_at)}
      </p>
      {hasFailed && letter.error && (
        <p className="break-words text-error">
          {mailErrorText(letter.error, letter.reply)}
          {letter.reply && <span className="block text-muted-foreground">Il server ha risposto: {letter.reply}</span>}
        </p>
      )}
      {letter.is_certified && <CertifiedTicks letter={letter} />}
      {told && (letter.state === 'sent' || told.kind === 'reclamo') && (
        <p className="break-words text-muted-foreground">
          {told.text} ({fullDate(told.at)})
        </p>
      )}
    </>
  )
}
