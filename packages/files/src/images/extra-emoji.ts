import sharp from 'sharp';

import { balloon } from './balloon.ts';

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 0 100 100" width="64" height="64">
  ${balloon}
</svg>`;

/**
 * Draws the one built-in emoji that no font has (reference facts, markdown 9).
 *
 * @returns a PNG with a transparent background, 64 by 64 pixels
 */
export async function drawExtraEmoji(): Promise<Buffer> {
  return sharp(Buffer.from(drawing)).png().toBuffer();
}
