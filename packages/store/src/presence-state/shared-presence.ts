import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { keyNames, onMayHaveLost } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { presenceClientsMax } from '../index.ts';
import type { PresenceStatus } from '../index.ts';

import { isNews, staleAfterMs, takeStates } from './client-states.ts';
import type { AppliedReport, ClientState, ClientStates, Report } from './client-states.ts';

const script = readFileSync(new URL('presence.lua', import.meta.url), 'utf8');

/** The command that a connection learns; ioredis sends the script's hash, and the text only where Redis does not know it. */
const commandName = 'parleyPresence';

type Item = string | number;
type RunScript = (keyCount: number, ...keysAndArguments: Item[]) => Promise<Item[]>;

/** Keys that nobody touched for longer go; they are filled again from Postgres. */
const keysLifetimeSecs = 15 * 86_400;

/** The people in one step of a merge, so that no step blocks Redis for long. */
const mergedPerStep = 200;

const noClients: ClientStates = new Map();

/** Outcomes of a report in the script. */
const news = 2;

type ScriptAnswer = {
  readonly outcome: number;
  readonly takenAtMs: number;
  readonly generation: string;
};

function encode(states: ClientStates): string {
  return JSON.stringify(
    Object.fromEntries(
      [...states].map(([client, { status, reportedAtMs }]) => [client, [status, reportedAtMs]]),
    ),
  );
}

function decode(text: string): ClientStates {
  const clients = JSON.parse(text) as Record<string, [PresenceStatus, number]>;
  return new Map(
    Object.entries(clients).map(([client, [status, reportedAtMs]]): [string, ClientState] => [
      client,
      { status, reportedAtMs },
    ]),
  );
}

/**
 * The presence of everybody as Redis has it, with a copy in memory: each answer of Redis brings what changed since the last one,
 * so after it the copy is exact, whichever replica took the reports, and a report is one round trip.
 */
export class SharedPresence {
  readonly #run: RunScript;
  readonly #keys: readonly [string, string];
  readonly #states = new Map<number, ClientStates>();
  #newsCount = 0;
  #generation = '';
  #version = 0;

  /** @param options.redis a connection for requests: it fails at once while Redis is away */
  constructor(options: { readonly redis: Redis; readonly keyPrefix: string }) {
    const { redis, keyPrefix } = options;
    redis.defineCommand(commandName, { lua: script });
    const commands = redis as unknown as Record<typeof commandName, RunScript>;
    this.#run = (...given) => commands[commandName](...given);
    const names = keyNames(keyPrefix, redis);
    this.#keys = [names.presence, names.presenceChanges];
    // It may be another Redis, or an older state of this one, where these versions have no meaning.
    onMayHaveLost(redis, () => {
      this.#generation = '';
    });
  }

  /** Names the filling of Redis that gave the last answer; empty when there was none since the connection. */
  get generation(): string {
    return this.#generation;
  }

  /** By user id, as of the last answer. */
  get states(): ReadonlyMap<number, ClientStates> {
    return this.#states;
  }

  /** Grows whenever `states` changes in more than the time of a report: by a client, a status or a return. */
  get newsCount(): number {
    return this.#newsCount;
  }

  /**
   * Accepts a report.
   *
   * @returns as `applyReport`, with the generation of Redis that has it; undefined if Redis holds nothing and must be filled
   * @throws Error while Redis is away
   */
  async report(
    userId: number,
    { client, status, nowMs }: Report,
  ): Promise<(AppliedReport & { readonly generation: string }) | undefined> {
    const answer = await this.#ask('report', userId, client, status, nowMs, staleAfterMs);
    if (answer === undefined) return undefined;
    // The copy may already have passed the position at which this report was lost.
    const { outcome, takenAtMs: reportedAtMs, generation } = answer;
    const taken = outcome === 0 ? undefined : { status, reportedAtMs };
    return { taken, isNews: outcome === news, generation };
  }

  /**
   * Makes `states` exact.
   *
   * @returns whether Redis holds everybody's presence; if not, it must be filled
   * @throws Error while Redis is away
   */
  async refresh(): Promise<boolean> {
    return (await this.#ask('read')) !== undefined;
  }

  /**
   * Merges states from elsewhere into Redis; each client keeps its newer state.
   *
   * @param isComplete together with it Redis holds everything, and may answer from now on
   * @throws Error while Redis is away, or when it lost half of what makes it complete
   */
  async merge(known: ReadonlyMap<number, ClientStates>, isComplete: boolean): Promise<void> {
    const people = [...known];
    const begins = isComplete ? randomBytes(8).toString('hex') : '';
    for (let first = 0; first < people.length || (isComplete && first === 0);) {
      const step = people.slice(first, first + mergedPerStep);
      const isFirst = isComplete && first === 0;
      first += mergedPerStep;
      const isLast = isComplete && first >= people.length;
      const pairs = step.flatMap(([userId, states]) => [userId, encode(states)]);
      const [isDone] = await this.#command(
        'merge',
        begins,
        Number(isFirst),
        Number(isLast),
        ...pairs,
      );
      if (isDone === undefined) throw new Error('Redis lost presence while it was filled');
    }
  }

  /** Merges states from elsewhere into `states` while Redis is down. */
  adopt(known: ReadonlyMap<number, ClientStates>): void {
    takeStates(this.#states, known);
    this.#newsCount += 1;
  }

  #set(userId: number, states: ClientStates): void {
    if (isNews(this.#states.get(userId) ?? noClients, states)) this.#newsCount += 1;
    this.#states.set(userId, states);
  }

  #command(operation: string, ...rest: Item[]): Promise<Item[]> {
    return this.#run(
      2,
      ...this.#keys,
      operation,
      this.#generation,
      this.#version,
      keysLifetimeSecs,
      presenceClientsMax,
      ...rest,
    );
  }

  async #ask(operation: 'report' | 'read', ...rest: Item[]): Promise<ScriptAnswer | undefined> {
    const [isFilled, outcome, takenAtMs, generation, version, isComplete, ...pairs] =
      await this.#command(operation, ...rest);
    if (isFilled === undefined) return undefined;
    if (isComplete === 1) {
      this.#states.clear();
      this.#newsCount += 1;
    }
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      const userId = Number(pairs[index]);
      if (Number.isInteger(userId)) this.#set(userId, decode(String(pairs[index + 1])));
    }
    this.#generation = String(generation);
    this.#version = Number(version);
    return {
      outcome: Number(outcome),
      takenAtMs: Number(takenAtMs),
      generation: this.#generation,
    };
  }
}
