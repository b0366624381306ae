import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { nodeOptionsOf } from '@parley/launcher';
import { repositoryFolder, serviceNames } from '@parley/test-kit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { readManifestFiles } from './manifests.ts';

const commandOf = (service: string): readonly string[] => [
  'node',
  ...nodeOptionsOf(service),
  `services/${service}/src/main.ts`,
];

test('docker-compose.yml starts every service with its Node options, and migrates with the command', () => {
  const { services } = parse(readFileSync(join(repositoryFolder, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { readonly services: Readonly<Record<string, { readonly command?: readonly string[] }>> };
  for (const service of serviceNames)
    expect(services[service]?.command).toEqual(commandOf(service));
  expect(services['migrate']?.command).toEqual(['parley', 'migrate']);
});

test('the Kubernetes manifests start every service with them too', () => {
  const commands = readManifestFiles()
    .flatMap(({ documents }) => documents)
    .flatMap((document) => {
      const { kind, metadata, spec } = document as {
        readonly kind?: string;
        readonly metadata?: { readonly name: string };
        readonly spec?: {
          readonly template?: {
            readonly spec?: { readonly containers?: readonly { command?: readonly string[] }[] };
          };
        };
      };
      const command = spec?.template?.spec?.containers?.[0]?.command;
      return kind === 'Deployment' && command !== undefined
        ? [[metadata?.name.replace('parley-', ''), command] as const]
        : [];
    });
  expect(Object.fromEntries(commands)).toEqual(
    Object.fromEntries(serviceNames.map((service) => [service, commandOf(service)])),
  );
});
