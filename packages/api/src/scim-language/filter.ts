/**
 * Filters of SCIM (RFC 7644, 3.4.2.2) as trees. They are read in one pass and in proportion to their length; length, depth and the number of
 * comparisons are bounded, so that neither reading nor searching costs much.
 */
import { limits } from '../index.ts';
import { scimRefusal } from '../scim/index.ts';

import { Tokens } from './tokens.ts';
import type { FilterValue } from './tokens.ts';

const comparisonOperators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;

type ComparisonOperator = (typeof comparisonOperators)[number];

export type Comparison = {
  readonly kind: 'comparison';
  /** In lower case, without the name of the core schema; sub-attributes follow a dot, also those in brackets. */
  readonly attribute: string;
  readonly operator: ComparisonOperator;
  readonly value: FilterValue;
};

export type Filter =
  | Comparison
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };

const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** @returns the name of an attribute in the form in which all are compared */
export function attributeName(text: string): string {
  return text.toLowerCase().replace(coreSchema, '');
}

/** A name, with its schema before it and sub-attributes behind it. */
const attributeShape = /^(?:urn:[\w.:-]+:)?[a-z$][\w$-]*(?:\.[a-z$][\w$-]*)?$/i;

export function isAttributeShaped(text: string): boolean {
  return attributeShape.test(text);
}

export function invalidFilter(detail: string): Error {
  return scimRefusal(400, detail, 'invalidFilter');
}

class FilterReader {
  readonly #tokens: Tokens;
  #comparisonsLeft: number = limits.scimComparisonsMax;
  #depthLeft: number = limits.scimFilterDepthMax;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** @param prefix the attribute before the brackets that the filter is in, with a dot */
  readAlternatives(prefix: string): Filter {
    return this.#readJoined('or', () => this.#readJoined('and', () => this.#readOne(prefix)));
  }

  #readJoined(kind: 'and' | 'or', read: () => Filter): Filter {
    const first = read();
    const parts = [first];
    while (this.#tokens.takeWord(kind)) parts.push(read());
    return parts.length === 1 ? first : { kind, parts };
  }

  #readOne(prefix: string): Filter {
    if (this.#tokens.takeWord('not')) {
      this.#tokens.expect('(');
      return { kind: 'not', part: this.#readNested(prefix, ')') };
    }
    if (this.#tokens.take('(')) return this.#readNested(prefix, ')');
    const text = this.#tokens.word('an attribute');
    if (!isAttributeShaped(text)) throw invalidFilter(`'${text}' is no attribute.`);
    const attribute = prefix + attributeName(text);
    if (this.#tokens.take('[')) {
      if (prefix !== '') throw invalidFilter('Brackets may not be within brackets.');
      return this.#readOfElements(attribute);
    }
    return this.#readComparison(attribute);
  }

  /** What follows an opening bracket: `emails[type eq "work"].value eq "x"` is `emails[type eq "work" and value eq "x"]`. */
  #readOfElements(attribute: string): Filter {
    const inner = this.#readNested(`${attribute}.`, ']');
    const sub = this.#tokens.takeSubAttribute();
    if (sub === undefined) return inner;
    return { kind: 'and', parts: [inner, this.#readComparison(attribute + attributeName(sub))] };
  }

  #readNested(prefix: string, end: ')' | ']'): Filter {
    this.#depthLeft -= 1;
    if (this.#depthLeft < 0) throw invalidFilter('The filter nests too deep.');
    const inner = this.readAlternatives(prefix);
    this.#tokens.expect(end);
    this.#depthLeft += 1;
    return inner;
  }

  #readComparison(attribute: string): Filter {
    this.#comparisonsLeft -= 1;
    if (this.#comparisonsLeft < 0) throw invalidFilter('The filter has too many comparisons.');
    const given = this.#tokens.word('an operator');
    const word = given.toLowerCase();
    if (word === 'pr') return { kind: 'present', attribute };
    const operator = comparisonOperators.find((each) => each === word);
    if (operator === undefined) throw invalidFilter(`'${given}' is no operator.`);
    return { kind: 'comparison', attribute, operator, value: this.#tokens.value() };
  }
}

/**
 * Reads a filter in brackets whose opening bracket was taken, to the end of the brackets.
 *
 * @throws ApiError `invalidFilter`
 */
export function readBracketed(tokens: Tokens): Filter {
  const filter = new FilterReader(tokens).readAlternatives('');
  tokens.expect(']');
  return filter;
}

/**
 * Reads a filter.
 *
 * @throws ApiError `invalidFilter` for one that is malformed or beyond the bounds
 */
export function parseFilter(text: string): Filter {
  const tokens = new Tokens(text);
  const filter = new FilterReader(tokens).readAlternatives('');
  tokens.expectEnd();
  return filter;
}
