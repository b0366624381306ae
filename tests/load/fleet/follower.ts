import { setTimeout as pause } from 'node:timers/promises';

import { HttpConnection } from './http-connection.ts';
import type { WireAnswer } from './http-connection.ts';
import { writeGet, writeRequest } from '../requests.ts';
import { markedContent, nowMs } from './protocol.ts';
import type { Counts, FleetAccount } from './protocol.ts';
import type { Tally } from './tally.ts';

const pauseBeforeRetryMs = 100;
// With doubling pauses, the last attempt comes after about half a minute.
const beginningsMax = 8;
// Other servers of this interface end the list of events differently.
const eventIds = /"id":(\d+)\}(?=,\{"type"|\],"(?:queue|handler)_id"|\]\})/g;

/** What all followers of one process record. */
export class Notes {
  readonly faults: string[] = [];
  readonly counts = {
    repeated: 0,
    failures: [] as string[],
    heartbeats: 0,
    abandoned: 0,
    deleted: 0,
  } satisfies Counts;
  /** If set, it counts messages, and each has to come once. */
  tally: Tally | undefined;

  repeat(failure: string): void {
    this.counts.repeated += 1;
    if (this.counts.failures.length < 20) this.counts.failures.push(failure);
  }

  fault(text: string): void {
    // The first few show what is wrong; a hundred thousand more would not help.
    if (this.faults.length < 20) this.faults.push(text);
  }
}

export class ServerRefusal extends Error {}

/** One client with one queue. A failed request is repeated once, unchanged; a second failure is a fault. */
export class Follower {
  readonly index: number;
  readonly #notes: Notes;
  readonly url: string;
  readonly #account: FleetAccount;
  isHeld = false;
  queueId = '';
  #lastEventId = -1;
  #lastMessage = -1;
  #own: HttpConnection | undefined;

  constructor(index: number, url: string, account: FleetAccount, notes: Notes) {
    this.index = index;
    this.url = url;
    this.#account = account;
    this.#notes = notes;
  }

  get lastEventId(): number {
    return this.#lastEventId;
  }

  /** @returns a GET of a path and query */
  getText(address: string): string {
    return writeGet(this.url, address, this.#account);
  }

  /** @param parameters the options of the queue, as a form */
  async register(connection: HttpConnection, parameters: string): Promise<void> {
    const request = this.#form('POST', 'register', parameters);
    this.#takeQueue(await this.#repeatOnce(() => connection.request(request)));
  }

  #takeQueue(answer: WireAnswer): void {
    this.queueId = /"queue_id":"([^"]+)"/.exec(answer.body)?.[1] ?? '';
    this.#lastEventId = Number(/"last_event_id":(-?\d+)/.exec(answer.body)?.[1]);
    if (this.queueId === '' || !Number.isInteger(this.#lastEventId))
      throw new Error(`no queue in ${answer.body.slice(0, 200)}`);
  }

  /** Deletes the queue. If the first answer was lost, a repetition that no longer finds the queue is a success. */
  async delete(connection: HttpConnection): Promise<void> {
    const body = `queue_id=${encodeURIComponent(this.queueId)}`;
    let attempts = 0;
    await this.#repeatOnce(async () => {
      attempts += 1;
      const answer = await connection.request(this.#form('DELETE', 'events', body));
      const isGone = attempts > 1 && answer.body.includes('"BAD_EVENT_QUEUE_ID"');
      return isGone ? { ...answer, status: 200 } : answer;
    });
  }

  /** Polls without end on a separate connection. */
  async follow(onHeld: () => void): Promise<void> {
    this.isHeld = true;
    const own = new HttpConnection(this.url);
    this.#own = own;
    await this.#pollOn(own, onHeld);
  }

  /**
   * Connects, registers, and polls without end on that connection, like a client that starts. A refusal because of overload is
   * recorded, and the client tries again after longer and longer pauses.
   */
  async begin(parameters: string, onRegistered: () => void): Promise<void> {
    this.isHeld = true;
    const own = new HttpConnection(this.url);
    this.#own = own;
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#takeQueue(checked(await own.request(this.#form('POST', 'register', parameters))));
        break;
      } catch (error) {
        if (error instanceof ServerRefusal || attempt === beginningsMax) {
          this.#notes.fault(`follower ${this.index}: ${String(error)}`);
          return;
        }
        this.#notes.repeat(String(error));
        await pause(pauseBeforeRetryMs * 2 ** attempt * (0.5 + Math.random()));
      }
    }
    onRegistered();
    await this.#pollOn(own, () => undefined);
  }

  async #pollOn(own: HttpConnection, onHeld: () => void): Promise<void> {
    try {
      while (this.isHeld)
        this.acknowledge(await this.#repeatOnce(() => own.request(this.#poll(), onHeld)));
    } catch (error) {
      if (this.isHeld) this.#notes.fault(`follower ${this.index}: ${String(error)}`);
    }
  }

  stop(): void {
    this.isHeld = false;
    this.#own?.abort();
  }

  /** @returns a poll that the caller may abandon */
  pollOn(connection: HttpConnection): Promise<WireAnswer> {
    return connection.request(this.#poll());
  }

  /** Processes the answer of a poll; its events count as received and are not requested again. */
  acknowledge(answer: WireAnswer): void {
    if (this.#notes.tally !== undefined) this.#notes.tally.polls += 1;
    this.takeEvents(answer.body, eventIds);
  }

  /** Processes the events of an answer or of a part of one. @param ids finds the id of each event */
  takeEvents(body: string, ids: RegExp): void {
    const at = nowMs();
    let newest = this.#lastEventId;
    for (const [, id] of body.matchAll(ids)) {
      if (Number(id) <= newest)
        this.#notes.fault(`follower ${this.index}: event ${id} after ${newest}`);
      newest = Number(id);
    }
    const { tally } = this.#notes;
    for (const [, number, dueAtUs] of body.matchAll(markedContent)) {
      const message = Number(number);
      if (tally !== undefined) {
        tally.receive(this.index, message, Number(dueAtUs) / 1_000, at);
        this.#lastMessage = Math.max(this.#lastMessage, message);
        continue;
      }
      if (message <= this.#lastMessage)
        this.#notes.fault(`follower ${this.index}: message ${message} after ${this.#lastMessage}`);
      this.#lastMessage = message;
    }
    this.#lastEventId = newest;
    if (body.includes('{"type":"heartbeat"')) this.#notes.counts.heartbeats += 1;
  }

  async #repeatOnce(attempt: () => Promise<WireAnswer>): Promise<WireAnswer> {
    try {
      return checked(await attempt());
    } catch (error) {
      if (error instanceof ServerRefusal) throw error;
      if (this.#own !== undefined && !this.isHeld) throw error;
      await pause(pauseBeforeRetryMs);
      try {
        const answer = checked(await attempt());
        this.#notes.repeat(String(error));
        return answer;
      } catch (second) {
        throw new Error(`failed twice: ${String(error)}; ${String(second)}`, { cause: second });
      }
    }
  }

  #poll(): string {
    return this.getText(
      `/api/v1/events?queue_id=${encodeURIComponent(this.queueId)}&last_event_id=${this.#lastEventId}`,
    );
  }

  #form(method: string, path: string, form: string): string {
    return writeRequest(method, this.url, `/api/v1/${path}`, this.#account, form);
  }
}

/** @throws ServerRefusal for what a repetition cannot repair; Error for what it can */
export function checked(answer: WireAnswer): WireAnswer {
  if (answer.status === 200) return answer;
  const text = `${answer.status} ${answer.body.slice(0, 300)}`;
  throw answer.status >= 500 ? new Error(text) : new ServerRefusal(text);
}
