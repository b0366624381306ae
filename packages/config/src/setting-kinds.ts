import { parseIdentityProviders } from './identity-providers.ts';
import type { IdentityProviderConfig } from './identity-providers.ts';
import { parseRedisAddress } from './redis-address.ts';
import { Secret } from './secret.ts';
import { parseSmtpAddress } from './smtp-address.ts';

/** One setting of the table in `settings.ts`. */
export type Setting<Value> = {
  readonly name: string;
  readonly meaning: string;
  /** The text used if the variable is unset; undefined makes the setting required, null leaves it unset. */
  readonly defaultText: string | null | undefined;
  /** A secret may also come from the file that `<NAME>_FILE` names, and is never printed. */
  readonly secret: boolean;
  /** The variable names a file, whose content is parsed. */
  readonly namesFile: boolean;
  /** Throws an Error whose message completes "NAME ...". */
  readonly parse: (text: string) => Value;
};

type Common = { readonly meaning: string; readonly default?: string | null };

export function setting<Value>(
  name: string,
  common: Common,
  parse: (text: string) => Value,
  secret = false,
): Setting<Value> {
  return {
    name,
    meaning: common.meaning,
    defaultText: common.default,
    secret,
    namesFile: false,
    parse,
  };
}

export function choice<const Value extends string>(
  name: string,
  values: readonly Value[],
  common: Common,
): Setting<Value> {
  return setting(name, common, (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  });
}

export function wholeNumber(
  name: string,
  range: readonly [number, number],
  common: Common,
): Setting<number> {
  return setting(name, common, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= range[0] && value <= range[1])) {
      throw new Error(`must be a whole number from ${range[0]} to ${range[1]}`);
    }
    return value;
  });
}

/** Seconds with an optional fraction, so that tests can be quick; converted to milliseconds. */
export function secondsAsMs(
  name: string,
  rangeSecs: readonly [number, number],
  common: Common,
): Setting<number> {
  return setting(name, common, (text) => {
    const value = /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= rangeSecs[0] && value <= rangeSecs[1])) {
      throw new Error(`must be a number of seconds from ${rangeSecs[0]} to ${rangeSecs[1]}`);
    }
    return Math.round(value * 1000);
  });
}

export function onOrOff(name: string, common: Common): Setting<boolean> {
  return setting(name, common, (text) => {
    if (text !== 'on' && text !== 'off') throw new Error('must be on or off');
    return text === 'on';
  });
}

export function plainText(
  name: string,
  pattern: RegExp,
  rule: string,
  common: Common,
): Setting<string> {
  return setting(name, common, (text) => {
    if (!pattern.test(text)) throw new Error(rule);
    return text;
  });
}

export function postgresAddress(name: string, common: Common): Setting<Secret> {
  return setting(
    name,
    common,
    (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
      // The client would look up the whole list as the name of one host.
      if (!isPostgres || url.hostname.includes(','))
        throw new Error(
          'must be an address of one host that begins with postgres:// or postgresql://',
        );
      return new Secret(text);
    },
    true,
  );
}

export function redisAddress(name: string, common: Common): Setting<Secret> {
  return setting(
    name,
    common,
    (text) => {
      parseRedisAddress(text);
      return new Secret(text);
    },
    true,
  );
}

export function smtpAddress(name: string, common: Common): Setting<Secret> {
  return setting(
    name,
    common,
    (text) => {
      parseSmtpAddress(text);
      return new Secret(text);
    },
    true,
  );
}

export function identityProviderList(
  name: string,
  common: Common,
): Setting<readonly IdentityProviderConfig[]> {
  return setting(name, common, parseIdentityProviders, true);
}

export function certificatesFile(name: string, common: Common): Setting<string> {
  const parse = (text: string): string => {
    if (!text.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error('must name a file of certificates in PEM form');
    return text;
  };
  return { ...setting(name, common, parse), namesFile: true };
}

const secretMinLength = 32;

export function longSecret(name: string, common: Common): Setting<Secret> {
  return setting(
    name,
    common,
    (text) => {
      if (text.length < secretMinLength)
        throw new Error(`must have at least ${secretMinLength} characters`);
      return new Secret(text);
    },
    true,
  );
}

export function anySecret(name: string, common: Common): Setting<Secret> {
  return setting(name, common, (text) => new Secret(text), true);
}
