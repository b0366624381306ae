import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { serviceConfigFrom } from '@parley/config';
import { foldName } from '@parley/api';
import { createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { startService } from '@parley/server';
import type { RunningService } from '@parley/server';
import { verifyIdentity } from '@parley/auth/identity';
import type { VerifiedIdentity } from '@parley/auth/identity';
import { createLogger } from '@parley/telemetry/logging';
import { ServiceLease } from '@parley/cluster/placement';
import { connectForRequests } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { generateApiKey, setApiKey } from '@parley/store';
import { NodeLinks } from '@parley/server/links';
import type { Fields, LinkAnswer, ReceivedRequest } from '@parley/server/links';
import { createRedisPrefix, createTestDatabase, getTestStores, waitUntil } from '@parley/test-kit';

import { startGateway } from '../../src/service.ts';

/** Answers a request on the link of a node. A stream may have parts before its answer, and a request may stay without one. */
export type NodeHandler = (
  request: ReceivedRequest,
  tell: (part: LinkAnswer) => void,
  node: Upstream,
) => LinkAnswer | Promise<LinkAnswer> | undefined;

/** A node without a service, which holds a lease. It can do what real services do, and what they must not do. */
export type Upstream = {
  readonly nodeId: string;
  readonly port: number;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly lease: ServiceLease;
  /** Whether its lease is renewed. It lapses four seconds after the last renewal. */
  isCurrent: boolean;
  handler: NodeHandler;
  readonly links: NodeLinks;
  /** Requests in the order of their arrival. */
  readonly arrived: ReceivedRequest[];
  /** Uploads in the order of their arrival. */
  readonly uploads: {
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  /** Resolves when the condition holds. It is checked when a request arrives or is cancelled, and when a connection begins or ends. */
  readonly until: (condition: () => boolean) => Promise<void>;
  /** Breaks all connections, and goes on listening. */
  readonly breakOff: () => void;
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

/** A gateway in this process with its own stores, and with upstreams scripted by a test. A test moves its time, unless it has that of the machine. */
export class GatewayUnderTest {
  readonly running: RunningService;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly redisPrefix: string;
  readonly #redis: Redis;
  readonly #upstreams: Upstream[] = [];
  readonly #drop: () => Promise<void>;

  static async start(
    environment: Readonly<Record<string, string>> = {},
    clock: Clock = new MovedClock(),
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
        PARLEY_DATABASE_POOL_MAX: '3',
        PARLEY_WEB_DIR: '/nowhere',
        ...environment,
      }),
    );
    const config = serviceConfigFrom({ texts, faults: [] }, 'gateway');
    const running = await startService(config, startGateway, { log: silentLog, clock });
    const pool = createPool({
      databaseUrl: database.url,
      clock,
      applicationName: 'parley tests',
      connectionsMax: 3,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 15_000,
      onError: () => undefined,
    });
    const redis = connectForRequests(config.redis, silentLog, clock);
    await once(redis, 'ready');
    return new GatewayUnderTest(running, { pool, redis, redisPrefix }, database.drop);
  }

  private constructor(
    running: RunningService,
    stores: { readonly pool: Pool; readonly redis: Redis; readonly redisPrefix: string },
    drop: () => Promise<void>,
  ) {
    this.running = running;
    this.clock = running.frame.clock;
    this.pool = stores.pool;
    this.#redis = stores.redis;
    this.redisPrefix = stores.redisPrefix;
    this.#drop = drop;
  }

  /** The clock that a test moves. */
  get movedClock(): MovedClock {
    if (this.clock instanceof MovedClock) return this.clock;
    throw new Error('this gateway has the time of the machine');
  }

  get url(): string {
    return `http://127.0.0.1:${this.running.address.port}`;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.running.address.internalPort}`;
  }

  /** Adds a listening node with a lease, and waits until the gateway chooses it. */
  async addUpstream(
    service: string,
    handler: NodeHandler = () => answerOf(success),
  ): Promise<Upstream> {
    const changes = new EventEmitter().setMaxListeners(0);
    const sockets = new Set<Socket>();
    const nodeId = `${service}-${randomBytes(4).toString('hex')}`;
    // The gateway alone decides when an idle connection ends, as with services.
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      readAll(request).then(
        (body) => {
          const { url = '', headers } = request;
          upstream.uploads.push({ url, headers, body });
          response.end(JSON.stringify(success));
          changes.emit('change');
        },
        () => undefined,
      );
    });
    const arrived: ReceivedRequest[] = [];
    const links = new NodeLinks({
      clock: this.clock,
      identitySecrets: [internalSecret],
      answer: (request, reply) => {
        arrived.push(request);
        request.signal.addEventListener('abort', () => changes.emit('change'));
        const answer = upstream.handler(request, reply, upstream);
        if (answer instanceof Promise) void answer.then(reply);
        else if (answer !== undefined) reply(answer);
        changes.emit('change');
      },
      onFault: () => undefined,
    });
    server.on('upgrade', (request, _socket, head) => links.accept(request, head));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        // After what its end means for the requests on it.
        setImmediate(() => changes.emit('change'));
      });
      changes.emit('change');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const lease = new ServiceLease({
      clock: this.clock,
      database: this.pool,
      redis: this.#redis,
      keyPrefix: this.redisPrefix,
      service,
      nodeId,
      address: `127.0.0.1:${port}`,
      log: silentLog,
      isCurrent: () => upstream.isCurrent,
    });
    const upstream: Upstream = {
      nodeId,
      port,
      server,
      sockets,
      lease,
      isCurrent: true,
      handler,
      links,
      arrived,
      uploads: [],
      until: async (condition) => {
        while (!condition()) await once(changes, 'change');
      },
      breakOff: () => {
        for (const socket of sockets) socket.destroy();
      },
      crash: async () => {
        upstream.breakOff();
        if (server.listening) await new Promise((resolve) => server.close(resolve));
      },
    };
    this.#upstreams.push(upstream);
    await lease.start();
    await this.catchUp();
    return upstream;
  }

  /** Waits until everything has happened that earlier requests and changes cause. */
  async settle(): Promise<void> {
    await this.#settleExcept();
  }

  /** As `settle`, but requests may stay open, because their upstreams do not answer. */
  async catchUp(): Promise<void> {
    await this.#settleExcept('requests');
  }

  /** Moves the time. What becomes due, such as the renewal of a lease, happens at its own time. */
  async advance(ms: number): Promise<void> {
    await this.movedClock.advance(ms, () => this.catchUp());
    await this.catchUp();
  }

  /** Moves the time to a limit, at which one of the open requests ends, and no sooner. */
  async reachLimit(ms: number, open = 1): Promise<void> {
    await this.advance(ms - 1);
    assert.equal(await this.openRequests(), open, 'a request ended before the limit');
    await this.advance(1);
    assert.equal(await this.openRequests(), open - 1, 'no request ended at the limit');
  }

  async #settleExcept(...ignored: readonly string[]): Promise<void> {
    for (let isBusy = true; isBusy;) {
      await Promise.all(this.#upstreams.map(({ lease }) => lease.settle()));
      const busy = await this.running.settle();
      isBusy = busy.some((name) => !ignored.includes(name));
      await nextTurn();
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

  /** Ends all upstreams as if there had been none. */
  async removeUpstreams(): Promise<void> {
    for (const upstream of this.#upstreams.splice(0)) {
      await upstream.lease.end();
      await upstream.crash();
    }
    await this.pool.query({ text: 'DELETE FROM service_leases' });
    await this.settle();
  }

  /** The number of requests without an answer, polls and streams included. */
  async openRequests(): Promise<number> {
    return this.metric('parley_http_requests_in_flight');
  }

  /** Waits until this many requests have arrived and have no answer. */
  async untilOpen(count: number): Promise<void> {
    await waitUntil(
      `${count} requests are open`,
      async () => (await this.openRequests()) === count,
    );
  }

  /** Waits until this many polls are held, whose time has begun. */
  async untilHeld(count: number): Promise<void> {
    await waitUntil(
      `${count} polls are held`,
      async () => (await this.metric('parley_gateway_held_polls')) === count,
    );
  }

  async stop(): Promise<void> {
    // Polls that are still held end by the clock.
    const stopFlow = this.clock instanceof MovedClock ? this.clock.flow() : undefined;
    await this.running.stop();
    stopFlow?.();
    await this.removeUpstreams();
    this.#redis.disconnect();
    await this.pool.end();
    await this.#drop();
  }

  /** The caller that the gateway named to an upstream. */
  identityOf(headers: IncomingMessage['headers']): VerifiedIdentity | undefined {
    return verifyIdentity(
      internalSecret,
      headers['x-parley-identity'] as string | undefined,
      this.clock.nowMs(),
    );
  }
}

export function authorization(user: TestUser): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString('base64')}`,
  };
}

export const success = { result: 'success', msg: '' };

/** The answer of a node. */
export function answerOf(
  json: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): LinkAnswer {
  return { status, kind: 'json', headers, shared: JSON.stringify(json), own: '' };
}

/** Gives no answer. */
export function hold(): undefined {
  return undefined;
}

/** A field of a form. */
export function formFieldOf({ body }: ReceivedRequest, name: string): string | undefined {
  return new Map(JSON.parse(body.toString() || '[]') as Fields).get(name);
}
