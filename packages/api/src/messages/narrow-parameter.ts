import { findExactInteger, findExactIntegers, parseJson } from '../declare/json-text.ts';
import { badRequest, requestVariableInvalid } from '../errors.ts';
import { distinctTerms } from '../narrow-terms.ts';

/** One term of a narrow; a message must match all terms. */
export type NarrowTerm = {
  /** Lower case with hyphens, aliases replaced. */
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated: boolean;
};

// Names of later releases that clients use (reference facts, messages 8.2).
const aliases: ReadonlyMap<string, string> = new Map([
  ['subject', 'topic'],
  ['channel', 'stream'],
  ['dm', 'pm-with'],
]);

const stringOrInteger = new Set(['sender', 'group-pm-with', 'stream']);
const integerAllowed = new Set(['id', 'near']);

function operatorOf(name: string): string {
  const hyphened = name.replaceAll('_', '-');
  return aliases.get(hyphened) ?? hyphened;
}

function checkOperand(
  operator: string,
  element: { readonly operand?: unknown },
): NarrowTerm['operand'] {
  const { operand } = element;
  if (typeof operand === 'string') return operand;
  if (operator === 'pm-with') {
    if (!Array.isArray(operand))
      throw badRequest('elem["operand"] is not a string or an integer list');
    const items: readonly unknown[] = operand;
    const ids = findExactIntegers(items);
    if (ids !== undefined) return ids;
    const wrong = items.findIndex((_, index) => findExactInteger(items, index) === undefined);
    throw badRequest(`elem["operand"][${wrong}] is not an integer`);
  }
  const integer = findExactInteger(element, 'operand');
  if (integer !== undefined && (stringOrInteger.has(operator) || integerAllowed.has(operator)))
    return integer;
  throw badRequest(
    `elem["operand"] is not a string${stringOrInteger.has(operator) ? ' or integer' : ''}`,
  );
}

function parsePair(pair: readonly unknown[]): NarrowTerm | undefined {
  const [operator, operand] = pair;
  if (pair.length !== 2 || typeof operator !== 'string' || typeof operand !== 'string')
    return undefined;
  return { operator: operatorOf(operator), operand, negated: false };
}

function parseElement(element: object): NarrowTerm {
  const { operator, operand, negated } = element as {
    operator?: unknown;
    operand?: unknown;
    negated?: unknown;
  };
  if (operator === undefined) throw badRequest('operator key is missing from elem');
  if (typeof operator !== 'string') throw badRequest('elem["operator"] is not a string');
  if (operand === undefined) throw badRequest('operand key is missing from elem');
  const name = operatorOf(operator);
  return { operator: name, operand: checkOperand(name, element), negated: Boolean(negated) };
}

function parseTerm(element: unknown): NarrowTerm | undefined {
  if (Array.isArray(element)) return parsePair(element);
  return typeof element === 'object' && element !== null ? parseElement(element) : undefined;
}

/**
 * Reads a narrow in both encodings, which may be mixed: objects, and pairs of two strings (reference facts, messages 8.1).
 *
 * @returns the different terms
 * @throws ApiError `REQUEST_VARIABLE_INVALID` if it is not a list of terms; `BAD_REQUEST` for a fault in an object; `BAD_NARROW` for too
 *   many terms
 */
export function parseNarrow(raw: string, name: string): NarrowTerm[] {
  const parsed = parseJson(raw);
  const value = 'holder' in parsed ? parsed.holder[''] : undefined;
  if (!Array.isArray(value)) throw requestVariableInvalid(name, raw);
  const elements: readonly unknown[] = value;
  const terms = elements.map((element) => {
    const term = parseTerm(element);
    if (term === undefined) throw requestVariableInvalid(name, raw);
    return term;
  });
  return distinctTerms(terms);
}
