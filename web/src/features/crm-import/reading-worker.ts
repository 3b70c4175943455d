/** Reads a file of contacts beside the page, which 50 MB would hold for seconds. */
import { type Piece, piecesOf } from '@/features/crm-import/pieces'

const MOVED = 'Il file non si può leggere, forse è stato spostato: sceglilo di nuovo.'

async function read(file: File): Promise<Iterable<Piece>> {
  try {
    return piecesOf(file.name, new Uint8Array(await file.arrayBuffer()))
  } catch {
    return [{ kind: 'problem', message: MOVED }]
  }
}

async function handOver(file: File): Promise<void> {
  for (const piece of await read(file)) {
    // Only windows are told an origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    self.postMessage(piece)
  }
}

self.addEventListener('message', ({ data }: MessageEvent<File>) => void handOver(data))
