import { FilledPlaces } from '@/components/filled-places'
import { MarkedText } from '@/components/marked-text'
import type { Preview, ToolCall } from '@/data/tool-calls'

/** What will be written or sent, word for word; how it stands now, where something changes. */
export function CardPreview({ call: { tool, args, preview } }: { call: ToolCall }) {
  const { subject, body, contact_id: contactId, template } = args
  if (tool !== 'draft_email' || !template || typeof contactId !== 'string') return <PreviewText preview={preview} />
  return (
    <FilledPlaces contactId={contactId} text={`${String(subject)} ${String(body)}`}>
      {(fill) => <PreviewText preview={filled(preview, fill)} />}
    </FilledPlaces>
  )
}

/** Nothing of the person's own template is marked, so no mark moves. */
const filled = (preview: Preview, fill: (text: string) => string): Preview => ({
  ...preview,
  ...(preview.lines && { lines: preview.lines.map(({ label, value }) => ({ label, value: fill(value) })) }),
  ...(preview.body && { body: fill(preview.body) }),
})

function PreviewText({ preview: { lines, before, body, highlights } }: { preview: Preview }) {
  return (
    <div className="grid grid-cols-1 gap-2">
      {lines && lines.length > 0 && (
        <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-3 gap-y-1">
          {lines.map(({ label, value }) => (
            <div key={label} className="contents">
              <dt className="text-muted-foreground">{label}</dt>
              <dd className="break-words">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {before && (
        <p className="break-words text-muted-foreground">
          Adesso: <span className="line-through">{before}</span>
        </p>
      )}
      {body && (
        <p className="max-h-80 overflow-y-auto rounded-sm border bg-background px-3 py-2 break-words whitespace-pre-wrap">
          <MarkedText text={body} marks={highlights?.flat() ?? []} />
        </p>
      )}
      {highlights && highlights.length > 0 && (
        <p className="font-medium">Quello che è evidenziato non sta nei tuoi dati: controllalo prima di usarlo.</p>
      )}
    </div>
  )
}
