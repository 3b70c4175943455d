/** Everything beside the pages, in three tabs: what was read, what it belongs to, what one wants to know. */
import { Tabs } from '@/components/ui/tabs'
import type { WholeDocument } from '@/data/document'
import type { WholeInvoice } from '@/data/invoices'
import { AskCard } from '@/features/document/ask-card'
import { ContactCard } from '@/features/document/contact-card'
import { FieldsCard } from '@/features/document/fields-card'
import { InvoiceCard } from '@/features/document/invoice-card'
import { KindCard } from '@/features/document/kind-card'
import { LinksCard } from '@/features/document/links-card'
import { NoteCard } from '@/features/document/note-card'
import type { Place } from '@/features/document/places'
import { RelativesCard } from '@/features/document/relatives-card'
import { SdiCard } from '@/features/document/sdi-card'
import { RetentionCard } from '@/features/document/retention-card'
import { TagsCard } from '@/features/document/tags-card'
import { WhatsappCard } from '@/features/document/whatsapp-card'

type Props = { document: WholeDocument; userId: string; invoices: WholeInvoice[]; onShow: (place: Place) => void }

export function Panel({ document, userId, invoices, onShow }: Props) {
  const own = { document, userId }
  return (
    <Tabs
      label="Parti del documento"
      tabs={[
        {
          title: 'Dati',
          panel: (
            <div className="grid grid-cols-1 gap-4">
              {invoices.some(({ direction }) => direction === 'attiva') && (
                <SdiCard documentId={document.id} userId={userId} />
              )}
              {invoices.map((invoice) => (
                <InvoiceCard key={invoice.id} invoice={invoice} userId={userId} isOneOfMany={invoices.length > 1} />
              ))}
              <KindCard {...own} />
              <FieldsCard {...own} invoices={invoices} onShow={onShow} />
              <RelativesCard {...own} />
              <RetentionCard {...own} />
              <NoteCard {...own} />
            </div>
          ),
        },
        {
          title: 'Collega',
          panel: (
            <div className="grid grid-cols-1 gap-4">
              <ContactCard {...own} />
              <WhatsappCard {...own} invoices={invoices} />
              <LinksCard {...own} />
              <TagsCard {...own} />
            </div>
          ),
        },
        { title: 'Chiedi', panel: <AskCard document={document} onShow={onShow} /> },
      ]}
    />
  )
}
