/** Which services get the settings of docker-compose.yml that have passwords. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const { services } = parse(readFileSync(join(repositoryFolder, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string | null>> }>
  >;
};

test.each([
  ['PARLEY_SMTP_URL', ['messages', 'people']],
  ['PARLEY_MAIL_FROM', ['messages', 'people']],
  ['PARLEY_OIDC_PROVIDERS', ['events', 'messages', 'people']],
] as const)('%s goes to those that use it', (setting, users) => {
  const holders = Object.keys(services).filter(
    (name) => services[name]?.environment?.[setting] !== undefined,
  );
  expect(holders.toSorted()).toEqual(users);
  // Without a value of their own they would hide the settings that all services have.
  for (const name of users)
    expect(services[name]?.environment).toHaveProperty('PARLEY_KEY_SECRET_FILE');
});
