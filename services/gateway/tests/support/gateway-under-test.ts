import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { serviceConfigFrom } from '@parley/config';
import { foldName } from '@parley/api';
import type { Pool } from '@parley/database';
import { startService } from '@parley/server';
import type { RunningService } from '@parley/server';
import { verifyIdentity } from '@parley/identity';
import type { VerifiedIdentity } from '@parley/identity';
import { createLogger } from '@parley/logging';
import { ServiceLease } from '@parley/placement';
import { connectForRequests, leasesChannel } from '@parley/redis';
import type { Redis } from '@parley/redis';
import { deriveKeySecrets } from '@parley/secrets';
import { generateApiKey, setApiKey } from '@parley/store';
import { NodeLinks, linkPath } from '@parley/links';
import type { LinkAnswer, ReceivedRequest } from '@parley/links';
import {
  createRedisPrefix,
  createTestDatabase,
  getTestStores,
  openTestPool,
  waitUntil,
} from '@parley/test-kit';

import { startGateway } from '../../src/service.ts';

export type UpstreamHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void;

/** Answers the requests on the links of an upstream; a stream may have parts before its answer. */
export type LinkHandler = (
  request: ReceivedRequest,
  tell: (part: LinkAnswer) => void,
) => Promise<LinkAnswer>;

/** A bare HTTP server that holds a lease. It can do what real services do, and what they must not do. */
export type Upstream = {
  readonly nodeId: string;
  readonly port: number;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly lease: ServiceLease;
  handler: UpstreamHandler;
  /** Answers requests of links; undefined for a node that knows no links, like those of older releases. */
  linkHandler: LinkHandler | undefined;
  readonly links: NodeLinks;
  /** Requests of links in the order of their arrival. */
  readonly arrived: ReceivedRequest[];
  /** Requests in the order of their arrival. */
  readonly seen: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[];
  /** Breaks all connections and stops listening; the lease stays, as after a crash. */
  readonly crash: () => Promise<void>;
};

export type TestUser = { readonly userId: number; readonly email: string; apiKey: string };

const internalSecret = 'i'.repeat(40);
const keySecret = 'k'.repeat(40);
const silentLog = createLogger({ service: 'gateway', nodeId: 'test', level: 'fatal' });

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A gateway in this process with its own stores, and with upstreams scripted by a test. */
export class GatewayUnderTest {
  readonly running: RunningService;
  readonly pool: Pool;
  readonly redisPrefix: string;
  readonly #redis: Redis;
  readonly #upstreams: Upstream[] = [];
  readonly #drop: () => Promise<void>;

  static async start(
    environment: Readonly<Record<string, string>> = {},
  ): Promise<GatewayUnderTest> {
    const database = await createTestDatabase();
    const redisPrefix = createRedisPrefix();
    const texts = new Map(
      Object.entries({
        DATABASE_URL: database.url,
        REDIS_URL: getTestStores().redisUrl,
        PARLEY_REDIS_PREFIX: redisPrefix,
        PARLEY_HOST: '127.0.0.1',
        PARLEY_PORT: '0',
        PARLEY_INTERNAL_PORT: '0',
        PARLEY_INTERNAL_SECRET: internalSecret,
        PARLEY_KEY_SECRET: keySecret,
        PARLEY_RATE_LIMITS: 'off',
        PARLEY_UPSTREAM_TIMEOUT_SECS: '2',
        PARLEY_DATABASE_POOL_MAX: '3',
        PARLEY_DRAIN_TIMEOUT_SECS: '2',
        PARLEY_WEB_DIR: '/nowhere',
        ...environment,
      }),
    );
    const config = serviceConfigFrom({ texts, faults: [] }, 'gateway');
    const running = await startService(config, startGateway, silentLog);
    const pool = openTestPool(database.url, 3);
    const redis = connectForRequests(config.redis, silentLog);
    const followers = async (): Promise<unknown> =>
      (await redis.pubsub('NUMSUB', leasesChannel(redisPrefix)))[1];
    await waitUntil('the gateway follows hints', followers, { pauseMs: 5 });
    return new GatewayUnderTest(running, { pool, redis, redisPrefix }, database.drop);
  }

  private constructor(
    running: RunningService,
    stores: { readonly pool: Pool; readonly redis: Redis; readonly redisPrefix: string },
    drop: () => Promise<void>,
  ) {
    this.running = running;
    this.pool = stores.pool;
    this.#redis = stores.redis;
    this.redisPrefix = stores.redisPrefix;
    this.#drop = drop;
  }

  get url(): string {
    return `http://127.0.0.1:${this.running.address.port}`;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.running.address.internalPort}`;
  }

  /** Adds a listening upstream with a lease, and waits until the gateway chooses it. */
  async addUpstream(
    service: string,
    handler: UpstreamHandler,
    options: {
      readonly nodeId?: string;
      readonly isCurrent?: () => boolean;
      readonly linkHandler?: LinkHandler;
    } = {},
  ): Promise<Upstream> {
    const sockets = new Set<Socket>();
    const nodeId = options.nodeId ?? `${service}-${randomBytes(4).toString('hex')}`;
    const server = createServer((request, response) => {
      if (request.url === linkPath) {
        response.writeHead(404).end();
        return;
      }
      readAll(request).then(
        (body) => {
          const { method = '', url = '', headers } = request;
          upstream.seen.push({ method, url, headers, body });
          upstream.handler(request, response, body);
        },
        () => undefined,
      );
    });
    const arrived: ReceivedRequest[] = [];
    const links = new NodeLinks({
      identitySecrets: [internalSecret],
      answer: (request, reply) => {
        arrived.push(request);
        void upstream.linkHandler?.(request, reply).then(reply);
      },
      onFault: () => undefined,
    });
    if (options.linkHandler !== undefined)
      server.on('upgrade', (request, _socket, head) => links.accept(request, head));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const lease = new ServiceLease({
      database: this.pool,
      redis: this.#redis,
      keyPrefix: this.redisPrefix,
      service,
      nodeId,
      address: `127.0.0.1:${port}`,
      log: silentLog,
      ...(options.isCurrent === undefined ? {} : { isCurrent: options.isCurrent }),
    });
    const upstream: Upstream = {
      nodeId,
      port,
      server,
      sockets,
      lease,
      handler,
      linkHandler: options.linkHandler,
      links,
      arrived,
      seen: [],
      crash: async () => {
        for (const socket of sockets) socket.destroy();
        if (server.listening) await new Promise((resolve) => server.close(resolve));
      },
    };
    this.#upstreams.push(upstream);
    await lease.start();
    await this.waitForNextRead();
    return upstream;
  }

  /** Waits until the gateway has read leases and account changes again. The second read from now certainly begins after now. */
  async waitForNextRead(): Promise<void> {
    const readCount = async (): Promise<number> => {
      const { rows } = await this.pool.query<{ calls: string }>(
        `SELECT coalesce(max(query_start), 'epoch')::text AS calls FROM pg_stat_activity
         WHERE application_name LIKE 'parley-gateway-leases%' AND datname = current_database()`,
      );
      return Date.parse(rows[0]?.calls ?? '');
    };
    let last = await readCount();
    for (let seen = 0; seen < 2; seen += 1) {
      await this.#redis.publish(leasesChannel(this.redisPrefix), 'read');
      last = await waitUntil(
        'the gateway reads leases',
        async () => {
          const next = await readCount();
          return next !== last ? next : false;
        },
        { pauseMs: 5 },
      );
    }
  }

  async addUser(
    change: {
      readonly botType?: number;
      readonly botOwnerId?: number;
      readonly isActive?: boolean;
    } = {},
  ): Promise<TestUser> {
    const email = `user-${randomBytes(4).toString('hex')}@example.com`;
    const { rows } = await this.pool.query<{ id: number }>(
      `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, bot_type, is_active, bot_owner_id)
       VALUES ($1, $2, 'Test', 'TEST', 'test', $3, $4, $5) RETURNING id`,
      [
        email,
        foldName(email),
        change.botType ?? null,
        change.isActive ?? true,
        change.botOwnerId ?? null,
      ],
    );
    const userId = rows[0]?.id ?? 0;
    const apiKey = await setApiKey(
      this.pool,
      deriveKeySecrets(keySecret),
      userId,
      generateApiKey(),
    );
    return { userId, email, apiKey };
  }

  /** Changes an account like its owner: the change and its announcement are in one transaction. */
  async changeAccount(
    userId: number,
    change: { readonly isActive?: boolean; readonly apiKey?: string },
  ): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      if (change.isActive !== undefined) {
        await client.query('UPDATE users SET is_active = $2 WHERE id = $1', [
          userId,
          change.isActive,
        ]);
      }
      if (change.apiKey !== undefined) {
        await setApiKey(client, deriveKeySecrets(keySecret), userId, change.apiKey);
      }
      await client.query(
        'INSERT INTO account_changes (position, user_id) SELECT coalesce(max(position), 0) + 1, $1 FROM account_changes',
        [userId],
      );
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.internalUrl}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  async stop(): Promise<void> {
    await this.running.stop();
    for (const upstream of this.#upstreams) {
      await upstream.lease.end();
      await upstream.crash();
    }
    this.#redis.disconnect();
    await this.pool.end();
    await this.#drop();
  }
}

export function authorization(user: TestUser): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString('base64')}`,
  };
}

/** The caller that the gateway named to an upstream. */
export function identityOf(headers: IncomingMessage['headers']): VerifiedIdentity | undefined {
  return verifyIdentity(
    internalSecret,
    headers['x-parley-identity'] as string | undefined,
    Date.now(),
  );
}

export function answerJson(response: ServerResponse, body: object, status = 200): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

export const success = { result: 'success', msg: '' };
