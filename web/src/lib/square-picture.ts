/** Cuts a picture to its middle square before it leaves the device: small, upright, and without place and camera in it. */

const SIDE_PX = 512
const QUALITY = 0.86

/** The file cannot be shown by this browser, whatever its name says. */
export class NoPicture extends Error {
  override readonly name = 'NoPicture'
}

/** @throws NoPicture */
export async function squarePicture(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch((error: unknown) => {
    throw new NoPicture('The browser cannot decode it', { cause: error })
  })
  const side = Math.min(picture.width, picture.height)
  const canvas = new OffscreenCanvas(Math.min(side, SIDE_PX), Math.min(side, SIDE_PX))
  const context = canvas.getContext('2d')
  if (!context) throw new NoPicture('The browser has no canvas')
  context.imageSmoothingQuality = 'high'
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2]
  context.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height)
  picture.close()
  // Safari writes no WebP and gives PNG instead; the bucket takes both.
  return canvas.convertToBlob({ type: 'image/webp', quality: QUALITY })
}
