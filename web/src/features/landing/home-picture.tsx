import { type Theme, useTheme } from '@/lib/theme'

type Shape = { name: string; media: string; widths: [number, number]; sizes: string }

const shapes: Shape[] = [
  { name: 'phone', media: '(max-width: 639px)', widths: [390, 780], sizes: 'calc(100vw - 2rem)' },
  {
    name: 'desktop',
    media: '(min-width: 640px)',
    widths: [1152, 2304],
    sizes: '(min-width: 1024px) min(52vw, 640px), calc(100vw - 3rem)',
  },
]
const formats = ['avif', 'webp']

/** In which themes a picture is for whom: those who follow the system are told apart by the browser itself. */
const schemes: Record<Theme, [theme: string, media: string][]> = {
  system: [
    ['dark', ' and (prefers-color-scheme: dark)'],
    ['light', ''],
  ],
  dark: [['dark', '']],
  light: [['light', '']],
}

/** /home on the demo account, in the theme and shape of the visitor; scripts/landing_pictures.py makes the files. */
export function HomePicture() {
  const chosen = useTheme()
  return (
    <figure>
      <picture>
        {schemes[chosen].flatMap(([theme, and]) =>
          shapes.flatMap(({ name, media, widths, sizes }) =>
            formats.map((format) => (
              <source
                key={`${theme}-${name}-${format}`}
                media={media + and}
                type={`image/${format}`}
                srcSet={widths.map((width) => `/landing/home-${name}-${theme}-${width}.${format} ${width}w`).join(', ')}
                sizes={sizes}
              />
            )),
          ),
        )}
        <img
          src="/landing/home-desktop-light-1152.webp"
          alt="La pagina Home di Socio con i dati di prova: il saluto, il briefing, le cifre del giorno e che cosa fare adesso."
          width={1152}
          height={700}
          fetchPriority="high"
          decoding="async"
          className="aspect-[390/560] w-full rounded-xl border bg-card object-cover object-top shadow-float sm:aspect-[1152/700]"
        />
      </picture>
      <figcaption className="sr-only">Una schermata vera, con dati di prova.</figcaption>
    </figure>
  )
}
