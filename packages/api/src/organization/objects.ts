import { Type } from 'typebox';

import {
  anyOf,
  boolean,
  described,
  float,
  integer,
  listOf,
  mapOf,
  object,
  oneOfTexts,
  text,
  tuple,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';

/** Objects of the organization (contract, Custom emoji; reference facts, events 4.5 and 14). */

export const realmEmojiSchema = mapOf(
  object(
    {
      id: described(text, 'Digits'),
      name: described(text, 'Written between colons'),
      source_url: described(text, 'Below the server; nobody is asked who he is there'),
      deactivated: boolean,
      author: anyOf([object({ id: integer, email: text, full_name: text }), Type.Null()]),
    },
    { name: 'Emoji' },
  ),
  'By id',
);

export type RealmEmoji = Value<typeof realmEmojiSchema>;

export const linkifierSchema = {
  ...tuple(text, text, integer),
  name: 'Linkifier',
  description: 'Pattern, URL format, id',
};

export const realmDomainSchema = object(
  { domain: text, allow_subdomains: boolean },
  { name: 'RealmDomain' },
);

export const authenticationMethodsSchema = mapOf(
  boolean,
  'By the name of a way to sign in that the server has',
);

const logoSource = oneOfTexts(['D', 'U']);

export const pictureMembers = {
  icon: { icon_url: text, icon_source: oneOfTexts(['G', 'U']) },
  logo: { logo_url: text, logo_source: logoSource },
  night_logo: { night_logo_url: text, night_logo_source: logoSource },
} as const;

/** The next tip of the tour, if there is one. */
export const hotspotsSchema = {
  ...listOf(object({ name: text, title: text, description: text, delay: float })),
  maxItems: 1,
};
