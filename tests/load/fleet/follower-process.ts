/** A process of followers, started by `Fleet`. It executes one command after the other until it is disconnected. */
import { churn } from './churn.ts';
import { Follower, Notes } from './follower.ts';
import { HttpConnection } from './http-connection.ts';
import { NchanFollower } from './nchan-follower.ts';
import type { Command, Outcome, Reply } from './protocol.ts';
import { nowMs } from './protocol.ts';
import { StreamFollower } from './stream-follower.ts';
import { Tally } from './tally.ts';

// Connections in excess of a listening socket's queue would wait for the kernel's second attempt.
const connectionsAtOnceMax = 256;

type Answer = Extract<Reply, { readonly ok: true }>['result'];

class FollowerProcess {
  #notes = new Notes();
  #followers: Follower[] = [];
  #churning = new AbortController();
  #churned: Promise<void> = Promise.resolve();

  async run(command: Command): Promise<Answer> {
    switch (command.act) {
      case 'register': {
        const { accounts, urls } = command;
        const from = this.#followers.length;
        this.#followers.push(
          ...accounts.map((account, n) => {
            const url = urls[(from + n) % urls.length] ?? '';
            if (command.of === 'nchan') return new NchanFollower(from + n, url, this.#notes);
            const OneOf = command.of === 'streams' ? StreamFollower : Follower;
            return new OneOf(from + n, url, account, this.#notes);
          }),
        );
        const added = this.#followers.slice(from);
        return this.#inTurn(added, command.atOnce, (follower, connection) =>
          follower.register(connection, command.parameters),
        );
      }
      case 'touch':
        return this.#inTurn(
          this.#followers.slice(0, command.followers),
          command.atOnce,
          (follower, connection) => follower.touch(connection),
        );
      case 'hold':
        return this.#inTurn(
          this.#followers.slice(0, command.followers).filter(({ isHeld }) => !isHeld),
          Math.min(command.atOnce, connectionsAtOnceMax),
          (follower) =>
            new Promise((resolve) => {
              void follower.follow(resolve).finally(resolve);
            }),
        );
      case 'release':
        for (const follower of this.#followers) follower.stop();
        return null;
      case 'leave':
        for (const follower of this.#followers) follower.stop();
        return this.#inTurn(this.#followers, command.atOnce, (follower, connection) =>
          follower.delete(connection),
        );
      case 'storm':
        return this.#inTurn(
          this.#followers,
          this.#followers.length,
          (follower) =>
            new Promise((resolve) => {
              void follower.begin(command.parameters, resolve).finally(resolve);
            }),
        );
      case 'churn':
        this.#churning = new AbortController();
        this.#churned = churn(
          this.#followers.slice(0, command.clients),
          this.#notes,
          command.holdMaxMs,
          this.#churning.signal,
        );
        return null;
      case 'calm':
        this.#churning.abort();
        await this.#churned;
        return null;
      case 'tally':
        this.#notes.tally = new Tally(this.#followers.length, command, (text) =>
          this.#notes.fault(text),
        );
        return null;
      case 'read-tally': {
        const { tally } = this.#notes;
        if (tally === undefined) throw new Error('nothing is counted');
        return tally.report();
      }
      case 'count-received':
        return this.#notes.tally?.received ?? 0;
      case 'check':
        return this.#notes.faults;
      case 'report':
        return {
          ...this.#notes.read(),
          nodes: this.#followers.map(({ node }) => node ?? null),
        };
    }
  }

  /** Lets each follower act once, with this concurrency; each concurrent one has a connection, which it passes on. */
  async #inTurn(
    followers: readonly Follower[],
    atOnce: number,
    act: (follower: Follower, connection: HttpConnection) => Promise<void>,
  ): Promise<Outcome> {
    const latenciesMs: number[] = [];
    const beganAt = nowMs();
    let next = 0;
    const work = async (): Promise<void> => {
      const connections = new Map<string, HttpConnection>();
      for (;;) {
        const follower = followers[next++];
        if (follower === undefined) break;
        const connection = connections.get(follower.url) ?? new HttpConnection(follower.url);
        connections.set(follower.url, connection);
        const startedAt = nowMs();
        await act(follower, connection);
        latenciesMs.push(nowMs() - startedAt);
      }
      for (const connection of connections.values()) connection.abort();
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return { tookMs: nowMs() - beganAt, latenciesMs };
  }
}

const followers = new FollowerProcess();

function reply(to: Reply): void {
  process.send?.(to);
}

// The process that started this one has ended, for whatever reason, so nobody needs the followers.
process.on('disconnect', () => process.exit(0));
process.on('message', (command: Command) => {
  followers.run(command).then(
    (result) => reply({ ok: true, result }),
    (error: unknown) => reply({ ok: false, error: String(error) }),
  );
});
