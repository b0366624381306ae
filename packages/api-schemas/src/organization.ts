import type { JsonSchema } from '@parley/http';
import {
  displaySettingDefaults,
  notificationSettingDefaults,
  realmSettingDefaults,
} from '@parley/store';

import {
  boolean,
  integer,
  integerOrNull,
  mapOf,
  objectOf,
  text,
  tuple,
} from './building-blocks.ts';
import type { Members } from './building-blocks.ts';

/** What belongs to the organization, and settings (contract, Custom emoji; reference facts, events 4.5, 4.6 and 14). */

export const realmEmojiSchema: JsonSchema = {
  ...mapOf(
    objectOf(
      {
        id: { type: 'string', description: 'Digits' },
        name: { type: 'string', description: 'Written between colons' },
        source_url: {
          type: 'string',
          description: 'Below the server; nobody is asked who he is there',
        },
        deactivated: boolean,
        author: {
          anyOf: [objectOf({ id: integer, email: text, full_name: text }), { type: 'null' }],
        },
      },
      {},
      { name: 'Emoji' },
    ),
    'By id',
  ),
};

export const linkifierSchema: JsonSchema = {
  ...tuple(text, text, integer),
  name: 'Linkifier',
  description: 'Pattern, URL format, id',
};

export const realmDomainSchema: JsonSchema = objectOf(
  { domain: text, allow_subdomains: boolean },
  {},
  { name: 'RealmDomain' },
);

export const authenticationMethodsSchema: JsonSchema = mapOf(
  boolean,
  'By the name of a way to sign in that the server has',
);

function settingSchema(value: unknown): JsonSchema {
  switch (typeof value) {
    case 'boolean':
      return boolean;
    case 'string':
      return text;
    default:
      return value === null ? integerOrNull : integer;
  }
}

/** @returns the schemas of settings, whose types are those of their defaults */
function settingsOf(defaults: Readonly<Record<string, unknown>>): Members {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, settingSchema(value)]),
  );
}

/** Settings of the organization by name, without the prefix that register gives them. */
export const realmSettings: Members = settingsOf(realmSettingDefaults);

/** Display settings of a person. */
export const displaySettings: Members = { ...settingsOf(displaySettingDefaults), timezone: text };

export const notificationSettings: Members = settingsOf(notificationSettingDefaults);

export const pictureMembers = {
  icon: { icon_url: text, icon_source: { type: 'string', enum: ['G', 'U'] } },
  logo: { logo_url: text, logo_source: { type: 'string', enum: ['D', 'U'] } },
  night_logo: { night_logo_url: text, night_logo_source: { type: 'string', enum: ['D', 'U'] } },
} as const satisfies Readonly<Record<string, Members>>;
