import { RE2JS } from 're2js';

import { leftBoundaryCharacters, wordClass } from './inline-run.ts';

export type LinkifierPattern = {
  /** Boundary, the pattern as group 1, boundary. */
  readonly expression: RE2JS;
  readonly groupNames: readonly string[];
  /** Characters that each match contains: texts without them are skipped before the expression runs. */
  readonly required: readonly string[];
  /** Instructions of the compiled expression: the highest cost of one character of a text. */
  readonly size: number;
  /**
   * Whether a match may extend beyond the word in which it ends, by a repetition of white space or of anything. Each match may then cost
   * the rest of the text, and not only its own length.
   */
  readonly isWide: boolean;
};

/** Patterns that unroll to more, by nested counted repetitions, link nothing. */
const sizeMax = 1000;

/** Translates patterns of realms, which use Python's syntax with word characters and digits of all scripts, to RE2's syntax. */
function translate(pattern: string): string {
  let inClass = false;
  let output = '';
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    if (character !== '\\') {
      if (character === '[' && !inClass) inClass = true;
      else if (character === ']') inClass = false;
      output += character;
      continue;
    }
    index += 1;
    const next = pattern[index] ?? '';
    if (next === 'w') output += inClass ? wordClass : `[${wordClass}]`;
    else if (next === 'W' && !inClass) output += `[^${wordClass}]`;
    else if (next === 'd') output += String.raw`\p{Nd}`;
    else if (next === 'D') output += String.raw`\P{Nd}`;
    else if (next === 's') output += inClass ? String.raw`\s\p{Z}` : String.raw`[\s\p{Z}]`;
    else if (next === 'S' && !inClass) output += String.raw`[^\s\p{Z}]`;
    else if (next === 'Z') output += String.raw`\z`;
    // Beyond ASCII every character means itself, and RE2 accepts no escape there.
    else output += next > '\u007F' ? next : `\\${next}`;
  }
  return output;
}

/** The index of the bracket that ends a character class. */
function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  while (index < pattern.length && pattern[index] !== ']') index += pattern[index] === '\\' ? 2 : 1;
  return index;
}

/** Empty if the pattern has alternatives outside its groups. */
function requiredCharacters(pattern: string): string[] {
  const required: string[] = [];
  let depth = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    if (character === '\\') index += 1;
    else if (character === '[') index = classEnd(pattern, index);
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0 && character === '|') return [];
    else if (depth === 0 && /[A-Za-z0-9\-#_=/:!]/.test(character)) {
      if (!/[?*{]/.test(pattern[index + 1] ?? '')) required.push(character);
    }
  }
  return required;
}

const unboundedRepetition = /[*+]|\{[0-9]+,\}/;
/** Anything, white space, and negated classes; `[^\s…]` is harmless. */
const wideAtom = /\\[sWDP]|\.|\[\^(?![^\]]*(?:\\s| ))[^\]]*\]|\[[^^\]][^\]]* [^\]]*\]/;
const repeatedGroup = /\)[*+{]/;

function isWidePattern(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\[^sWDP]/g, 'x').replaceAll(String.raw`[^\s]`, 'x');
  if (!unboundedRepetition.test(bare)) return false;
  return wideAtom.test(bare) || (repeatedGroup.test(bare) && /\s/.test(bare));
}

/**
 * Compiles the pattern of a linkifier for an engine with linear cost in the text for every pattern.
 *
 * @param pattern as in the realm
 * @returns undefined for a pattern that does not compile or is too large: it links nothing
 */
export function compileLinkifierPattern(pattern: string): LinkifierPattern | undefined {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(
      `(?:^|[\\s\\p{Z}\\x{0B}\\x{FEFF}${leftBoundaryCharacters}])(${translate(pattern)})(?:$|[^${wordClass}])`,
    );
  } catch {
    return undefined;
  }
  const size = expression.programSize();
  if (size > sizeMax) return undefined;
  return {
    expression,
    groupNames: Object.keys(expression.namedGroups()),
    required: requiredCharacters(pattern),
    size,
    isWide: isWidePattern(pattern),
  };
}
