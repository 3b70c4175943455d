/** Lets the browser ask for the fonts together with the style sheet instead of after it. */
import type { HtmlTagDescriptor, Plugin } from 'vite'

export function preloadFonts(pattern: RegExp): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }): HtmlTagDescriptor[] {
        const fonts = Object.keys(bundle ?? {}).filter((file) => pattern.test(file))
        if (fonts.length === 0) throw new Error(`no built file matches ${pattern}`)
        return fonts.map((file) => ({
          tag: 'link',
          injectTo: 'head-prepend',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
        }))
      },
    },
  }
}
