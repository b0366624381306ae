/** Filters and orders of SCIM as SQL: their attributes are names of a list, their values parameters. */
import { foldName } from '@parley/api';
import { invalidFilter } from '@parley/api/scim-language';
import type { Comparison, Filter } from '@parley/api/scim-language';
import type { Statement } from '@parley/database';

/** What an attribute is compared with. */
export type SearchedAttribute =
  | {
      readonly sql: string;
      /** Texts that ignore letter case are stored folded. An id is stored as a number, and is a text in SCIM. */
      readonly kind: 'exact text' | 'folded text' | 'boolean' | 'id';
    }
  /** `sql` selects something for each element; `element` is the id in it. */
  | { readonly sql: string; readonly kind: 'ids'; readonly element: string };

export type SearchedAttributes = ReadonlyMap<string, SearchedAttribute>;

const textComparisons: Readonly<
  Record<Comparison['operator'], (column: string, value: string) => string>
> = {
  eq: (column, value) => `${column} = ${value}`,
  ne: (column, value) => `${column} IS DISTINCT FROM ${value}`,
  co: (column, value) => `position(${value} IN ${column}) > 0`,
  sw: (column, value) => `starts_with(${column}, ${value})`,
  ew: (column, value) => `right(${column}, length(${value})) = ${value}`,
  gt: (column, value) => `${column} COLLATE "C" > ${value}`,
  ge: (column, value) => `${column} COLLATE "C" >= ${value}`,
  lt: (column, value) => `${column} COLLATE "C" < ${value}`,
  le: (column, value) => `${column} COLLATE "C" <= ${value}`,
};

/** Entra writes the values of booleans as texts. */
function booleanOf(value: Comparison['value']): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** @throws ApiError `invalidFilter` for an attribute that is not searched */
function getAttribute(attributes: SearchedAttributes, name: string): SearchedAttribute {
  const attribute = attributes.get(name);
  if (attribute === undefined) throw invalidFilter(`There is no search by '${name}'.`);
  return attribute;
}

/** Only these texts are equal to an id. */
const idShape = /^[1-9]\d{0,9}$/;

/** @returns a condition that an index can find */
function isIdSql(column: string, value: string, values: unknown[]): string {
  if (!idShape.test(value)) return 'false';
  values.push(value);
  return `${column} = $${values.length}::bigint`;
}

function comparisonSql(
  searched: SearchedAttribute,
  comparison: Comparison,
  values: unknown[],
): string {
  const { sql, kind } = searched;
  const { attribute, operator, value } = comparison;
  const isEquality = operator === 'eq' || operator === 'ne';
  if (kind === 'ids') {
    if (operator !== 'eq' || typeof value !== 'string')
      throw invalidFilter(`'${attribute}' is only equal to a text.`);
    return `EXISTS (${sql} AND ${isIdSql(searched.element, value, values)})`;
  }
  if (value === null && isEquality) return `${sql} IS ${operator === 'eq' ? '' : 'NOT '}NULL`;
  if (kind === 'boolean') {
    const wanted = booleanOf(value);
    if (wanted === undefined || !isEquality)
      throw invalidFilter(`'${attribute}' is only equal to true or false, or not.`);
    return `${sql} = ${String(wanted === (operator === 'eq'))}`;
  }
  if (typeof value !== 'string') throw invalidFilter(`'${attribute}' is a text.`);
  if (kind === 'id' && operator === 'eq') return isIdSql(sql, value, values);
  const column = kind === 'id' ? `${sql}::text` : sql;
  values.push(kind === 'folded text' ? foldName(value) : value);
  return textComparisons[operator](column, `$${values.length}::text`);
}

/**
 * @param values of the statement, to which those of the filter are added
 * @returns the condition
 * @throws ApiError `invalidFilter`
 */
function filterSql(attributes: SearchedAttributes, filter: Filter, values: unknown[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.parts
        .map((part) => filterSql(attributes, part, values))
        .join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `(${filterSql(attributes, filter.part, values)}) IS NOT TRUE`;
    case 'present': {
      const { sql, kind } = getAttribute(attributes, filter.attribute);
      return kind === 'ids' ? `EXISTS (${sql})` : `${sql} IS NOT NULL`;
    }
    case 'comparison':
      return comparisonSql(getAttribute(attributes, filter.attribute), filter, values);
  }
}

/** The resources of a page. */
export type ScimSearch = {
  readonly filter: Filter | undefined;
  /** The name of an attribute in lower case; undefined for the order of ids. */
  readonly sortBy: string | undefined;
  readonly isDescending: boolean;
  /** From 0. */
  readonly offset: number;
  readonly countMax: number;
};

/** @returns the order, unique by the id of the row */
function orderSql(
  attributes: SearchedAttributes,
  { sortBy, isDescending }: Pick<ScimSearch, 'sortBy' | 'isDescending'>,
  id: string,
): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  if (sortBy === undefined || sortBy === 'id') return `${id} ${direction}`;
  const { sql, kind } = getAttribute(attributes, sortBy);
  if (kind === 'ids') throw invalidFilter(`There is no order by '${sortBy}'.`);
  const collation = kind === 'boolean' ? '' : ' COLLATE "C"';
  return `${sql}${collation} ${direction} NULLS LAST, ${id} ${direction}`;
}

/**
 * Makes the statements of a search.
 *
 * @param source where the resources are, and which of them are seen at all
 * @returns the statement that counts all matches as `total`, and the one that reads the page
 * @throws ApiError `invalidFilter` for an attribute that is not searched
 */
export function searchStatements(
  search: ScimSearch,
  source: {
    readonly columns: string;
    readonly from: string;
    readonly isSeen: string;
    readonly attributes: SearchedAttributes;
    readonly id: string;
  },
): { readonly count: Statement; readonly page: Statement } {
  const { columns, from, isSeen, attributes, id } = source;
  const { filter, offset, countMax } = search;
  const values: unknown[] = [];
  const condition = filter === undefined ? 'true' : filterSql(attributes, filter, values);
  const matching = `FROM ${from} WHERE ${isSeen} AND ${condition}`;
  const order = orderSql(attributes, search, id);
  const place = `OFFSET $${values.length + 1} LIMIT $${values.length + 2}`;
  return {
    count: { text: `SELECT count(*)::int AS total ${matching}`, values },
    page: {
      text: `SELECT ${columns} ${matching} ORDER BY ${order} ${place}`,
      values: [...values, offset, countMax],
    },
  };
}
