import { spawn } from 'node:child_process';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { findFreePort } from '@parley/launcher/local-stores';
import { waitUntil } from '@parley/test-kit';

import { Fleet } from '../fleet/fleet.ts';
import { describeDue, nowMs } from '../fleet/protocol.ts';
import { findChildren } from '../accounting.ts';
import type { Rig } from '../rig.ts';
import type { Case, Shot } from '../scenario.ts';
import { deliverOneByOne } from '../talk.ts';
import type { Announcer } from '../talk.ts';
import { findProgram } from './find-program.ts';

// The folders of modules in Debian and upstream.
const moduleFolders = ['/usr/lib/nginx/modules', '/usr/lib64/nginx/modules', '/etc/nginx/modules'];
const connectionsAtOnce = 32;
const settleMs = 300;
// About the length of the system's answer with one message of the scenarios.
const answerBytes = 1_024;
const farAwayMs = Number.MAX_SAFE_INTEGER;

/**
 * The control for long polls: nginx with nchan delivers one message at a time, as long as an answer of the system, to as many
 * followers.
 *
 * @param folder for its files
 * @param rounds messages in a run
 * @returns undefined if nginx with nchan is not installed
 */
export async function openNchan(
  rig: Rig,
  folder: string,
  followers: number,
  rounds: number,
): Promise<readonly Case[]> {
  const program = await findProgram('nginx');
  const modules = await findModules();
  if (program === undefined || modules === undefined) {
    rig.say(
      'No nginx with nchan on this machine (Debian: apt-get install nginx libnginx-mod-nchan): no control for long polls.',
    );
    return [];
  }
  const url = await startNginx(rig, program, modules, folder);
  const [pid, workers] = [url.pid, await findChildren(url.pid)];
  const controlRig = rig.forParts([{ name: 'nchan', pids: () => [pid, ...workers] }]);
  const before = await controlRig.measureAround(() => Promise.resolve());
  const accounts = Array.from({ length: followers }, () => ({ email: '', apiKey: '' }));
  const fleet = await Fleet.register([url.base], accounts, connectionsAtOnce, 'nchan');
  rig.addGenerators(fleet);
  await fleet.hold(connectionsAtOnce);
  await pause(settleMs);
  const held = await controlRig.measureAround(() => Promise.resolve());
  const heldBytes = (held.memoryBytes['nchan'] ?? 0) - (before.memoryBytes['nchan'] ?? 0);
  let [sent, received] = [0, 0];
  const announcer: Announcer = {
    fleet,
    begin: async (messages) => {
      received = 0;
      await fleet.startTally(sent, messages, { fromMs: nowMs(), toMs: farAwayMs });
    },
    sendOne: async () => {
      await publish(url.base, sent++);
      await fleet.waitForReceived((received += followers));
    },
  };
  return [
    {
      name: `nginx with nchan, ${followers} followers, one message at a time`,
      isControl: true,
      run: async (): Promise<Shot> => {
        const shot = await deliverOneByOne(controlRig, announcer, rounds);
        const memory_kib_per_poll = heldBytes / 1_024 / followers;
        return { ...shot, figures: { ...shot.figures, memory_kib_per_poll } };
      },
    },
  ];
}

async function findModules(): Promise<string | undefined> {
  for (const folder of moduleFolders) {
    const isThere = await access(join(folder, 'ngx_nchan_module.so')).then(
      () => true,
      () => false,
    );
    if (isThere) return folder;
  }
  return undefined;
}

async function startNginx(
  rig: Rig,
  program: string,
  modules: string,
  parent: string,
): Promise<{ readonly base: string; readonly pid: number }> {
  const port = await findFreePort();
  const folder = join(parent, `nchan-${port}`);
  await mkdir(folder);
  // If root starts nginx, its worker runs as another user.
  await chmod(folder, 0o755);
  const template = await readFile(join(import.meta.dirname, 'nchan.conf'), 'utf8');
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    template.replaceAll('@PORT@', String(port)).replaceAll('@MODULES@', modules),
  );
  const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // An aborted run must leave no server behind.
  const kill = (): void => {
    child.kill('SIGTERM');
  };
  process.once('exit', kill);
  rig.defer(async () => {
    process.off('exit', kill);
    kill();
    await ended;
  });
  const base = `http://127.0.0.1:${port}`;
  await waitUntil(
    'nginx answers',
    async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
      const answer = await fetch(`${base}/send`).catch(() => undefined);
      await answer?.arrayBuffer();
      return answer !== undefined;
    },
    { describe: () => said },
  );
  return { base, pid: child.pid ?? 0 };
}

async function publish(base: string, number: number): Promise<void> {
  const content = describeDue(number, nowMs());
  const message = { result: 'success', msg: '', events: [{ type: 'message', content }], pad: '' };
  const missing = Math.max(0, answerBytes - JSON.stringify(message).length);
  const body = JSON.stringify({ ...message, pad: 'x'.repeat(missing) });
  const answer = await fetch(`${base}/send`, { method: 'POST', body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`nchan refused a message with ${answer.status}`);
}
