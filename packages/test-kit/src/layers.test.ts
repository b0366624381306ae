import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { closedLayers, layers, libraryHomes } from './layers.ts';
import { repositoryFolder } from './repository-folder.ts';

type Manifest = {
  readonly folder: string;
  readonly name: string;
  /** Except those that only tests use. Another test compares manifests with the imports. */
  readonly dependencies: readonly string[];
};

const scope = '@parley/';

function readManifest(path: string): Manifest {
  const { name, dependencies = {} } = JSON.parse(
    readFileSync(join(repositoryFolder, path), 'utf8'),
  ) as { readonly name: string; readonly dependencies?: Readonly<Record<string, string>> };
  return {
    folder: dirname(path),
    name: name.slice(scope.length),
    dependencies: Object.keys(dependencies),
  };
}

const manifests = globSync(['packages/*/package.json', 'services/*/package.json'], {
  cwd: repositoryFolder,
}).map(readManifest);

/** @returns the permitted imports of a package; undefined for one that is not in the table */
function allowedFor(name: string): readonly string[] | undefined {
  const index = layers.findIndex(({ packages }) => name in packages);
  const beside = layers[index]?.packages[name];
  return (
    beside && [
      ...layers
        .slice(0, index)
        .filter((layer) => !closedLayers.includes(layer.name))
        .flatMap(({ packages }) => Object.keys(packages)),
      ...beside,
    ]
  );
}

/** @returns the imports of its modules by paths that lead out of it */
function pathsOutOf(folder: string): string[] {
  const cwd = join(repositoryFolder, folder);
  return globSync('**/*.{ts,mjs}', { cwd, exclude: ['**/node_modules'] }).flatMap((file) =>
    [...readFileSync(join(cwd, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']*)'/g)]
      .map(([, target = '']) => join(dirname(file), target))
      .filter((path) => path.startsWith('..')),
  );
}

test('the table names every package once, and nothing else', () => {
  const named = layers.flatMap(({ packages }) => Object.keys(packages));
  expect(named.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted());
});

test.each(layers.flatMap(({ packages }) => Object.entries(packages)))(
  '%s comes after those beside it that it imports',
  (name, beside) => {
    const order = layers.flatMap(({ packages }) => Object.keys(packages));
    for (const other of beside) expect(order.indexOf(other)).toBeLessThan(order.indexOf(name));
  },
);

describe.each(manifests)('$folder', ({ folder, name, dependencies }) => {
  test('imports nothing upward', () => {
    const ours = dependencies
      .filter((dependency) => dependency.startsWith(scope))
      .map((dependency) => dependency.slice(scope.length));
    expect(ours.filter((other) => allowedFor(name)?.includes(other) !== true)).toEqual([]);
  });

  test('uses restricted libraries only in their packages', () => {
    const strayed = dependencies.filter(
      (library) => libraryHomes[library]?.includes(name) === false,
    );
    expect(strayed).toEqual([]);
  });

  test('has no import path into another package', () => {
    expect(pathsOutOf(folder)).toEqual([]);
  });
});

test('tests import packages by name', () => {
  expect(pathsOutOf('tests').filter((path) => path.includes('packages/'))).toEqual([]);
});
