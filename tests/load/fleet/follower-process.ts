/** A process of followers, started by `Fleet`. It executes one command after the other until it is disconnected. */
import { serveGenerator } from '../generator-process.ts';
import { churn } from './churn.ts';
import { Follower, Notes } from './follower.ts';
import { HttpConnection } from './http-connection.ts';
import { NchanFollower } from './nchan-follower.ts';
import type { Answer, Command, Outcome } from './protocol.ts';
import { nowMs } from './protocol.ts';
import { StreamFollower } from './stream-follower.ts';
import { Tally } from './tally.ts';

// Connections in excess of a listening socket's queue would wait for the kernel's second attempt.
const connectionsAtOnceMax = 256;

class FollowerProcess {
  readonly #notes = new Notes();
  #followers: readonly Follower[] = [];
  #churning = new AbortController();
  #churned: Promise<void> = Promise.resolve();

  async run(command: Command): Promise<Answer> {
    switch (command.act) {
      case 'register':
        this.#followers = command.accounts.map((account, n) => {
          const url = command.urls[n % command.urls.length] ?? '';
          if (command.of === 'nchan') return new NchanFollower(n, url, this.#notes);
          const OneOf = command.of === 'streams' ? StreamFollower : Follower;
          return new OneOf(n, url, account, this.#notes);
        });
        return this.#inTurn(command.atOnce, (follower, connection) =>
          follower.register(connection, command.parameters),
        );
      case 'hold':
        return this.#inTurn(Math.min(command.atOnce, connectionsAtOnceMax), (follower) =>
          follower.isHeld
            ? Promise.resolve()
            : new Promise((resolve) => {
                void follower.follow(resolve).finally(resolve);
              }),
        );
      case 'release':
        for (const follower of this.#followers) follower.stop();
        return null;
      case 'leave':
        for (const follower of this.#followers) follower.stop();
        return this.#inTurn(command.atOnce, (follower, connection) => follower.delete(connection));
      case 'storm':
        return this.#inTurn(
          this.#followers.length,
          (follower) =>
            new Promise((resolve) => {
              void follower.begin(command.parameters, resolve).finally(resolve);
            }),
        );
      case 'churn':
        this.#churning = new AbortController();
        this.#churned = churn(
          this.#followers,
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
      case 'read-tally':
        if (this.#notes.tally === undefined) throw new Error('nothing is counted');
        return this.#notes.tally.report();
      case 'count-received':
        return this.#notes.tally?.received ?? 0;
      case 'check':
        return this.#notes.faults;
      case 'read-counts':
        return this.#notes.counts;
    }
  }

  /** Lets each follower act once, with this concurrency; each concurrent one has a connection, which it passes on. */
  async #inTurn(
    atOnce: number,
    act: (follower: Follower, connection: HttpConnection) => Promise<void>,
  ): Promise<Outcome> {
    const latenciesMs: number[] = [];
    const beganAt = nowMs();
    const left = this.#followers.values();
    const work = async (): Promise<void> => {
      const connections = new Map<string, HttpConnection>();
      for (const follower of left) {
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
serveGenerator((command: Command) => followers.run(command));
