import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import { relativesQuery, type WholeDocument } from '@/data/document'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { documentName } from '@/strings/document-name'
import { documentKindLabels } from '@/strings/documents'

type Props = { document: WholeDocument; userId: string }

/** What lay inside of the document, what it lay in, and where the same file is a second time; nothing when none. */
export function RelativesCard({ document, userId }: Props) {
  const { data } = useQuery(relativesQuery(userId, document))
  const { children = [], twins = [] } = data ?? {}
  if (children.length === 0 && twins.length === 0 && !document.parent_id) return null
  return (
    <Card className="gap-3">
      <CardTitle>Allegati e copie</CardTitle>
      {document.parent_id && (
        <p className="text-sm">
          È un allegato:{' '}
          <Link to={paths.document(document.parent_id)} className="font-medium underline">
            apri il documento che lo contiene
          </Link>
        </p>
      )}
      <ul aria-label="Allegati" className="divide-y text-sm">
        {children.map((child) => {
          const { id, filename, kind } = child
          const name = documentName(child)
          return (
            <li key={id} className="flex min-h-11 items-center justify-between gap-3 py-2">
              <span className="grid min-w-0">
                <Link to={paths.document(id)} className="font-medium break-words hover:underline">
                  {name}
                </Link>
                {name !== filename && <span className="text-xs break-words text-muted-foreground">{filename}</span>}
              </span>
              <span className="shrink-0 text-muted-foreground">{documentKindLabels[kind]}</span>
            </li>
          )
        })}
      </ul>
      {twins.length > 0 && (
        <div className="grid gap-1 rounded-md bg-warning-tint px-3 py-2 text-sm">
          <p>Hai già questo stesso file:</p>
          <ul>
            {twins.map(({ id, filename, created_at: createdAt }) => (
              <li key={id}>
                <Link to={paths.document(id)} className="font-medium break-words underline">
                  {filename}
                </Link>
                , caricato il {shortDate(createdAt)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  )
}
