/** Reads the Kubernetes manifests: the files themselves, and overlays built by kustomize. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { parseAllDocuments } from 'yaml';

export const kubernetesFolder = join(repositoryFolder, 'deploy', 'kubernetes');

export type Json = { readonly [name: string]: unknown };

/** An object with an apiVersion and a kind. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [name: string]: unknown;
};

type Builder = readonly [program: string, ...words: string[]];

const builders: readonly Builder[] = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
];

/** @returns the program that builds overlays; undefined if it is not installed */
export function findBuilder(): Builder | undefined {
  return builders.find(([program, ...words]) => {
    try {
      execFileSync(program, [...words, '--help'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** @throws Error for text that is not YAML */
export function parseManifests(text: string): Json[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) throw fault;
      return document.toJS() as Json | null;
    })
    .filter((document) => document !== null);
}

/** @returns the objects of an overlay or of the base */
export function build(builder: Builder, folder: string): Manifest[] {
  const [program, ...words] = builder;
  const text = execFileSync(program, [...words, join(kubernetesFolder, folder)], {
    encoding: 'utf8',
    maxBuffer: 16 * 1_048_576,
  });
  return parseManifests(text) as Manifest[];
}

export type ManifestFile = { readonly path: string; readonly documents: readonly Json[] };

/** @returns every YAML file of the folder, parsed; paths are relative to it */
export function readManifestFiles(): ManifestFile[] {
  return readdirSync(kubernetesFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return {
        path: relative(kubernetesFolder, path),
        documents: parseManifests(readFileSync(path, 'utf8')),
      };
    });
}

export function isKustomization(file: ManifestFile): boolean {
  return basename(file.path) === 'kustomization.yaml';
}

type Named = { readonly path?: string };

/** @returns the files and folders that a kustomization names, relative to it */
export function filesNamedBy(kustomization: Json): string[] {
  const {
    resources = [],
    components = [],
    patches = [],
    configMapGenerator = [],
  } = kustomization as {
    resources?: readonly string[];
    components?: readonly string[];
    patches?: readonly Named[];
    configMapGenerator?: readonly { readonly envs?: readonly string[] }[];
  };
  return [
    ...resources,
    ...components,
    ...patches.flatMap(({ path }) => (path === undefined ? [] : [path])),
    ...configMapGenerator.flatMap(({ envs = [] }) => envs),
  ];
}

/** @returns the names and values of a file of `NAME=value` lines */
export function readEnvFile(path: string): Record<string, string> {
  return Object.fromEntries(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const separator = line.indexOf('=');
        return [line.slice(0, separator), line.slice(separator + 1)];
      }),
  );
}
