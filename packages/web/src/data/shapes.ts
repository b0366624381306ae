/** Checks of values whose form nobody vouches for: what a browser keeps, and what people put into widgets. */

export type Check<Value> = (value: unknown) => value is Value;

/** What a check accepts. */
export type Checked<Each> = Each extends Check<infer Value> ? Value : never;

export const isText: Check<string> = (value) => typeof value === 'string';
export const isNumber: Check<number> = (value) => typeof value === 'number';
export const isBoolean: Check<boolean> = (value) => typeof value === 'boolean';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** @returns a check that accepts these texts */
export function isOneOf<Text extends string>(...texts: readonly Text[]): Check<Text> {
  return (value): value is Text => texts.some((text) => text === value);
}

/** @returns a check that accepts undefined too */
export function isOptional<Value>(check: Check<Value>): Check<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || check(value);
}

/** @returns a check of objects by their members */
export function hasMembers<Checks extends Readonly<Record<string, Check<unknown>>>>(
  checks: Checks,
) {
  type Whole = { readonly [Name in keyof Checks]: Checked<Checks[Name]> };
  return (value: unknown): value is Whole =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

/** @returns undefined for a text that is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
