import { operator } from '@parley/store/access';
import { policyValues, realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import {
  changeRealm,
  createOrganization,
  deactivateOrganization,
  reactivateOrganization,
  setStringId,
} from '@parley/people';
import { findRealm, getRealm } from '@parley/store';
import type { Realm } from '@parley/store';

import type { Command, Report } from '../command.ts';
import { withOrganization, withPeople } from '../connections.ts';
import { CommandFault, UsageFault } from '../faults.ts';

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
function parseSettings(texts: readonly string[]): Partial<RealmSettings> {
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

const stringIdPattern = /^[a-z0-9-]{0,40}$/;

/** @throws UsageFault for a text that cannot be part of a host name */
function checkStringId(stringId: string): string {
  if (!stringIdPattern.test(stringId))
    throw new UsageFault('A string id has at most 40 small letters, digits and -');
  return stringId;
}

function report(change: string, realm: Realm): Report {
  const settings = Object.entries(realm.settings)
    .map(([name, value]) => `  ${name} = ${JSON.stringify(value)}\n`)
    .join('');
  return {
    text:
      change === '' ? `${realm.name} (${realm.stringId || 'no string id'})\n${settings}` : change,
    json: {
      name: realm.name,
      string_id: realm.stringId,
      description: realm.description,
      is_deactivated: realm.isDeactivated,
      settings: realm.settings,
    },
  };
}

const options = {
  description: { value: 'TEXT', help: 'its description' },
  set: { value: 'NAME=VALUE', help: 'a setting with its name in PATCH realm', multiple: true },
} as const;

const create: Command = {
  name: 'organization create',
  summary: 'Create the organization in a new installation',
  options: {
    name: { value: 'NAME', help: 'its name', required: true },
    'string-id': {
      value: 'ID',
      help: 'its short name, sender_realm_str in messages; by default empty',
    },
    ...options,
  },
  details:
    'An installation has one organization. It begins with the stream general, which everybody joins. Continue with parley user create EMAIL --role administrator.',
  run: async (call, { env }) => {
    const stringId = checkStringId(call.find('string-id') ?? '');
    const settings = parseSettings(call.list('set'));
    return withPeople(env, async (context) => {
      if ((await findRealm(context.pool)) !== undefined)
        throw new CommandFault(
          'There is an organization already: change it with parley organization update',
        );
      const name = call.get('name');
      await createOrganization(context, {
        name,
        stringId,
        description: call.find('description') ?? '',
        settings,
      });
      return report(
        `${name} is there. Its first administrator: parley user create EMAIL --full-name NAME --role administrator\n`,
        await getRealm(context.pool),
      );
    });
  },
};

const update: Command = {
  name: 'organization update',
  summary: 'Change the name, the description or settings of the organization',
  options: {
    name: { value: 'NAME', help: 'its name' },
    'string-id': { value: 'ID', help: 'its short name, sender_realm_str in messages' },
    ...options,
  },
  details: 'Everybody gets events for actual changes at once, as with PATCH realm.',
  run: async (call, { env }) => {
    const stringId = call.find('string-id');
    const checked = stringId === undefined ? undefined : checkStringId(stringId);
    const settings = parseSettings(call.list('set'));
    const [name, description] = [call.find('name'), call.find('description')];
    return withOrganization(env, async (context) => {
      await changeRealm(context, operator, {
        settings,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      });
      if (checked !== undefined) await setStringId(context, checked);
      return report('', await getRealm(context.pool));
    });
  },
};

const deactivate: Command = {
  name: 'organization deactivate',
  summary: 'Deactivate the organization: every request is refused from then on',
  run: async (_call, { env }) =>
    withOrganization(env, async (context) => {
      await deactivateOrganization(context, operator);
      const realm = await getRealm(context.pool);
      return report(
        `${realm.name} is deactivated; parley organization reactivate opens it again.\n`,
        realm,
      );
    }),
};

const reactivate: Command = {
  name: 'organization reactivate',
  summary: 'Reactivate the organization, which no endpoint can do',
  run: async (_call, { env }) =>
    withOrganization(env, async (context) => {
      await reactivateOrganization(context);
      const realm = await getRealm(context.pool);
      return report(`${realm.name} is active.\n`, realm);
    }),
};

const show: Command = {
  name: 'organization show',
  summary: 'Show the organization and its settings',
  run: async (_call, { env }) =>
    withOrganization(env, async ({ pool }) => report('', await getRealm(pool))),
};

export const organizationCommands: readonly Command[] = [
  create,
  update,
  show,
  deactivate,
  reactivate,
];
