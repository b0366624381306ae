/** The operations of a PATCH (RFC 7644, 3.5.2), and what the programs that keep accounts send in their place. */
import { limits } from '../index.ts';
import { scimRefusal } from '../scim/index.ts';

import { attributeName, isAttributeShaped, readBracketed } from './filter.ts';
import type { Filter } from './filter.ts';
import { membersOf } from './json-object.ts';
import { schemas } from './schemas.ts';
import { Tokens } from './tokens.ts';

export type PatchPath = {
  /** As in filters: in lower case, with a sub-attribute behind a dot. */
  readonly attribute: string;
  /** Which elements of a list it concerns; undefined for all. */
  readonly filter: Filter | undefined;
};

export type PatchOperation = {
  readonly op: 'add' | 'remove' | 'replace';
  /** Undefined if the value has the attributes as its members. */
  readonly path: PatchPath | undefined;
  readonly value: unknown;
};

function invalidPath(path: string): Error {
  return scimRefusal(400, `The path '${path}' cannot be read.`, 'invalidPath');
}

/**
 * Reads a path: an attribute, or `list[filter]` with or without a sub-attribute.
 *
 * @throws ApiError `invalidPath`; `invalidFilter` for its filter
 */
export function parsePath(text: string): PatchPath {
  const tokens = new Tokens(text);
  const name = tokens.isAtEnd ? '' : tokens.word('an attribute');
  if (!isAttributeShaped(name)) throw invalidPath(text);
  const attribute = attributeName(name);
  if (tokens.isAtEnd) return { attribute, filter: undefined };
  if (!tokens.take('[')) throw invalidPath(text);
  const filter = readBracketed(tokens);
  if (tokens.isAtEnd) return { attribute, filter };
  const sub = tokens.takeSubAttribute();
  if (sub === undefined || !tokens.isAtEnd) throw invalidPath(text);
  return { attribute: attribute + sub.toLowerCase(), filter };
}

function readOperation(given: unknown): PatchOperation {
  const members = membersOf(given);
  if (members === undefined)
    throw scimRefusal(400, 'An operation is not an object.', 'invalidSyntax');
  const name = members.get('op');
  const op = typeof name === 'string' ? name.toLowerCase() : '';
  if (op !== 'add' && op !== 'remove' && op !== 'replace')
    throw scimRefusal(400, 'An operation is neither add, remove nor replace.', 'invalidSyntax');
  const path = members.get('path') ?? undefined;
  if (path !== undefined && typeof path !== 'string')
    throw scimRefusal(400, 'A path is not a text.', 'invalidPath');
  if (path === undefined && op === 'remove')
    throw scimRefusal(400, 'An operation removes nothing.', 'noTarget');
  const value = members.get('value');
  if (path === undefined && membersOf(value) === undefined)
    throw scimRefusal(
      400,
      'An operation without a path has no object as its value.',
      'invalidValue',
    );
  return { op, path: path === undefined ? undefined : parsePath(path), value };
}

/**
 * Reads the body of a PATCH.
 *
 * @throws ApiError `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue` or `noTarget`
 */
export function parsePatch(body: unknown): PatchOperation[] {
  const members = membersOf(body);
  const named = members?.get('schemas');
  if (!Array.isArray(named) || !named.includes(schemas.patch))
    throw scimRefusal(400, `The body is no message of ${schemas.patch}.`, 'invalidSyntax');
  const operations = members?.get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimRefusal(400, 'There are no operations.', 'invalidSyntax');
  if (operations.length > limits.scimOperationsMax)
    throw scimRefusal(
      400,
      `A request may have at most ${limits.scimOperationsMax} operations.`,
      'tooMany',
    );
  return operations.map(readOperation);
}
