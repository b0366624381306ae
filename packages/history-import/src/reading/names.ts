/** Names as they can be here: within the limits, without what names may not contain, and each once. */
import { foldName } from '@parley/api';

const controls = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

export function cutTo(text: string, codePointsMax: number): string {
  if (text.length <= codePointsMax) return text;
  const points = Array.from(text);
  return points.length <= codePointsMax ? text : points.slice(0, codePointsMax).join('');
}

/** @returns the name in NFC, without control characters and surrounding space, within the limit */
export function cleanName(name: string, codePointsMax: number): string {
  const clean = name.normalize('NFC').replaceAll(controls, ' ').replaceAll(/\s+/g, ' ').trim();
  return cutTo(clean, codePointsMax).trim();
}

/** @returns a name that a person can have here (reference facts, people 7.6), or the fallback */
export function cleanFullName(name: string, fallback: string): string {
  const clean = cleanName(name.replaceAll(/[*`\\>"@]/g, ' '), 100);
  return Array.from(clean).length < 2 ? cleanName(fallback, 100) : clean;
}

/** Long enough for any number of names in ` (N)`. */
const suffixMaxLength = 12;

/** Gives names that are taken a number; names are the same without regard to case. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The number that is tried next, by how names begin: thousands of threads may begin alike. */
  readonly #next = new Map<string, number>();
  readonly #codePointsMax: number;

  constructor(codePointsMax: number) {
    this.#codePointsMax = codePointsMax;
  }

  /** @param name within the limit */
  take(name: string): string {
    return this.#isTaken(name) ? this.#takeNumbered(name) : name;
  }

  /** @returns whether the name was taken; it is from now on */
  #isTaken(name: string): boolean {
    const before = this.#taken.size;
    return this.#taken.add(foldName(name)).size === before;
  }

  #takeNumbered(name: string): string {
    const beginning = foldName(cutTo(name, this.#codePointsMax - suffixMaxLength));
    for (let n = this.#next.get(beginning) ?? 2; ; n += 1) {
      const suffix = ` (${n})`;
      const wanted = cutTo(name, this.#codePointsMax - suffix.length).trimEnd() + suffix;
      if (this.#isTaken(wanted)) continue;
      this.#next.set(beginning, n + 1);
      return wanted;
    }
  }
}
