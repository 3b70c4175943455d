/** Makes a picture small before it leaves the device: upright, without place and camera in it, cut to a square or whole. */

const SIDE_PX = 512
const QUALITY = 0.86

/** The file cannot be shown by this browser, whatever its name says. */
export class NoPicture extends Error {
  override readonly name = 'NoPicture'
}

/** Its middle square. @throws NoPicture */
export async function squarePicture(file: Blob): Promise<Blob> {
  const picture = await decoded(file)
  const side = Math.min(picture.width, picture.height)
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2]
  return drawn(picture, { left, top, width: side, height: side })
}

/** All of it, as a logo needs. @throws NoPicture */
export async function wholePicture(file: Blob): Promise<Blob> {
  const picture = await decoded(file)
  return drawn(picture, { left: 0, top: 0, width: picture.width, height: picture.height })
}

async function decoded(file: Blob): Promise<ImageBitmap> {
  return createImageBitmap(file, { imageOrientation: 'from-image' }).catch((error: unknown) => {
    throw new NoPicture('The browser cannot decode it', { cause: error })
  })
}

type Part = { left: number; top: number; width: number; height: number }

function drawn(picture: ImageBitmap, { left, top, width, height }: Part): Promise<Blob> {
  const scale = Math.min(1, SIDE_PX / Math.max(width, height))
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
  const context = canvas.getContext('2d')
  if (!context) throw new NoPicture('The browser has no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height)
  picture.close()
  // Safari writes no WebP and gives PNG instead; the bucket takes both.
  return canvas.convertToBlob({ type: 'image/webp', quality: QUALITY })
}
