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

type ComposeService = {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
};

function readComposeFile(path: string): Readonly<Record<string, ComposeService>> {
  const text = readFileSync(join(repositoryFolder, path), 'utf8');
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

test('docker-compose.yml starts every service with its Node options, and migrates with the command', () => {
  const services = readComposeFile('docker-compose.yml');
  for (const service of serviceNames)
    expect(services[service]?.command).toEqual(commandOf(service));
  expect(services['migrate']?.command).toEqual(['parley', 'migrate']);
});

test('together, the gateway runs all services with what each of them has apart', () => {
  const apart = readComposeFile('docker-compose.yml');
  const { gateway, ...others } = readComposeFile('deploy/compose-together.yml');
  const options = nodeOptionsOf('gateway');
  expect(gateway?.command).toEqual([
    'node',
    ...options,
    'packages/command/src/main.ts',
    'serve',
    ...serviceNames,
  ]);
  const services = serviceNames.flatMap((service) => apart[service] ?? []);
  const environment = { ...apart['gateway']?.environment, ...gateway?.environment };
  for (const service of services) expect(environment).toMatchObject(service.environment ?? {});
  const volumes = [...(apart['gateway']?.volumes ?? []), ...(gateway?.volumes ?? [])];
  expect(new Set(volumes)).toEqual(new Set(services.flatMap((service) => service.volumes ?? [])));
  expect(Object.keys(others).toSorted()).toEqual(
    serviceNames.filter((service) => service !== 'gateway').toSorted(),
  );
  for (const service of Object.values(others)) expect(service).toEqual({ profiles: ['apart'] });
});

test('the Kubernetes manifests start every service with them too', () => {
  const commands = readManifestFiles()
    // A component may replace a command on purpose, as that for imports does.
    .filter(({ path }) => path.startsWith('base/'))
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
