import sharp from 'sharp';

/** A head and shoulders, for accounts without a picture. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <rect width="100" height="100" fill="#d9dee4"/>
  <circle cx="50" cy="39" r="19" fill="#8b98a5"/>
  <path d="M12 100c0-24 17-37 38-37s38 13 38 37z" fill="#8b98a5"/>
</svg>`;

/**
 * @param side in pixels
 * @returns a PNG
 */
export async function drawDefaultAvatar(side: number): Promise<Buffer> {
  return sharp(Buffer.from(drawing)).resize(side, side).png().toBuffer();
}
