/** An organization at work: teams with a stream each, a queue and a held poll for everybody, and the mix of their requests. */
import { setTimeout as pause } from 'node:timers/promises';

import type { Pool } from '@parley/database';

import { makeBacklog } from './backlog.ts';
import { Fleet } from './fleet/fleet.ts';
import type { ClientOutcome, ClientPlan, RequestKind } from './fleet/clients.ts';
import { messageMark, nowMs } from './fleet/protocol.ts';
import type { FleetAccount, Window } from './fleet/protocol.ts';
import { GeneratorProcess } from './generator-process.ts';
import { Latencies } from './latencies.ts';
import type { LoadSystem } from './load-system.ts';
import { watchLoops } from './loop-watch.ts';
import { credentialsOf, makeAccounts } from './make-people.ts';
import { acceptGzip, pathOfPage, reportFirst, writeGet, writePost } from './requests.ts';
import type { Rig } from './rig.ts';
import type { Shot } from './scenario.ts';

/**
 * Of a thousand requests of a real organization 440 are polls, 360 reports of presence, 60 changes of flags, 40 pages of history
 * and 30 sends; the rest are small reads. The polls follow from the rest: each send is an event for a team, and each change of
 * flags one for the user who makes it. Answers are compressed, as for most clients.
 */
const weights = { presence: 360, flags: 60, history: 40, send: 30, small_read: 70 } as const;
const shareOfPolls = 0.44;
const reportsPerPersonAndSecond = 1 / 60;

/** @returns requests per second, including polls, of this many people online, who report presence once a minute */
export function rateOf(people: number): number {
  const shareOfReports =
    weights.presence /
    (weights.presence + weights.flags + weights.history + weights.send + weights.small_read);
  return (people * reportsPerPersonAndSecond) / (shareOfReports * (1 - shareOfPolls));
}
const teamSize = 13;
const messagesPerTeam = 50;
const flaggedAtOnce = 5;
const pageLength = 50;
const sendsBound = 100_000;
const requestsAtOnce = 16;
const tailMs = 250;
const ok = '"result":"success"';
const queueOf = new URLSearchParams({
  event_types: JSON.stringify(['message', 'update_message_flags', 'presence']),
  fetch_event_types: '[]',
}).toString();

export class Office {
  readonly people: number;
  readonly #system: LoadSystem;
  readonly #pool: Pool;
  readonly #fleet: Fleet;
  readonly #mixing: GeneratorProcess<ClientPlan, ClientOutcome>;
  readonly #kinds: readonly RequestKind[];
  readonly #teams: readonly Team[];
  #nextMessage = 0;

  /**
   * Creates an organization of about this many people, who have reported their presence and hold a poll each.
   *
   * @param rig stops its generators
   */
  static async open(system: LoadSystem, people: number, rig: Rig): Promise<Office> {
    const { organization } = system;
    const teamCount = Math.max(1, Math.round(people / teamSize));
    rig.say(`Making ${teamCount} teams of ${teamSize} people ...`);
    const made = await makeAccounts(organization, teamCount * teamSize, 'of the office');
    const accounts = credentialsOf(made);
    const streams = await organization.maker.makeStreams(
      Array.from({ length: teamCount }, (_, n) => ({ name: `team ${n}` })),
    );
    const teams: Team[] = [];
    for (const [n, stream] of streams.entries()) {
      const [from, to] = [n * teamSize, (n + 1) * teamSize];
      const users = made.slice(from, to).map(({ user }) => user.id);
      await organization.maker.subscribe(stream.id, users);
      teams.push({ streamName: stream.name, users, accounts: accounts.slice(from, to) });
    }
    const messageIds = await makeBacklog(
      organization,
      teams.map(({ streamName, users }) => ({
        senderId: users[0] ?? 0,
        streamName,
        topic: 'the past',
      })),
      teamCount * messagesPerTeam,
    );
    const url = system.urls[0] ?? '';
    await reportFirst(url, accounts, requestsAtOnce);
    const fleet = await Fleet.register(system.urls, accounts, requestsAtOnce, 'polls', queueOf);
    rig.addGenerators(fleet);
    await fleet.hold(requestsAtOnce);
    const mixing = rig.addGenerators(GeneratorProcess.ofClients());
    const kinds = writeKinds(url, teams, messageIds);
    return new Office({ system, pool: organization.maker.pool, fleet, mixing, kinds, teams });
  }

  private constructor(parts: {
    readonly system: LoadSystem;
    readonly pool: Pool;
    readonly fleet: Fleet;
    readonly mixing: GeneratorProcess<ClientPlan, ClientOutcome>;
    readonly kinds: readonly RequestKind[];
    readonly teams: readonly Team[];
  }) {
    this.#system = parts.system;
    this.#pool = parts.pool;
    this.#fleet = parts.fleet;
    this.#mixing = parts.mixing;
    this.#kinds = parts.kinds;
    this.#teams = parts.teams;
    this.people = parts.teams.length * teamSize;
  }

  /**
   * Runs everybody's work for a warm-up and a window.
   *
   * @param ratePerSecond of all requests, including polls; null for clients that each wait for their answer
   * @throws Error if a request failed, or a message did not reach everybody in its team exactly once
   */
  async work(
    rig: Rig,
    ratePerSecond: number | null,
    connections: number,
  ): Promise<Shot & { readonly polls: number }> {
    const written = await this.#countMessages();
    const window = rig.planWindow();
    await this.#fleet.startTally(this.#nextMessage, sendsBound, window);
    const mixing = this.#mixing.ask({
      urls: this.#system.urls,
      kinds: [...this.#kinds, this.#describeSends()],
      connections,
      ratePerSecond: ratePerSecond === null ? null : ratePerSecond * (1 - shareOfPolls),
      beginAtMs: nowMs(),
      endAtMs: window.toMs + tailMs,
      requestsMax: null,
      window,
    });
    const [mixed, measured, polls, loops] = await Promise.all([
      mixing,
      rig.measureWindow(window),
      this.#countPolls(window),
      watchLoops(this.#system, window),
    ]);
    this.#nextMessage += sendsBound;
    const sends = mixed.kinds.find(({ name }) => name === 'send');
    if (sends === undefined) throw new Error('nobody sent');
    await this.#fleet.waitForReceived(sends.count * teamSize);
    const added = (await this.#countMessages()) - written;
    if (added !== sends.count)
      throw new Error(`${added} messages are there of ${sends.count} that were acknowledged`);
    const tally = await this.#fleet.readTally();
    const answered = mixed.kinds.reduce((sum, { answeredInWindow }) => sum + answeredInWindow, 0);
    const operations = answered + polls;
    const { secs } = rig;
    return {
      operation: 'request',
      operations,
      measured,
      polls,
      figures: {
        requests_per_s: operations / secs,
        sends_per_s: sends.answeredInWindow / secs,
        deliveries_per_s: tally.receivedInWindow / secs,
        polls_per_thousand: (polls * 1_000) / Math.max(1, operations),
        late_p99_ms: Latencies.decode(mixed.lateness).at(99),
        ...loops,
      },
      latencies: {
        ...Object.fromEntries(
          mixed.kinds.map(({ name, latencies }) => [name, Latencies.decode(latencies)]),
        ),
        send_to_receive: tally.latencies,
      },
    };
  }

  #describeSends(): RequestKind {
    return {
      name: 'send',
      weight: weights.send,
      firstMessage: this.#nextMessage,
      step: 1,
      // The members of a team in turn, team after team.
      sends: Array.from({ length: teamSize }, (_, n) =>
        this.#teams.flatMap(({ streamName, accounts }) => {
          const sender = accounts[n];
          return sender === undefined ? [] : [{ streamName, topic: 'now', sender }];
        }),
      ).flat(),
    };
  }

  async #countPolls(window: Window): Promise<number> {
    const countAt = async (atMs: number): Promise<number> => {
      await pause(Math.max(0, atMs - nowMs()));
      return (await this.#fleet.readTally()).polls;
    };
    const before = await countAt(window.fromMs);
    return (await countAt(window.toMs)) - before;
  }

  async #countMessages(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>({
      text: 'SELECT count(*)::int AS count FROM messages WHERE starts_with(content, $1)',
      values: [messageMark],
    });
    return rows[0]?.count ?? 0;
  }
}

type Team = {
  readonly streamName: string;
  readonly users: readonly number[];
  readonly accounts: readonly FleetAccount[];
};

/** @param messageIds one for each team in turn */
function writeKinds(
  url: string,
  teams: readonly Team[],
  messageIds: readonly number[],
): readonly RequestKind[] {
  const everybody = teams.flatMap(({ streamName, accounts }, team) => {
    const ids = messageIds.filter((_, n) => n % teams.length === team).slice(-flaggedAtOnce);
    return accounts.map((account) => ({ account, streamName, messages: JSON.stringify(ids) }));
  });
  const flags = (op: 'add' | 'remove'): readonly string[] =>
    everybody.map(({ account, messages }) =>
      acceptGzip(
        writePost(url, '/api/v1/messages/flags', account, { messages, op, flag: 'starred' }),
      ),
    );
  const smallPaths = ['users/me', 'users/me/subscriptions', 'users/me/alert_words'];
  return [
    {
      name: 'presence',
      weight: weights.presence,
      expected: '"presences":',
      requests: everybody.map(({ account }) =>
        acceptGzip(writePost(url, '/api/v1/users/me/presence', account, { status: 'active' })),
      ),
    },
    // Each flag that is added is removed again, so that every request changes something.
    {
      name: 'flags',
      weight: weights.flags,
      expected: ok,
      requests: [...flags('add'), ...flags('remove')],
    },
    {
      name: 'history',
      weight: weights.history,
      expected: '"found_newest":true',
      requests: everybody.map(({ account, streamName }) => {
        const path = pathOfPage([{ operator: 'stream', operand: streamName }], pageLength);
        return acceptGzip(writeGet(url, path, account));
      }),
    },
    {
      name: 'small_read',
      weight: weights.small_read,
      expected: ok,
      requests: everybody.map(({ account }, n) =>
        acceptGzip(writeGet(url, `/api/v1/${smallPaths[n % smallPaths.length]}`, account)),
      ),
    },
  ];
}
