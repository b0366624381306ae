import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { repositoryFolder } from './repository-folder.ts';

type Dependencies = Readonly<Record<string, string>>;

function readManifest(folder: string): Record<'dependencies' | 'devDependencies', Dependencies> {
  const manifest = readFileSync(join(repositoryFolder, folder, 'package.json'), 'utf8');
  return { dependencies: {}, devDependencies: {}, ...(JSON.parse(manifest) as object) };
}

/** The argument of an import statement, a call of `import` or a resolved name, in the formatter's style. */
const importArgument =
  /^(?:import |(?:import |export |\} )(?:.* )?from )'([^']+)';$|(?:\bimport(?:\.meta\.resolve)?|\)\.resolve)\(['`]([^'`]+)['`]/gm;

/** @returns the packages that the text imports, without Node's own */
function importedBy(text: string): string[] {
  return [...text.matchAll(importArgument)]
    .map(([, statement, call]) => statement ?? call ?? '')
    .filter((specifier) => !/^(?:\.|virtual:)/.test(specifier) && !isBuiltin(specifier))
    .map((specifier) => (/^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [''])[0]);
}

const manifests = ['packages/*/package.json', 'services/*/package.json', 'tests/package.json'];
const folders = globSync(manifests, { cwd: repositoryFolder }).map((path) => dirname(path));
// The root's dependencies (the test runner, types) are available to all.
const tools = Object.keys(readManifest('.').devDependencies);
const isForDevelopment = (path: string): boolean =>
  /\.(?:test|config)\.ts$|(?:^|\/)(?:tests|build)\//.test(path);
/** Types are not there at run time. */
const importOfTypes = /^import type [^;]*;$/gm;

test.each(folders)('%s declares what it imports, and nothing else', (folder) => {
  const { dependencies, devDependencies } = readManifest(folder);
  const declared = Object.keys({ ...dependencies, ...devDependencies });
  const imported = new Set<string>();
  const importedBySources = new Set<string>();
  const cwd = join(repositoryFolder, folder);
  for (const path of globSync('**/*.{ts,tsx,mjs}', { cwd, exclude: ['**/node_modules'] })) {
    const text = readFileSync(join(cwd, path), 'utf8');
    for (const name of importedBy(text)) imported.add(name);
    if (isForDevelopment(path)) continue;
    for (const name of importedBy(text.replaceAll(importOfTypes, ''))) importedBySources.add(name);
  }
  expect({
    // A package of types counts as the package that it describes.
    unused: declared.filter((name) => !imported.has(name.replace(/^@types\//, ''))),
    undeclared: [...imported].filter((name) => !declared.includes(name) && !tools.includes(name)),
    missingInProduction: [...importedBySources].filter((name) => name in devDependencies),
  }).toEqual({ unused: [], undeclared: [], missingInProduction: [] });
});
