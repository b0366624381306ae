/**
 * How much memory the values of a JSON text take, estimated before they are made: a few bytes of text may stand for many times as much.
 */

/** The most of one record beside its text, and the deepest nesting. */
export const weightMaxBytes = 64 * 1024 * 1024;
export const depthMax = 64;

/** Of an object or a list, and of each further value in it. */
export const containerBytes = 64;
export const valueBytes = 8;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openings: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** @returns an estimate in bytes without the text itself, and the deepest nesting */
export function weighJson(text: Buffer): { readonly weight: number; readonly depth: number } {
  let [weight, depth, deepest] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text[at] ?? 0;
    if (code === quote) at = endOfText(text, at + 1);
    else if (code === comma) weight += valueBytes;
    else if (openings.has(code)) {
      weight += containerBytes;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (closings.has(code)) depth -= 1;
  }
  return { weight, depth: deepest };
}

/** @returns where the text ends that begins here */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at;
  }
  return bytes.length;
}
