import { limits } from '../index.ts';
import { scimRefusal } from '../scim/index.ts';

/** What an attribute is compared with. */
export type FilterValue = string | number | boolean | null;

type Bracket = '(' | ')' | '[' | ']';

type Token =
  | { readonly kind: 'bracket'; readonly text: Bracket }
  /** A JSON string. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string };

// The alternatives begin with different characters, so no text is tried twice.
const token = /\s+|([()[\]])|("(?:[^"\\]|\\[^])*")|([^\s()[\]"]+)/y;

const number = /^-?\d{1,15}(?:\.\d{1,15})?$/;

const subAttribute = /^\.[a-z$][\w$-]*$/i;

function readToken([, bracket, quoted, word]: RegExpExecArray): Token | undefined {
  if (bracket !== undefined) return { kind: 'bracket', text: bracket as Bracket };
  if (quoted !== undefined) return { kind: 'text', text: quoted };
  return word === undefined ? undefined : { kind: 'word', text: word };
}

/** @throws ApiError `invalidFilter` */
function readAll(text: string): Token[] {
  if (text.length > limits.scimFilterMaxLength)
    throw scimRefusal(400, 'The filter is too long.', 'invalidFilter');
  const found: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) throw scimRefusal(400, 'A text of the filter has no end.', 'invalidFilter');
    const read = readToken(match);
    if (read !== undefined) found.push(read);
  }
  return found;
}

/** The tokens of a filter or path, read from the first to the last. */
export class Tokens {
  readonly #tokens: readonly Token[];
  #at = 0;

  /** @throws ApiError `invalidFilter` */
  constructor(text: string) {
    this.#tokens = readAll(text);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** Takes a bracket, if it comes next. */
  take(bracket: Bracket): boolean {
    const next = this.#tokens[this.#at];
    const isNext = next?.kind === 'bracket' && next.text === bracket;
    if (isNext) this.#at += 1;
    return isNext;
  }

  /** Takes a word, if it comes next, in any letter case. */
  takeWord(word: string): boolean {
    const next = this.#tokens[this.#at];
    const isNext = next?.kind === 'word' && next.text.toLowerCase() === word;
    if (isNext) this.#at += 1;
    return isNext;
  }

  /** Takes a sub-attribute with its dot, if one comes next. */
  takeSubAttribute(): string | undefined {
    const next = this.#tokens[this.#at];
    if (next?.kind !== 'word' || !subAttribute.test(next.text)) return undefined;
    this.#at += 1;
    return next.text;
  }

  /** @throws ApiError `invalidFilter` */
  expect(bracket: Bracket): void {
    if (!this.take(bracket)) throw this.#fault(`'${bracket}'`);
  }

  /** @throws ApiError `invalidFilter` */
  expectEnd(): void {
    if (!this.isAtEnd) throw this.#fault('nothing');
  }

  /** @throws ApiError `invalidFilter` */
  word(what: string): string {
    const next = this.#tokens[this.#at];
    if (next?.kind !== 'word') throw this.#fault(what);
    this.#at += 1;
    return next.text;
  }

  /** @throws ApiError `invalidFilter` */
  value(): FilterValue {
    const next = this.#tokens[this.#at];
    this.#at += 1;
    if (next?.kind === 'text') return this.#textOf(next.text);
    const text = next?.kind === 'word' ? next.text.toLowerCase() : '';
    if (text === 'true' || text === 'false') return text === 'true';
    if (text === 'null') return null;
    if (number.test(text)) return Number(text);
    this.#at -= 1;
    throw this.#fault('a value');
  }

  #textOf(quoted: string): string {
    let text: unknown;
    try {
      text = JSON.parse(quoted);
    } catch {
      throw scimRefusal(400, `${quoted} is no JSON string.`, 'invalidFilter');
    }
    if (typeof text !== 'string' || text.includes('\0'))
      throw scimRefusal(400, 'A text of the filter has a NUL.', 'invalidFilter');
    return text.toWellFormed();
  }

  #fault(expected: string): Error {
    const next = this.#tokens[this.#at];
    const found = next === undefined ? 'its end' : `'${next.text}'`;
    return scimRefusal(
      400,
      `The filter has ${found} where ${expected} was expected.`,
      'invalidFilter',
    );
  }
}
