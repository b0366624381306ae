/** Sets of Redis processes on this machine as an operator runs them on several: watched by sentinels, or a cluster. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { findFreePort, makeTemporaryFolder, startRedis } from '@parley/launcher/local-stores';
import type { RedisTls, RunningStore } from '@parley/launcher/local-stores';
import { waitUntil } from '@parley/test-kit';
import { Redis } from 'ioredis';

import { makeCertificates } from './certificates.ts';

// A possible password of an operator: each of these characters has a meaning in an address.
const password = 'pass/word@of:all?servers%';
const sentinelPassword = 'password-of-the-sentinels';
const setName = 'parley-main';
/** In the certificates, in addition to the address. */
export const certifiedName = 'redis.parley.test';

/** How long a primary is silent before it counts as dead; operators usually choose five to fifteen seconds. */
const downAfterMs = 2_000;

export type RedisTopology = {
  /** The value for `REDIS_URL`. */
  readonly url: string;
  readonly caFile: string | undefined;
  /** Kills the primary that holds a key; undefined if no other could take over. */
  readonly killPrimaryOf: ((key: string) => Promise<void>) | undefined;
  /** Waits until another process serves the key, and accepts writes. */
  readonly awaitPrimaryOf: (key: string) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Server = RunningStore & { readonly admin: Redis };

/** The processes and the folder of one topology. */
class ServerGroup {
  readonly folder: string;
  readonly tls: RedisTls | undefined;
  readonly #servers: Server[] = [];

  static async make(options: { readonly withTls: boolean }): Promise<ServerGroup> {
    const folder = await makeTemporaryFolder();
    return new ServerGroup(
      folder,
      options.withTls ? await makeCertificates(folder, certifiedName) : undefined,
    );
  }

  private constructor(folder: string, tls: RedisTls | undefined) {
    this.folder = folder;
    this.tls = tls;
  }

  async start(
    name: string,
    settings: Readonly<Record<string, string>>,
    isSentinel = false,
  ): Promise<Server> {
    const store = await startRedis({
      dir: join(this.folder, name),
      log: () => undefined,
      password: isSentinel ? sentinelPassword : password,
      isSentinel,
      settings,
      ...(this.tls === undefined ? {} : { tls: this.tls }),
    });
    const admin = new Redis({
      port: store.port,
      password: isSentinel ? sentinelPassword : password,
      maxRetriesPerRequest: 1,
    });
    admin.on('error', () => undefined);
    const server = { ...store, admin };
    this.#servers.push(server);
    return server;
  }

  async kill(server: Server): Promise<void> {
    server.admin.disconnect();
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
  }

  async stop(): Promise<void> {
    for (const { admin } of this.#servers) admin.disconnect();
    await Promise.all(this.#servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function startTopology(
  withTls: boolean,
  start: (group: ServerGroup) => Promise<Omit<RedisTopology, 'caFile' | symbol>>,
): Promise<RedisTopology> {
  const group = await ServerGroup.make({ withTls });
  try {
    const started = await start(group);
    return {
      ...started,
      caFile: group.tls?.caFile,
      [Symbol.asyncDispose]: () => group.stop(),
    };
  } catch (error) {
    await group.stop();
    throw error;
  }
}

async function infoOf({ admin }: Server, name: string): Promise<string | undefined> {
  const info = await admin.info('replication').catch(() => '');
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
}

const encodedPassword = encodeURIComponent(password);

/** One server that accepts only TLS, with a certificate of a private authority. */
export function startTlsServer(): Promise<RedisTopology> {
  return startTopology(true, async (group) => {
    const { port } = await group.start('server', {});
    return {
      url: `rediss://:${encodedPassword}@127.0.0.1:${port}`,
      killPrimaryOf: undefined,
      awaitPrimaryOf: () => Promise.resolve(),
    };
  });
}

/** A primary and two replicas, watched by three sentinels. */
export function startSentinelSet(): Promise<RedisTopology> {
  return startTopology(false, async (group) => {
    const primary = await group.start('server-0', { masterauth: password });
    const replicaSettings = { masterauth: password, replicaof: `127.0.0.1 ${primary.port}` };
    const replicas = await Promise.all(
      [1, 2].map((n) => group.start(`server-${n}`, replicaSettings)),
    );
    const servers = [primary, ...replicas];
    await waitUntil('the replicas follow the primary', async () => {
      const states = await Promise.all(replicas.map((one) => infoOf(one, 'master_link_status')));
      return states.every((state) => state === 'up');
    });
    const sentinels = await Promise.all(
      [0, 1, 2].map((n) =>
        group.start(
          `sentinel-${n}`,
          {
            'sentinel monitor': `${setName} 127.0.0.1 ${primary.port} 2`,
            'sentinel auth-pass': `${setName} ${password}`,
            'sentinel down-after-milliseconds': `${setName} ${downAfterMs}`,
            'sentinel failover-timeout': `${setName} 10000`,
          },
          true,
        ),
      ),
    );
    await waitUntil('the sentinels know each other and the replicas', async () => {
      const views = await Promise.all(
        sentinels.map(({ admin }) => admin.call('SENTINEL', 'MASTER', setName)),
      );
      return views.every((view) => {
        const words = (view as string[]).map(String);
        const valueOf = (name: string): string | undefined => words[words.indexOf(name) + 1];
        return valueOf('num-other-sentinels') === '2' && valueOf('num-slaves') === '2';
      });
    });
    const findPrimary = async (): Promise<Server | undefined> => {
      for (const server of servers)
        if ((await infoOf(server, 'role')) === 'master' && !(await hasEnded(server))) return server;
      return undefined;
    };
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
    return {
      url: `redis+sentinel://:${encodedPassword}@${hosts}/${setName}?sentinel_password=${sentinelPassword}`,
      killPrimaryOf: async () => {
        const found = await findPrimary();
        if (found === undefined) throw new Error('no server is the primary');
        servers.splice(servers.indexOf(found), 1);
        await group.kill(found);
      },
      awaitPrimaryOf: async () => {
        await waitUntil('a replica was promoted', findPrimary);
      },
    };
  });
}

async function hasEnded(server: Server): Promise<boolean> {
  return Promise.race([server.exited.then(() => true), Promise.resolve(false)]);
}

const clusterPrimaries = 3;
const slotCount = 16_384;

/** Three primaries with a replica each. */
export function startRedisCluster(): Promise<RedisTopology> {
  return startTopology(false, async (group) => {
    const busPorts = await Promise.all(
      Array.from({ length: 2 * clusterPrimaries }, () => findFreePort()),
    );
    const servers = await Promise.all(
      busPorts.map((busPort, n) =>
        group.start(`node-${n}`, {
          masterauth: password,
          'cluster-enabled': 'yes',
          'cluster-config-file': 'nodes.conf',
          'cluster-port': String(busPort),
          'cluster-node-timeout': String(downAfterMs),
          // The replicas need no old data: what is in Redis may be lost.
          'cluster-replica-validity-factor': '0',
        }),
      ),
    );
    const primaries = servers.slice(0, clusterPrimaries);
    const bound = (n: number): number => Math.floor((n * slotCount) / clusterPrimaries);
    for (const [n, { admin }] of primaries.entries()) {
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', bound(n), bound(n + 1) - 1);
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
    }
    const [first] = servers;
    if (first === undefined) throw new Error('a cluster has nodes');
    for (const [n, { port }] of servers.entries())
      await first.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[n] ?? 0);
    const clusterInfo = async ({ admin }: Server): Promise<string> =>
      String(await admin.call('CLUSTER', 'INFO').catch(() => ''));
    const awaitAll = (what: string, pattern: RegExp): Promise<unknown> =>
      waitUntil(what, async () =>
        (await Promise.all(servers.map(clusterInfo))).every((info) => pattern.test(info)),
      );
    await awaitAll('the nodes know each other', /cluster_known_nodes:6\b/);
    for (const [n, { admin }] of servers.slice(clusterPrimaries).entries())
      await admin.call(
        'CLUSTER',
        'REPLICATE',
        String(await primaries[n]?.admin.call('CLUSTER', 'MYID')),
      );
    await awaitAll('the cluster is complete', /cluster_state:ok/);
    await waitUntil('the replicas follow their primaries', async () => {
      const links = await Promise.all(
        servers.slice(clusterPrimaries).map((one) => infoOf(one, 'master_link_status')),
      );
      return links.every((link) => link === 'up');
    });
    /** The running process that is the primary of the key's slot, and accepts writes. */
    const findPrimary = async (key: string): Promise<Server | undefined> => {
      for (const server of servers) {
        // Every node except the one with the slot answers with a redirection.
        const answer = await server.admin.expire(key, 60, 'NX').catch(() => undefined);
        if (answer !== undefined) return server;
      }
      return undefined;
    };
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join();
    return {
      url: `redis+cluster://:${encodedPassword}@${hosts}`,
      killPrimaryOf: async (key) => {
        const found = await findPrimary(key);
        if (found === undefined) throw new Error('no node has the slot');
        servers.splice(servers.indexOf(found), 1);
        await group.kill(found);
      },
      awaitPrimaryOf: async (key) => {
        await waitUntil('a replica took over', () => findPrimary(key), {});
      },
    };
  });
}
