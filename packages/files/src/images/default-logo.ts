import sharp from 'sharp';

import { balloon } from './balloon.ts';

/** The name of the server in strokes, so that a machine without fonts draws it too. */
const strokes = [
  'M112 78V22h20a17 17 0 0 1 0 34h-20',
  'M160 78l22-56 22 56M168 58h28',
  'M220 78V22h20a16 16 0 0 1 0 32h-20m20 0l20 24',
  'M278 22v56h32',
  'M358 22h-34v56h34M324 49h28',
  'M374 22l20 28 20-28M394 50v28',
].join('');

/** The balloon and the name. */
function drawing(ink: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 100" width="420" height="100">
  ${balloon}
  <path d="${strokes}" fill="none" stroke="${ink}" stroke-width="9" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`;
}

/** On a light and on a dark background. */
const inks = { day: '#24313f', night: '#e8edf2' } as const;

/** @returns a PNG with a transparent background, 420 by 100 pixels, the greatest permitted height of a logo */
export async function drawDefaultLogo(theme: keyof typeof inks): Promise<Buffer> {
  return sharp(Buffer.from(drawing(inks[theme])))
    .png()
    .toBuffer();
}
