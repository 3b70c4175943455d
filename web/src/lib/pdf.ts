/**
 * Opens PDF files and draws their pages, by pdf.js: 420 KB that only a PDF on the screen loads.
 *
 * pdf.js stays in two files of its own, unbundled; files are parsed in a worker, which a strange file can stop without
 * stopping the page. WebAssembly is off, because our policy forbids it: the decoders in JavaScript lie beside it, as do
 * the standard fonts.
 */
import type * as Library from 'pdfjs-dist'
import jbig2 from 'pdfjs-dist/wasm/jbig2_nowasm_fallback.js?url'
// They bring no default of their own: the build answers their address.
// oxlint-disable-next-line import/default
import program from 'pdfjs-dist/legacy/build/pdf.min.mjs?url'
// oxlint-disable-next-line import/default
import parser from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'
import openjpeg from 'pdfjs-dist/wasm/openjpeg_nowasm_fallback.js?url'

import { startWorker } from '@/lib/own-worker'

export type Pdf = Library.PDFDocumentProxy

const FONTS = '../../../node_modules/pdfjs-dist/standard_fonts/'
const fonts = import.meta.glob<string>('../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
  query: '?url',
  import: 'default',
  eager: true,
})

/** pdf.js asks for a decoder by its own name in one folder: the build keeps both there (vite.config.ts). */
const [decoders] = [jbig2, openjpeg].map((file) => file.slice(0, file.lastIndexOf('/') + 1))

/** Fonts that files name without bringing them, by the addresses that the build gave them. */
class Files {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = fonts[FONTS + filename]
    if (!address) throw new Error(`pdf.js asks for ${filename}, which we do not keep`)
    const response = await fetch(address)
    if (!response.ok) throw new Error(`${filename} answered ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

/** A picture is never larger than this: what a phone can hold. */
const MAX_PIXELS = 16_000_000

let library: Promise<typeof Library> | undefined

function load(): Promise<typeof Library> {
  return import(/* @vite-ignore */ program) as Promise<typeof Library>
}

/** Only one file is looked at: the next one ends the reading of the one before. */
let reading: Worker | undefined

/** Opens the file at `url`, of which only what is looked at is fetched. @throws Error when it is no PDF, or locked. */
export async function openPdf(url: string): Promise<Pdf> {
  library ??= load()
  const { getDocument, GlobalWorkerOptions, VerbosityLevel } = await library.catch((error: unknown) => {
    library = undefined
    throw error
  })
  reading?.terminate()
  reading = startWorker(parser)
  GlobalWorkerOptions.workerPort = reading
  return getDocument({
    url,
    verbosity: VerbosityLevel.ERRORS,
    useWasm: false,
    wasmUrl: decoders,
    useWorkerFetch: false,
    standardFontDataUrl: 'fonts/',
    BinaryDataFactory: Files,
    // Nothing runs on its own, nothing is fetched ahead of what is looked at.
    enableXfa: false,
    disableAutoFetch: true,
    maxImageSize: 100_000_000,
  }).promise
}

/** Draws a page `width` CSS pixels wide; call the answer to stop. */
export function drawPage(
  page: Library.PDFPageProxy,
  canvas: HTMLCanvasElement,
  width: number,
): { done: Promise<void>; stop: () => void } {
  const { width: natural, height } = page.getViewport({ scale: 1 })
  const fits = Math.sqrt(MAX_PIXELS / (natural * height))
  const viewport = page.getViewport({ scale: Math.min((width / natural) * window.devicePixelRatio, fits) })
  canvas.width = Math.floor(viewport.width)
  canvas.height = Math.floor(viewport.height)
  const task = page.render({ canvas, viewport })
  return { done: task.promise, stop: () => task.cancel() }
}
