import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { closedLayers, layers, libraryHomes } from './layers.ts';
import { repositoryFolder } from './repository-folder.ts';

const scope = '@parley/';
const rooms = layers.flatMap((layer) => Object.keys(layer.rooms));

/** The folders of packages, such as `packages/store`, by their names. */
const packageFolders = new Map(
  globSync(['packages/*/package.json', 'services/*/package.json'], { cwd: repositoryFolder }).map(
    (path) => {
      const { name } = JSON.parse(readFileSync(join(repositoryFolder, path), 'utf8')) as {
        readonly name: string;
      };
      return [name.slice(scope.length), dirname(path)] as const;
    },
  ),
);

/** @returns the room of a module: the folder that has a place of its own, or else the package */
function roomOf(packageName: string, folderOfPackage: string | undefined): string {
  const folder = `${packageName}/${folderOfPackage ?? ''}`;
  return rooms.includes(folder) ? folder : packageName;
}

type Import = { readonly file: string; readonly specifier: string };

/** The imports of all modules, those of tests excepted, by their rooms. */
const imports = new Map<string, readonly Import[]>();
for (const [name, folder] of packageFolders) {
  const cwd = join(repositoryFolder, folder);
  const files = globSync('{src,build}/**/*.{ts,tsx}', {
    cwd,
    exclude: ['**/*.test.ts', '**/testdata'],
  });
  for (const file of files) {
    const text = readFileSync(join(cwd, file), 'utf8');
    const room = roomOf(name, file.split('/')[1]);
    const found = [...text.matchAll(/^(?:import|export)\b[^;'"]*'([^']+)'|\bimport\('([^']+)'/gm)];
    imports.set(room, [
      ...(imports.get(room) ?? []),
      ...found.map(([, fixed, loaded]) => ({ file, specifier: fixed ?? loaded ?? '' })),
    ]);
  }
}

/** @returns the room of ours that an import leads to; undefined for a library */
function roomImported(room: string, { file, specifier }: Import): string | undefined {
  const [packageName = ''] = room.split('/');
  if (specifier.startsWith('.'))
    return roomOf(packageName, join(dirname(file), specifier).split('/')[1]);
  if (!specifier.startsWith(scope)) return undefined;
  const [name = '', folder] = specifier.slice(scope.length).split('/');
  return roomOf(name, folder);
}

/** @returns the permitted imports of a room */
function allowedFor(room: string): readonly string[] {
  const index = layers.findIndex((layer) => room in layer.rooms);
  return [
    room,
    ...layers
      .slice(0, index)
      .filter((layer) => !closedLayers.includes(layer.name))
      .flatMap((layer) => Object.keys(layer.rooms)),
    ...(layers[index]?.rooms[room] ?? []),
  ];
}

/** @returns the imports by paths that lead out of a folder */
function pathsOutOf(folder: string): string[] {
  const cwd = join(repositoryFolder, folder);
  return globSync('**/*.{ts,tsx,mjs}', { cwd, exclude: ['**/node_modules'] }).flatMap((file) =>
    [...readFileSync(join(cwd, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']*)'/g)]
      .map(([, target = '']) => join(dirname(file), target))
      .filter((path) => path.startsWith('..')),
  );
}

test('the table names every room once, and nothing else', () => {
  expect(rooms.toSorted()).toEqual([...imports.keys()].toSorted());
});

test.each(layers.flatMap((layer) => Object.entries(layer.rooms)))(
  '%s comes after those beside it that it imports',
  (room, beside) => {
    for (const other of beside) expect(rooms.indexOf(other)).toBeLessThan(rooms.indexOf(room));
  },
);

describe.each([...imports])('%s', (room, found) => {
  test('imports nothing upward', () => {
    const allowed = allowedFor(room);
    const upward = found.filter((each) => {
      const other = roomImported(room, each);
      return other !== undefined && !allowed.includes(other);
    });
    expect(upward).toEqual([]);
  });

  test('uses restricted libraries only in their rooms', () => {
    const strayed = found.filter(
      ({ specifier }) => libraryHomes[specifier.split('/')[0] ?? '']?.includes(room) === false,
    );
    expect(strayed).toEqual([]);
  });
});

test.each([...packageFolders.values()])('%s has no import path into another package', (folder) => {
  expect(pathsOutOf(folder)).toEqual([]);
});

test('tests import packages by name', () => {
  expect(pathsOutOf('tests').filter((path) => path.includes('packages/'))).toEqual([]);
});
