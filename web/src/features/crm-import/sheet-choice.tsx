import { useState } from 'react'

import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Spinner } from '@/components/ui/spinner'
import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { readSheetFile } from '@/features/crm-import/read-file'
import { FileProblem } from '@/lib/contact-csv'

type Workbook = Extract<ContactsFile, { kind: 'xlsx' }>
type Props = { file: Workbook; onFile: (file: ContactsFile) => void }

/** Which sheet of the Excel file holds the contacts; the server reads the chosen one. */
export function SheetChoice({ file, onFile }: Props) {
  const [wanted, setWanted] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  async function choose(index: number) {
    setWanted(index)
    setProblem(null)
    try {
      onFile(await readSheetFile(file.source, index, new AbortController().signal))
    } catch (error) {
      setProblem(
        error instanceof FileProblem ? error.message : 'Il foglio non si può leggere: scegli di nuovo il file.',
      )
    } finally {
      setWanted(null)
    }
  }

  return (
    <div className="grid gap-1.5">
      <Label htmlFor="foglio">Foglio</Label>
      <div className="flex items-center gap-2">
        <Select
          id="foglio"
          className="max-w-sm"
          disabled={wanted !== null}
          value={wanted ?? file.index}
          onChange={(event) => void choose(Number(event.target.value))}
        >
          {file.names.map((name, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </Select>
        {wanted !== null && <Spinner aria-label="Leggo il foglio" />}
      </div>
      {problem && (
        <p role="alert" className="rounded-md bg-error-tint px-4 py-3 text-sm">
          {problem}
        </p>
      )}
    </div>
  )
}
