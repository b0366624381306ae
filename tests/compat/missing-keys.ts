import type { JsonObject } from '@parley/test-kit';

function child(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value.at(-1);
  const holder = (value ?? {}) as JsonObject;
  return holder[step === '*' ? (Object.keys(holder).at(-1) ?? '') : step];
}

/** `a.{b,c}` is `a.b` and `a.c`. */
function expand(path: string): string[] {
  const [, before = '', names = ''] = /^(.*)\{(.+)\}$/.exec(path) ?? [];
  return names === '' ? [path] : names.split(',').map((name) => before + name);
}

/**
 * @param paths the paths of keys with spaces between them; `*` is the last entry of a list or an object
 * @returns the keys that an answer or event does not have
 */
export function missingKeys(answer: JsonObject, paths: string): string[] {
  return paths
    .split(' ')
    .flatMap(expand)
    .filter((path) => path.split('.').reduce<unknown>(child, answer) === undefined);
}
