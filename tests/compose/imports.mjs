// The way from nothing to an import in containers of 512 MiB, with the commands of docs/import, unchanged, and an archive of 120 MB. The
// commands for Kubernetes are given a pod that is one container, made from the manifest.

import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { writeLargeArchive } from '../history-import/large-archive.ts';
import { checkImported, readImportCommands } from '../support/import-path.ts';
import { composeProject, docker, repositoryRoot, run } from './engine.mjs';
import { findGateways, showLogs, takeDown } from './system.mjs';

const memory = '512m';

// The tests run as root, and a machine of theirs may have no sudo.
const withoutSudo = 'sudo() { "$@"; }\n';

/** Stands for the programs of a cluster: the pod is a container, and everything else is there. */
const kubectl = `#!/bin/bash
set -euo pipefail
[ "$1" = --namespace ] && shift 2
case "$1" in
  apply | wait | rollout) ;;
  get) echo "pod/$POD_CONTAINER" ;;
  exec) shift 3; docker exec "$POD_CONTAINER" "$@" ;;
  cp)
    if [[ "$2" == *:* ]]; then
      docker exec "$POD_CONTAINER" cat "\${2#*:}" > "$3"
    else
      docker exec --interactive "$POD_CONTAINER" sh -c 'cat > "$1"' sh "\${3#*:}" < "$2"
    fi
    ;;
  *) echo "kubectl $* is not known here" >&2; exit 2 ;;
esac
`;

/** The pod of messages of the small overlay with the component, as kustomize makes it. */
async function readPod(folder) {
  const kubernetes = join(folder, 'kubernetes');
  await cp(join(repositoryRoot, 'deploy/kubernetes'), kubernetes, { recursive: true });
  const overlay = join(kubernetes, 'overlays/small');
  const kustomization = join(overlay, 'kustomization.yaml');
  const text = await readFile(kustomization, 'utf8');
  await writeFile(kustomization, `${text}\ncomponents: [../../components/import]\n`);
  const documents = parseAllDocuments(await run('kubectl', ['kustomize', overlay]));
  const deployment = documents
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'parley-messages');
  return deployment.spec.template.spec;
}

/** Starts a container as the pod says, with the secrets and stores of a compose project. */
async function startPod(spec, { name, project, image }) {
  const [container] = spec.containers;
  const volumes = container.volumeMounts.flatMap(({ name: volume, mountPath, readOnly }) => [
    '--volume',
    volume === 'secrets'
      ? `${project}_secrets:${mountPath}:ro`
      : `${project}_${volume}:${mountPath}${readOnly ? ':ro' : ''}`,
  ]);
  const variables = container.env.flatMap(({ name: variable, value }) =>
    value === undefined ? [] : ['--env', `${variable}=${value}`],
  );
  const words = ['run', '--detach', '--name', name, '--memory', memory, '--memory-swap', memory];
  words.push('--user', `${spec.securityContext.runAsUser}`, '--cap-drop', 'ALL');
  if (container.securityContext.readOnlyRootFilesystem) words.push('--read-only');
  await docker([
    ...words,
    '--network',
    `${project}_stores`,
    ...volumes,
    ...variables,
    image,
    ...container.command,
  ]);
}

/** A volume of the cluster belongs to the group of the pod (`fsGroup`). */
async function makePodVolumes(project, image) {
  for (const volume of ['uploads', 'import', 'tmp']) {
    const name = `${project}_${volume}`;
    await docker(['volume', 'create', '--label', `com.docker.compose.project=${project}`, name]);
    await docker([
      'run',
      '--rm',
      '--user',
      'root',
      '--volume',
      `${name}:/volume`,
      image,
      'chown',
      '1000:1000',
      '/volume',
    ]);
  }
}

async function startAndCheck(compose, output) {
  await compose.run(['up', '--detach', '--no-build', '--wait', 'gateway', 'messages', 'people']);
  const [gateway] = await findGateways(compose);
  await checkImported(gateway, output);
}

async function testCompose(check, { runId, image, folder }) {
  const compose = composeProject(`${runId}-compose`, settingsOf(image));
  try {
    const output = await check('the commands for Compose import the archive', async () => {
      const [block] = await readImportCommands('With Compose');
      return compose.shell(withoutSudo + block, { cwd: folder });
    });
    await check('somebody signs in, and reads the messages and files', () =>
      startAndCheck(compose, output),
    );
    await check('the report is there', async () => {
      const report = await readFile(join(folder, 'archives/imported.jsonl'), 'utf8');
      assert.match(report, /"kind":"zerver_userpresence"/);
    });
  } catch (error) {
    await showLogs(compose);
    throw error;
  } finally {
    await takeDown(compose);
  }
}

async function testKubernetes(check, { runId, image, folder }) {
  const project = `${runId}-kubernetes`;
  const compose = composeProject(project, settingsOf(image));
  const name = `${project}-pod`;
  try {
    await check('a pod of messages waits for an operator', async () => {
      await compose.run(['up', '--detach', '--no-build', '--wait', 'postgres', 'redis']);
      await makePodVolumes(project, image);
      await startPod(await readPod(folder), { name, project, image });
    });
    const output = await check('the commands for Kubernetes import the archive', async () => {
      const programs = join(folder, 'programs');
      await mkdir(programs, { recursive: true });
      await writeFile(join(programs, 'kubectl'), kubectl, { mode: 0o755 });
      const [block] = await readImportCommands('In Kubernetes');
      const before = `export PATH='${programs}':"$PATH" POD_CONTAINER='${name}'\n`;
      return compose.shell(before + block, { cwd: folder });
    });
    await docker(['rm', '--force', name]);
    await check('somebody signs in, and reads the messages and files', () =>
      startAndCheck(compose, output),
    );
  } catch (error) {
    await showLogs(compose);
    throw error;
  } finally {
    await docker(['rm', '--force', name]);
    await takeDown(compose);
  }
}

const settingsOf = (image) => ({
  PARLEY_IMAGE: image,
  PARLEY_PUBLISH_PORT: '0',
  PARLEY_BUILD_NETWORK: process.env.PARLEY_BUILD_NETWORK ?? 'host',
});

/**
 * @param {ReturnType<typeof import('./checks.mjs').createChecks>['check']} check
 * @param {{ runId: string, image: string }} run the beginning of the containers' names, and the image of this commit
 */
export async function testImports(check, { runId, image }) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-imports-'));
  try {
    await mkdir(join(folder, 'archives'));
    await check('an archive of 120 MB is written', () =>
      writeLargeArchive(join(folder, 'archives/export.tar.gz')),
    );
    const parts = { runId, image, folder };
    await testCompose(check, parts);
    await testKubernetes(check, parts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
