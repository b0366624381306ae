import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { nodeOptionsOf } from '@parley/launcher';
import { repositoryFolder, serviceNames } from '@parley/test-kit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

test('docker-compose.yml starts every service with the options of Node that it is to have', () => {
  const { services } = parse(readFileSync(join(repositoryFolder, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { readonly services: Readonly<Record<string, { readonly command?: readonly string[] }>> };
  for (const service of serviceNames)
    expect(services[service]?.command).toEqual([
      'node',
      ...nodeOptionsOf(service),
      `services/${service}/src/main.ts`,
    ]);
});
