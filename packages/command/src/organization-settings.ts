import { policyValues, realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';

import { UsageFault } from './faults.ts';

/** Null is possible if it is the default. */
function fits(value: unknown, byDefault: unknown): boolean {
  return byDefault === null
    ? value === null || Number.isInteger(value)
    : typeof value === typeof byDefault;
}

function parseValue(text: string, byDefault: unknown): unknown {
  if (typeof byDefault === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Reads settings such as `mandatory_topics=true`.
 *
 * @throws UsageFault for an unknown setting, or a value of another type
 */
export function parseSettings(texts: readonly string[]): Partial<RealmSettings> {
  const defaults: Readonly<Record<string, unknown>> = realmSettingDefaults;
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      const name = text.slice(0, Math.max(at, 0));
      if (!Object.hasOwn(defaults, name))
        throw new UsageFault(
          `--set wants NAME=VALUE, and "${text}" names none of ${Object.keys(defaults).join(', ')}`,
        );
      const value = parseValue(text.slice(at + 1), defaults[name]);
      if (!fits(value, defaults[name])) {
        const kind = defaults[name] === null ? 'number or null' : typeof defaults[name];
        throw new UsageFault(`${name} is a ${kind}, and "${text.slice(at + 1)}" is none`);
      }
      const choices: Readonly<Record<string, readonly number[]>> = policyValues;
      if (choices[name]?.includes(value as number) === false)
        throw new UsageFault(`${name} is one of ${choices[name].join(', ')}`);
      return [name, value];
    }),
  );
}
