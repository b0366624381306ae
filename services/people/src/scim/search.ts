/** Searches of SCIM, by query or by message (RFC 7644, 3.4.2 and 3.4.3). */
import { limits } from '@parley/api';
import { scimRefusal } from '@parley/api/scim';
import { attributeName, membersOf, parseFilter, schemas } from '@parley/api/scim-language';
import type { ScimSearch } from '@parley/store/scim';

import { projectionOf } from './answers.ts';
import type { Projection } from './answers.ts';

export type Search = {
  readonly search: ScimSearch;
  readonly projection: Projection;
  /** From 1, for the answer. */
  readonly startIndex: number;
};

/** Resources in an answer if the client does not say how many. */
const defaultCount = 100;

type Given = {
  readonly filter?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
};

/** Larger numbers of resources do not exist. */
const indexMax = 2_147_483_647;

function numberOf(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  if (!/^-?\d{1,15}$/.test(text.trim()))
    throw scimRefusal(400, `${name} is not an integer.`, 'invalidValue');
  return Math.min(Number(text), indexMax);
}

function searchOf(given: Given): Search {
  const startIndex = Math.max(1, numberOf('startIndex', given.startIndex, 1));
  const count = Math.max(0, numberOf('count', given.count, defaultCount));
  const { filter, sortBy, sortOrder = 'ascending' } = given;
  if (sortOrder !== 'ascending' && sortOrder !== 'descending')
    throw scimRefusal(400, 'sortOrder is neither ascending nor descending.', 'invalidValue');
  return {
    search: {
      filter: filter === undefined || filter === '' ? undefined : parseFilter(filter),
      sortBy: sortBy === undefined || sortBy === '' ? undefined : attributeName(sortBy),
      isDescending: sortOrder === 'descending',
      offset: startIndex - 1,
      countMax: Math.min(count, limits.scimListMax),
    },
    projection: projectionOf(given),
    startIndex,
  };
}

export type ProjectionQuery = {
  readonly attributes: string | undefined;
  readonly excludedAttributes: string | undefined;
};

/** A list of names beyond this asks for everything that there is. */
const namesMax = 100;

function namesOf(text: string | undefined): string[] {
  return (text ?? '').split(',', namesMax).filter((name) => name.trim() !== '');
}

export function projectionOfQuery(query: ProjectionQuery): Projection {
  return projectionOf({
    attributes: namesOf(query.attributes),
    excluded: namesOf(query.excludedAttributes),
  });
}

/** @throws ApiError `invalidFilter`, `invalidValue` */
export function searchOfQuery(
  query: ProjectionQuery & Omit<Given, 'attributes' | 'excluded'>,
): Search {
  return searchOf({
    ...query,
    attributes: namesOf(query.attributes),
    excluded: namesOf(query.excludedAttributes),
  });
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw scimRefusal(400, `${name} is not a text.`, 'invalidValue');
  return value;
}

function listOf(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > namesMax)
    throw scimRefusal(400, `${name} is not a short list.`, 'invalidValue');
  return value.map((item) => textOf(name, item) ?? '');
}

/** @throws ApiError `invalidSyntax`, `invalidFilter`, `invalidValue` */
export function searchOfMessage(body: unknown): Search {
  const members = membersOf(body);
  const named = members?.get('schemas');
  if (members === undefined || !Array.isArray(named) || !named.includes(schemas.search))
    throw scimRefusal(400, `The body is no message of ${schemas.search}.`, 'invalidSyntax');
  const text = (name: string): string | undefined => textOf(name, members.get(name.toLowerCase()));
  return searchOf({
    filter: text('filter'),
    sortBy: text('sortBy'),
    sortOrder: text('sortOrder'),
    startIndex: text('startIndex'),
    count: text('count'),
    attributes: listOf('attributes', members.get('attributes')),
    excluded: listOf('excludedAttributes', members.get('excludedattributes')),
  });
}
