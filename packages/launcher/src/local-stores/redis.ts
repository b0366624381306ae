import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectWithTls } from 'node:tls';

import { findFreePort } from './free-port.ts';
import { findOrInstallRedis } from './redis-install.ts';
import { readOrMakeSecret } from './secret-file.ts';
import { StoreProcess } from './store-process.ts';
import type { RunningStore } from './store-process.ts';
import { StoreFault } from './store-fault.ts';

const readyWithinMs = 20_000;
const stopPatienceMs = 5_000;
const answerWithinMs = 2_000;

/** The options of `startRedis`. */
export type RedisOptions = {
  /** The folder of this store, made at the first start. It keeps the password, but data only if `settings` say so. */
  dir: string;
  /** The port of 127.0.0.1 to listen on; any free one if absent. */
  port?: number;
  /** Receives Redis' own log, and the steps of an installation, line by line. */
  log: (line: string) => void;
  /** By default a generated one, kept in the folder. */
  password?: string;
  /** Files in PEM form. With them it accepts only TLS. */
  tls?: RedisTls;
  /** Makes it a sentinel, which keeps its configuration in the folder and writes to it. */
  isSentinel?: boolean;
  /** Further settings, over those of a store that keeps nothing (`{ appendonly: 'yes' }` with a `dir` for one that does). */
  settings?: Readonly<Record<string, string>>;
};

/** The certificate of a server, its key, and the authority that a client must know. */
export type RedisTls = {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
};

/** Asks for the process number, so that another Redis on the port is not mistaken for the started one. */
function answers(
  port: number,
  password: string,
  pid: number,
  ca: Buffer | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket =
      ca === undefined
        ? connect({ port, host: '127.0.0.1' })
        : connectWithTls({ port, host: '127.0.0.1', ca });
    let received = '';
    const finish = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(answerWithinMs, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once(ca === undefined ? 'connect' : 'secureConnect', () =>
      socket.write(`AUTH ${password}\r\nINFO server\r\n`),
    );
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const answeredBy = /\r\nprocess_id:(\d+)\r\n/.exec(received)?.[1];
      if (answeredBy !== undefined) finish(Number(answeredBy) === pid);
      else if (received.startsWith('-')) finish(false);
    });
  });
}

/**
 * Starts a Redis server of the machine, after installing one if there is none, and waits until it answers. It listens only on 127.0.0.1,
 * requires a generated password, keeps nothing on disk (Parley's data there may be lost at any time) and runs in its own process group.
 *
 * @throws StoreFault with what to do, if it cannot be found, installed or started
 */
export async function startRedis(options: RedisOptions): Promise<RunningStore> {
  const program = await findOrInstallRedis(options.log);
  const port = options.port ?? (await findFreePort());
  await mkdir(options.dir, { recursive: true });
  const password = options.password ?? (await readOrMakeSecret(join(options.dir, 'password')));
  const { tls } = options;
  const settings = [
    'bind 127.0.0.1',
    ...(tls === undefined
      ? [`port ${port}`]
      : [
          'port 0',
          `tls-port ${port}`,
          `tls-cert-file ${tls.certFile}`,
          `tls-key-file ${tls.keyFile}`,
          `tls-ca-cert-file ${tls.caFile}`,
          'tls-auth-clients no',
        ]),
    'protected-mode yes',
    `requirepass ${password}`,
    'daemonize no',
    `dir ${JSON.stringify(options.dir)}`,
    ...(options.isSentinel === true
      ? []
      : ['appendonly no', 'save ""', 'maxmemory-policy noeviction']),
    ...Object.entries(options.settings ?? {}).map(([name, value]) => `${name} ${value}`),
    '',
  ].join('\n');
  const sentinelFile = join(options.dir, 'sentinel.conf');
  if (options.isSentinel === true) await writeFile(sentinelFile, settings, { mode: 0o600 });
  const ca = tls === undefined ? undefined : await readFile(tls.caFile);
  const running = await StoreProcess.start({
    name: 'Redis',
    program,
    // Its settings come by standard input, because arguments, and the password with them, are visible in `ps`.
    ...(options.isSentinel === true
      ? { args: [sentinelFile, '--sentinel'] }
      : { args: ['-'], input: settings }),
    env: undefined,
    account: undefined,
    log: options.log,
  });
  const stop = (): Promise<void> => running.stop(['SIGTERM', 'SIGKILL'], stopPatienceMs);
  try {
    await running.waitUntil(() => answers(port, password, running.pid, ca), readyWithinMs);
  } catch (error) {
    await stop();
    if (running.lastLines.join('\n').includes('Address already in use')) {
      throw new StoreFault(`Port ${port}, which Redis was to listen on, is in use.`, {
        cause: error,
      });
    }
    throw error;
  }
  return {
    url: `${tls === undefined ? 'redis' : 'rediss'}://:${password}@127.0.0.1:${port}`,
    port,
    pid: running.pid,
    exited: running.exited,
    lastLines: running.lastLines,
    stop,
  };
}
