/** Files as the service takes them. */

/** Pixels of the longer side. */
const THUMBNAIL_SIDE = 320;
const THUMBNAIL_QUALITY = 0.7;

/** The bytes of a file in base64. Rejects if it cannot be read. */
export async function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('The file cannot be read. Choose it again.'));
    reader.readAsDataURL(file);
  });
}

/** A small JPEG of a photo in base64, upright and without where and by what it was taken; null for what this browser cannot draw. */
export async function makeThumbnail(file: Blob): Promise<string | null> {
  if (!file.type.startsWith('image/')) return null;
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext('2d')!;
    // JPEG has no transparency.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', THUMBNAIL_QUALITY));
    return small && (await toBase64(small));
  } catch {
    return null;
  }
}
