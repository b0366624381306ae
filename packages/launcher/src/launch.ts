import { join } from 'node:path';

import { serviceNames } from '@parley/config';
import type { ServiceName } from '@parley/config';
import { findOrInstallRedis, isPortFree, startPostgres, startRedis } from './local-stores/index.ts';
import type { RunningStore } from './local-stores/index.ts';

import { DataFolder } from './data-folder.ts';
import { readDemo } from './demo-accounts.ts';
import type { Demo } from './demo-accounts.ts';
import { readFirstStart } from './first-start.ts';
import type { FirstStart } from './first-start.ts';
import { LaunchFault } from './launch-fault.ts';
import { LogFile } from './log-file.ts';
import { nodeOptionsOf } from './node-options.ts';
import type { LaunchOptions } from './options.ts';
import { runToEnd, startServices } from './service-process.ts';
import type { ServiceCommand } from './service-process.ts';
import { Supervisor } from './supervisor.ts';
import type { Running } from './supervisor.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of the services, which the operator's command needs too. */
function isSetting(name: string): boolean {
  return name.startsWith('PARLEY_') || name === 'DATABASE_URL' || name === 'REDIS_URL';
}

/** The input of the launcher. */
export type LaunchRequest = {
  options: LaunchOptions;
  env: Environment;
  /** The folder that holds `dist`. */
  root: string;
  /** Aborted to abandon the start or to stop everything. */
  signal: AbortSignal;
  /** Receives lines of progress. */
  say: (line: string) => void;
  /** Called once when a process died too often. */
  giveUp: (fault: LaunchFault) => void;
};

/** A running process, as shown by `--json`. */
export type ProcessEntry = { service: string; pid: number; port: number };

/** The accounts that are printed: those of the demo, or of an organization's first administrator. Neither if the demo is off. */
export type Accounts = { demo?: Demo; firstStart?: FirstStart };

/** A running Parley. */
export type Launched = Accounts & {
  url: string;
  /** Whether only the stores run. */
  isStoresAlone: boolean;
  /** Whether anybody may sign in as anybody. */
  isDevelopment: boolean;
  /** What becomes of mails: they are sent, kept in the data folder, or neither. */
  mails: 'sent' | 'kept' | 'none';
  processes: readonly ProcessEntry[];
};

/** What starts a process, before the settings that all have in common. */
type UnloggedCommand = Omit<ServiceCommand, 'log'>;

type Member = { service: string; supervisor: Supervisor };

/** Starts a whole Parley on one machine, in order, and stops it in the opposite order. */
export class Launch {
  readonly #request: LaunchRequest;
  #folder: DataFolder | undefined;
  readonly #stores: Member[] = [];
  readonly #services: Member[] = [];
  #starting: Promise<unknown> | undefined;

  constructor(request: LaunchRequest) {
    this.#request = request;
  }

  /**
   * Starts the stores, migrates, seeds, and starts the services.
   *
   * @throws LaunchFault or StoreFault with what to do
   * @throws the signal's reason if the signal is aborted
   */
  start(): Promise<Launched> {
    const starting = this.#startAll();
    this.#starting = starting;
    return starting;
  }

  async #startAll(): Promise<Launched> {
    const { options, env, signal, say } = this.#request;
    if (options.fresh && isSet(env['DATABASE_URL'])) {
      throw new LaunchFault(
        '--fresh removes only local data, and DATABASE_URL names a database of its own. Empty that yourself, or start without --fresh.',
      );
    }
    const folder = await DataFolder.open(options.dataDir, options.port, say);
    this.#folder = folder;
    if (!options.stores) await this.#checkPort();
    if (options.fresh) await folder.clear();
    const secrets = await folder.readSecrets();
    checkGivenSecrets(env, {
      PARLEY_KEY_SECRET: secrets.key,
      PARLEY_INTERNAL_SECRET: secrets.internal,
    });
    signal.throwIfAborted();
    const starts = [this.#startDatabase(folder), this.#startRedis(folder)] as const;
    // What is still being started could not be stopped.
    await Promise.allSettled(starts);
    const [databaseUrl, redisUrl] = await Promise.all(starts);
    signal.throwIfAborted();
    const url = `http://127.0.0.1:${options.port}`;
    const shared = pickSet({
      PARLEY_MODE: 'development',
      PARLEY_HOST: '127.0.0.1',
      PARLEY_PUBLIC_URL: url,
      PARLEY_INTERNAL_SECRET: secrets.internal,
      PARLEY_KEY_SECRET: secrets.key,
      ...(isSet(env['PARLEY_S3_BUCKET'])
        ? {}
        : { PARLEY_UPLOADS_DIR: folder.folderFor('uploads') }),
      ...(keepsMails(env) ? { PARLEY_MAIL_DIR: folder.folderFor('mails') } : {}),
      // More arenas of malloc would keep some MiB of each process.
      MALLOC_ARENA_MAX: '2',
      ...env,
      ...(options.organization === undefined ? {} : { PARLEY_DEMO: 'off' }),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
    });
    say('Bringing the schema up to date ...');
    await this.#runCommand('dist/parley.js', 'migrate', ['migrate'], shared);
    const accounts = options.stores ? {} : await this.#makeAccounts(folder, shared);
    if (!options.stores) {
      say('Starting the services ...');
      await this.#startServices(folder, shared);
    }
    folder.writeEnvironment(pickSettings(shared));
    return {
      url,
      isStoresAlone: options.stores,
      ...accounts,
      isDevelopment: shared['PARLEY_MODE'] === 'development',
      mails: sendsMails(shared) ? 'sent' : isSet(shared['PARLEY_MAIL_DIR']) ? 'kept' : 'none',
      processes: this.#listProcesses(),
    };
  }

  /** Creates the organization that was asked for, or the demo where that is on, if there is none. */
  async #makeAccounts(folder: DataFolder, shared: Record<string, string>): Promise<Accounts> {
    const { options, say } = this.#request;
    const { organization } = options;
    if (organization !== undefined) {
      const { name, administrator } = organization;
      say('Looking after the organization ...');
      const { email, name: fullName } = administrator;
      const args = ['--organization', name, '--email', email, '--full-name', fullName, '--json'];
      const made = await this.#runCommand(
        'dist/parley.js',
        'first-start',
        ['first-start', ...args],
        shared,
      );
      return { firstStart: readFirstStart(made) };
    }
    if (!wantsDemo(shared)) return {};
    say('Looking after the demo organization ...');
    const seeded = await this.#runCommand(
      'dist/seed.js',
      'seed',
      ['--json', '--data', folder.path],
      shared,
    );
    return { demo: readDemo(seeded) };
  }

  /**
   * Stops everything: the services, each after its drain, then Redis, then Postgres. A start in progress must have been aborted; its end is
   * awaited, so that nothing starts later.
   *
   * @returns whether there was anything to stop
   */
  async stop(): Promise<boolean> {
    for (const { supervisor } of [...this.#services, ...this.#stores]) supervisor.refuseStarts();
    await Promise.allSettled([this.#starting]);
    await Promise.all(this.#services.map(({ supervisor }) => supervisor.stop()));
    for (const { supervisor } of this.#stores.toReversed()) await supervisor.stop();
    this.#folder?.release();
    return this.#stores.length + this.#services.length > 0;
  }

  async #checkPort(): Promise<void> {
    const { port } = this.#request.options;
    if (await isPortFree(port)) return;
    throw new LaunchFault(
      `Port ${port} is in use (or not allowed for this user). Choose another one: npm start -- --port ${port + 1}`,
    );
  }

  async #startDatabase(folder: DataFolder): Promise<string> {
    const { env, say } = this.#request;
    const given = env['DATABASE_URL'];
    if (given !== undefined && given !== '') return given;
    say('Starting Postgres ...');
    const log = new LogFile(folder.folderFor('logs'), 'postgres');
    const dataDir = folder.folderFor('postgres');
    return this.#startStore('postgres', 'Postgres', (port) =>
      startPostgres({ dataDir, log: (line) => this.#logStore(log, line), ...port }),
    );
  }

  async #startRedis(folder: DataFolder): Promise<string> {
    const { env, say } = this.#request;
    const given = env['REDIS_URL'];
    if (given !== undefined && given !== '') return given;
    await findOrInstallRedis(say);
    say('Starting Redis ...');
    const log = new LogFile(folder.folderFor('logs'), 'redis');
    const dir = folder.folderFor('redis');
    return this.#startStore('redis', 'Redis', (port) =>
      startRedis({ dir, log: (line) => log.append(line), ...port }),
    );
  }

  /** Lines with these first words come from the store package itself; the rest are Postgres' own. */
  #logStore(log: LogFile, line: string): void {
    log.append(line);
    if (/^(Making|The user) /.test(line)) this.#request.say(line);
  }

  async #startStore(
    service: string,
    name: string,
    start: (port: { port?: number }) => Promise<RunningStore>,
  ): Promise<string> {
    let url = '';
    let port: number | undefined;
    const supervisor = this.#supervise(name, service, async () => {
      // The services know the first port, so a restarted store must listen there again.
      const store = await start(port === undefined ? {} : { port });
      ({ url, port } = store);
      return store;
    });
    this.#stores.push({ service, supervisor });
    await supervisor.start(false);
    return url;
  }

  async #startServices(folder: DataFolder, shared: Record<string, string>): Promise<void> {
    const { options } = this.#request;
    const commands = options.together ? [this.#commandOfAll()] : this.#commandsOfEach();
    const starts = commands.map(async ({ service, ...command }) => {
      const log = new LogFile(folder.folderFor('logs'), command.name);
      const supervisor = this.#supervise(command.name, command.name, (signal) =>
        startServices(
          {
            ...command,
            service,
            env: {
              ...shared,
              PARLEY_PORT: service === 'gateway' ? String(options.port) : '0',
              PARLEY_INTERNAL_PORT: '0',
              ...command.env,
            },
            log,
          },
          signal,
        ),
      );
      this.#services.push({ service: options.together ? command.name : service, supervisor });
      return supervisor.start(true);
    });
    await Promise.all(starts);
  }

  /** The command of one process that has all services. */
  #commandOfAll(): UnloggedCommand {
    return {
      name: 'parley',
      service: 'gateway',
      nodeOptions: nodeOptionsOf('gateway'),
      entry: join(this.#request.root, 'dist/parley.js'),
      args: ['serve', ...serviceNames],
      env: {},
    };
  }

  /** The commands of a process for each service and replica. */
  #commandsOfEach(): UnloggedCommand[] {
    const { events, messages } = this.#request.options;
    const counts: Partial<Record<ServiceName, number>> = { events, messages };
    return serviceNames.flatMap((service) => {
      const count = counts[service] ?? 1;
      return Array.from({ length: count }, (_, n) => ({
        name: count === 1 ? service : `${service}-${n + 1}`,
        service,
        nodeOptions: nodeOptionsOf(service),
        entry: join(this.#request.root, 'dist', `${service}.js`),
        // A relay knows one port, which one process has.
        env: n > 0 ? { PARLEY_LMTP_PORT: '0' } : {},
      }));
    });
  }

  #supervise(
    name: string,
    recordedAs: string,
    start: (signal: AbortSignal) => Promise<Running>,
  ): Supervisor {
    const { say, giveUp } = this.#request;
    return new Supervisor({
      name,
      say,
      giveUp,
      start: async (signal) => {
        const running = await start(signal);
        this.#folder?.recordProcess(recordedAs, running.pid);
        return running;
      },
    });
  }

  async #runCommand(
    entry: string,
    name: string,
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<string> {
    const { root, signal } = this.#request;
    if (this.#folder === undefined) throw new Error('the data folder is taken first');
    const log = new LogFile(this.#folder.folderFor('logs'), name);
    return runToEnd({ name, entry: join(root, entry), args, env, log }, signal);
  }

  #listProcesses(): ProcessEntry[] {
    return [...this.#stores, ...this.#services].flatMap(({ service, supervisor }) => {
      const { running } = supervisor;
      return running === undefined ? [] : [{ service, pid: running.pid, port: running.port }];
    });
  }
}

/** Mails are kept if no server takes them, which production refuses. */
function keepsMails(env: Environment): boolean {
  return !sendsMails(env) && env['PARLEY_MODE'] !== 'production';
}

function sendsMails(env: Environment): boolean {
  return isSet(env['PARLEY_SMTP_URL']) || isSet(env['PARLEY_SMTP_URL_FILE']);
}

/** As the settings say: on in development, if nothing else is set. */
function wantsDemo(env: Environment): boolean {
  return (env['PARLEY_DEMO'] || (env['PARLEY_MODE'] === 'production' ? 'off' : 'on')) === 'on';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/**
 * Keys in a local database can be read only with the secret under which they were stored, which the data folder keeps. With another secret
 * from the environment nobody could sign in. A secret from the environment therefore needs a database from there too.
 */
function checkGivenSecrets(env: Environment, kept: Readonly<Record<string, string>>): void {
  if (isSet(env['DATABASE_URL'])) return;
  for (const [name, secret] of Object.entries(kept)) {
    if (!isSet(env[name]) || env[name] === secret) continue;
    throw new LaunchFault(
      `${name} is set in the environment, and the data folder has a secret of its own. Unset it, or name a database of your own with DATABASE_URL.`,
    );
  }
}

function pickSettings(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isSetting(name)));
}

function pickSet(values: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
