import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { nodeOptionsOf } from '@parley/launcher';

import { Requesters } from '../requesters.ts';
import { writeGet } from '../requests.ts';
import type { Rig } from '../rig.ts';
import type { Case } from '../scenario.ts';

/**
 * The control for every proxied request except polls: a GET of a small fixed answer through Express with http-proxy-middleware, in
 * front of another Express. Each is a separate process, started like a gateway in production.
 */
export async function openExpressHop(rig: Rig, connections: number): Promise<readonly Case[]> {
  const origin = await start(rig, 'express-origin-process.ts', []);
  const hop = await start(rig, 'express-hop-process.ts', [`http://127.0.0.1:${origin.port}`]);
  const controlRig = rig.forParts([
    { name: 'hop', pids: () => [hop.pid] },
    { name: 'origin', pids: () => [origin.pid] },
  ]);
  const requesters = new Requesters(rig);
  const url = `http://127.0.0.1:${hop.port}`;
  const asked = { url, requests: [writeGet(url, '/fixed')], expected: '"success"', connections };
  return [
    {
      name: 'Express with http-proxy-middleware',
      isControl: true,
      run: () => requesters.measure(asked, controlRig),
    },
  ];
}

async function start(
  rig: Rig,
  file: string,
  args: readonly string[],
): Promise<{ readonly pid: number; readonly port: number }> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child: ChildProcess = fork(program, args, {
    execArgv: [...nodeOptionsOf('gateway')],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  rig.defer(() => {
    child.kill('SIGKILL');
  });
  const [port] = (await once(child, 'message')) as [number];
  return { pid: child.pid ?? 0, port };
}
