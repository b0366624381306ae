/** Validates manifests with the schemas of the package kubernetes-models. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { repositoryFolder } from '@parley/test-kit';

import type { Manifest } from './manifests.ts';

type Model = new (data: object) => { validate(): void };

const modelsFolder = dirname(fileURLToPath(import.meta.resolve('kubernetes-models')));

/** @returns the errors of a manifest by the schema of its kind; undefined if there are none */
export async function findSchemaFault(manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind } = manifest;
  const models = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Record<string, Model>;
  const model = models[kind];
  if (model === undefined) return `${apiVersion} has no kind ${kind}`;
  try {
    new model(manifest).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Finds unknown members, which the schemas accept. The types made from them do not, if the compiler sees a manifest as an object
 * literal.
 *
 * @returns the compiler's errors; empty if there are none
 */
export async function findUnknownMembers(manifests: readonly Manifest[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-manifests-'));
  try {
    const lines = manifests.map((manifest, index) => {
      const from = JSON.stringify(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
      return `import type { I${manifest.kind} as Kind${index} } from ${from};
export const manifest${index}: Kind${index} = ${JSON.stringify(manifest)};\n`;
    });
    await writeFile(join(folder, 'manifests.ts'), lines.join(''));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          module: 'esnext',
          moduleResolution: 'bundler',
          types: [],
          paths: { 'kubernetes-models/*': [`${modelsFolder}/*`] },
        },
        files: ['manifests.ts'],
      }),
    );
    const compiler = join(repositoryFolder, 'node_modules', '.bin', 'tsc');
    return await new Promise((resolve) => {
      execFile(compiler, ['-p', folder], (_error, output, faults) => resolve(output + faults));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
