/** Whether a value in memory matches a filter; lists of resources are searched in Postgres instead. */
import type { Comparison, Filter } from './filter.ts';
import type { FilterValue } from './tokens.ts';

/** The values of a resource or of an element of a list by their names in lower case. Texts that ignore letter case are folded here too. */
export type MatchedValues = ReadonlyMap<string, FilterValue>;

function compareTexts(value: string, { operator, value: wanted }: Comparison): boolean {
  const left = value.toLowerCase();
  const right = String(wanted).toLowerCase();
  switch (operator) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
}

/** @returns whether the values match; an absent attribute equals null */
export function matches(filter: Filter, values: MatchedValues): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, values));
    case 'or':
      return filter.parts.some((part) => matches(part, values));
    case 'not':
      return !matches(filter.part, values);
    case 'present':
      return (values.get(filter.attribute) ?? null) !== null;
    case 'comparison': {
      const value = values.get(filter.attribute) ?? null;
      if (value !== null && filter.value !== null) return compareTexts(String(value), filter);
      // What is absent is neither greater nor smaller, and begins with nothing.
      if (filter.operator === 'ne') return value !== filter.value;
      return filter.operator === 'eq' && value === filter.value;
    }
  }
}
