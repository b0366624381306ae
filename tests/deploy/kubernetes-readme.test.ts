import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { kubernetesFolder, readManifestFiles } from './manifests.ts';

test('the README waits for, reads and removes existing objects', () => {
  const readme = readFileSync(join(kubernetesFolder, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
    .map(([, block = '']) => block)
    .join('');
  const names = readManifestFiles().flatMap(({ documents }) =>
    documents.map(({ kind, metadata }) =>
      `${String(kind)}/${(metadata as { name?: string } | undefined)?.name}`.toLowerCase(),
    ),
  );
  const named = [...commands.matchAll(/\b(?:job|deployment)\/parley-[\w-]+/g)].map(
    ([name]) => name,
  );
  expect(named.length).toBeGreaterThan(4);
  expect(names).toEqual(expect.arrayContaining(named));
  // An existing Job cannot be changed, so all of them are deleted first.
  const jobs = names
    .filter((name) => name.startsWith('job/parley-'))
    .map((name) => name.slice('job/'.length));
  const [, removed = ''] = /delete job (.*) --ignore-not-found/.exec(commands) ?? [];
  expect(removed.split(' ').toSorted()).toEqual([...new Set(jobs)].toSorted());
});
