/** Judges manifests by the schemas that the package kubernetes-models publishes. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { repositoryFolder } from '@parley/test-kit';

import type { Manifest } from './manifests.ts';

type Model = new (data: object) => { validate(): void };

const modelsFolder = dirname(fileURLToPath(import.meta.resolve('kubernetes-models')));

/** @returns what the schema of its kind says against a manifest; undefined when nothing */
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
 * Finds members that no schema knows, which the schemas themselves let pass: the types made from them do not, where the compiler
 * sees a manifest written out.
 *
 * @returns what the compiler says; empty when nothing
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
