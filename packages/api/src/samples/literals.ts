/** Values as literals of a language, on several lines if one would be too long. */
import { ExampleVariable } from '../declare/endpoint-example.ts';
import type { ExampleValue } from '../declare/endpoint-example.ts';

export type LiteralStyle = {
  readonly text: (text: string) => string;
  readonly word: (value: boolean | null) => string;
  readonly key: (key: string) => string;
  readonly variable: (variable: ExampleVariable) => string;
  readonly indent: string;
  /** The space inside the braces of an object on one line. */
  readonly padding: string;
};

const lineMaxLength = 90;

/**
 * @param depth the indent of the line on which the literal begins
 * @param before the number of characters before it on that line
 */
export function literal(
  value: ExampleValue,
  style: LiteralStyle,
  depth: number = 0,
  before: number = 0,
): string {
  if (value instanceof ExampleVariable) return style.variable(value);
  if (typeof value === 'string') return style.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || value === null) return style.word(value);
  const isList = Array.isArray(value);
  const entries = Object.entries(value as Readonly<Record<string, ExampleValue>>).map(
    ([key, member]) => ({ prefix: isList ? '' : `${style.key(key)}: `, member }),
  );
  const parts = entries.map(({ prefix, member }) => prefix + literal(member, style));
  const padding = isList || parts.length === 0 ? '' : style.padding;
  const line = `${isList ? '[' : '{'}${padding}${parts.join(', ')}${padding}${isList ? ']' : '}'}`;
  if (!line.includes('\n') && before + line.length <= lineMaxLength) return line;
  const inner = style.indent.repeat(depth + 1);
  const lines = entries.map(
    ({ prefix, member }) =>
      `${inner}${prefix}${literal(member, style, depth + 1, inner.length + prefix.length)},`,
  );
  return [isList ? '[' : '{', ...lines, style.indent.repeat(depth) + (isList ? ']' : '}')].join(
    '\n',
  );
}
