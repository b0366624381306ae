/** The way from nothing to an import that docs/import describes for `npm start`; tests/compose/imports.mjs has those in containers. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort, testRunEnvironment } from '@parley/launcher/local-stores';
import { repositoryFolder } from '@parley/test-kit';
import { expect, onTestFinished, test } from 'vitest';

import { writeLargeArchive } from '../history-import/large-archive.ts';
import { checkImported, readImportCommands } from '../support/import-path.ts';

/** The user's settings must not reach the commands. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:PARLEY_|DATABASE_URL|REDIS_URL|VITEST)/.test(name),
  );
  return { ...Object.fromEntries(own), ...testRunEnvironment() };
}

/** Starts a command that runs until it is interrupted, and waits until it says that it is ready. */
async function startUntil(command: string, ready: RegExp): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: repositoryFolder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  let said = '';
  for await (const piece of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    said += piece;
    if (ready.test(said)) break;
  }
  expect(said).toMatch(ready);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

test('with npm start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-import-path-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archives = join(folder, 'archives');
  await mkdir(archives);
  await writeLargeArchive(join(archives, 'export.tar.gz'));
  const port = await findFreePort();
  const [stores = '', imports = '', start = ''] = (
    await readImportCommands('With `npm start`')
  ).map((block) =>
    block
      .trim()
      .replaceAll('npm start -- ', `npm start -- --port ${port} `)
      .replaceAll('.bakery/', `${folder}/bakery/`)
      .replaceAll('.bakery', `${folder}/bakery`)
      .replaceAll('archives/', `${archives}/`),
  );
  const waiting = await startUntil(stores, /The stores are ready/);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', imports], {
    cwd: repositoryFolder,
    env: environment(),
  });
  await end(waiting);
  await startUntil(start, /Parley is ready/);
  await checkImported(`http://127.0.0.1:${port}`, stdout);
  expect(await readFile(join(archives, 'imported.jsonl'), 'utf8')).toContain('zerver_userpresence');
}, 400_000);
