/** Sends planned requests, and reports what should not have happened. */
import { checkAnswer, serviceNames } from '@parley/test-kit';

import type { Change, ChangeWatch } from './change-watch.ts';
import type { HostileWorld } from './hostile-world.ts';
import { makeRequest } from './request-plan.ts';
import type { Plan, PlannedRequest } from './request-plan.ts';
import { sendRaw } from '../support/send-raw.ts';
import type { RawAnswer } from '../support/send-raw.ts';

const atOnce = 12;

/** The number of concurrent reads after which the data is checked for changes. */
const readsOfBatch = 500;

/** The number of changes after which accounts are restored and lists read again. */
const writesBetweenRestores = 250;

/** Requests that may end an account's access, which is restored at once. */
const changesAccounts =
  /\/users\/me$|\/users\/:user_id|\/settings$|regenerate|\/bots\/:bot_id|reactivate/;

export type HostileReport = {
  readonly faults: string[];
  readonly statuses: Map<number, number>;
  sent: number;
};

type Outcome = {
  readonly plan: Plan;
  readonly request: PlannedRequest;
  readonly answer: RawAnswer;
};

function describe({ seed, spoiled, shape }: Plan, request: PlannedRequest): string {
  const body = request.body?.subarray(0, 300).toString('latin1');
  return JSON.stringify({
    seed,
    spoiled: Object.fromEntries(spoiled),
    shape,
    caller: request.caller,
    method: request.method,
    path: request.path.slice(0, 300),
    body,
  });
}

/** Everything is JSON but files, pictures, archives, redirects and event streams; refusals by Node itself have no body. */
function findBadAnswer({ path, method }: PlannedRequest, answer: RawAnswer): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500) return `status ${status} ${text.slice(0, 200)}`;
  if (status < 200) return `status ${status}`;
  if (!/^\/+api\//i.test(path) || method === 'HEAD' || text === '') return undefined;
  if (headers['content-type'] === 'text/event-stream' && status === 200)
    return text.endsWith('\n\n') ? undefined : `a stream that breaks off: ${text.slice(-200)}`;
  if (headers['content-type'] === 'application/gzip' && status === 200) return undefined;
  if (headers['content-type'] !== 'application/json')
    return `content type ${headers['content-type']} with status ${status}`;
  try {
    checkAnswer(status, JSON.parse(text));
    return undefined;
  } catch (error) {
    return `${(error as Error).message}: ${text.slice(0, 200)}`;
  }
}

function describeChanges(changes: readonly Change[]): string {
  return changes
    .slice(0, 4)
    .map(
      ({ table, operation, row }) => `${operation} ${table} ${JSON.stringify(row).slice(0, 200)}`,
    )
    .join('; ');
}

export class HostileRun {
  readonly report: HostileReport = { faults: [], statuses: new Map(), sent: 0 };
  readonly #world: HostileWorld;
  readonly #watch: ChangeWatch;
  #writes = 0;

  constructor(world: HostileWorld, watch: ChangeWatch) {
    this.#world = world;
    this.#watch = watch;
  }

  /** Sends many reads at once; none may change anything, whatever its answer is. */
  async read(plans: readonly Plan[]): Promise<void> {
    for (let from = 0; from < plans.length; from += readsOfBatch) {
      await this.#watch.take();
      const before = await this.#watch.digest();
      const outcomes = await this.#sendAll(plans.slice(from, from + readsOfBatch));
      const after = await this.#watch.digest();
      const changes = await this.#watch.take();
      const differing = Object.keys(before).filter(
        (table) => before[table] !== after[table] && !this.#watch.changedByItself(table),
      );
      if (changes.length > 0) await this.#blame(outcomes, changes);
      else if (differing.length > 0)
        this.report.faults.push(`reading changed ${differing.join(', ')}, and no trigger saw it`);
    }
  }

  /** Sends requests one after the other; a refused one may change nothing. */
  async writeOneByOne(plans: readonly Plan[]): Promise<void> {
    await this.#watch.take();
    for (const plan of plans) {
      const outcome = await this.#send(plan);
      const changes = await this.#watch.take();
      if (outcome === undefined) continue;
      if (outcome.answer.status >= 400 && changes.length > 0)
        this.#tell(
          outcome.plan,
          outcome.request,
          `was refused (${outcome.answer.status} ${outcome.answer.text.slice(0, 200)}) and changed: ${describeChanges(changes)}`,
        );
      await this.#afterWrites([outcome]);
    }
  }

  /** Sends many requests at once; if all are refused, nothing may change. */
  async writeTogether(plans: readonly Plan[]): Promise<void> {
    for (let from = 0; from < plans.length; from += atOnce) {
      await this.#watch.take();
      const outcomes = await this.#sendAll(plans.slice(from, from + atOnce));
      const changes = await this.#watch.take();
      if (changes.length > 0 && outcomes.every(({ answer }) => answer.status >= 400))
        await this.#blame(outcomes, changes);
      await this.#afterWrites(outcomes);
    }
  }

  /** Sends each again alone, to find which of them changes something. */
  async #blame(outcomes: readonly Outcome[], changes: readonly Change[]): Promise<void> {
    const before = this.report.faults.length;
    for (const { plan, request } of outcomes) {
      await this.#exchange(plan, request);
      const again = await this.#watch.take();
      if (again.length > 0)
        this.#tell(plan, request, `changed though it should not: ${describeChanges(again)}`);
    }
    if (this.report.faults.length === before)
      this.report.faults.push(
        `one of these changed ${describeChanges(changes)}, and none did it again: ${outcomes
          .slice(0, atOnce)
          .map(({ plan, request }) => describe(plan, request))
          .join('\n')}`,
      );
  }

  async #afterWrites(outcomes: readonly Outcome[]): Promise<void> {
    this.#writes += outcomes.length;
    const accounts = outcomes.some(
      ({ plan, answer }) => answer.status < 400 && changesAccounts.test(plan.endpoint.path),
    );
    if (this.#writes >= writesBetweenRestores) {
      this.#writes = 0;
      await this.#world.restore();
    } else if (accounts) await this.#world.restoreAccounts();
    else return;
    await this.#watch.take();
  }

  async #sendAll(plans: readonly Plan[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const waiting = plans.toReversed();
    const work = async (): Promise<void> => {
      for (let plan = waiting.pop(); plan !== undefined; plan = waiting.pop()) {
        const outcome = await this.#send(plan);
        if (outcome !== undefined) outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return outcomes;
  }

  async #send(plan: Plan): Promise<Outcome | undefined> {
    const request = makeRequest(plan, this.#world);
    const answer = await this.#exchange(plan, request);
    return answer && { plan, request, answer };
  }

  async #exchange(plan: Plan, request: PlannedRequest): Promise<RawAnswer | undefined> {
    this.report.sent += 1;
    let answer: RawAnswer;
    try {
      answer = await sendRaw(this.#world.url, request);
    } catch (error) {
      this.#tell(plan, request, `got no answer: ${(error as Error).message}`);
      return undefined;
    }
    const { statuses } = this.report;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const bad = findBadAnswer(request, answer);
    if (bad !== undefined) this.#tell(plan, request, `${bad}${this.#logOf(answer)}`);
    return answer;
  }

  /** The services' log lines about a request. */
  #logOf({ headers }: RawAnswer): string {
    const id = String(headers['x-request-id']);
    const lines = serviceNames
      .flatMap((service) => this.#world.cluster.findProcesses(service))
      .flatMap(({ output }) => output)
      .filter((line) => line.includes(id) && line.includes('"err"'));
    return lines.map((line) => `\n  ${line.slice(0, 1_500)}`).join('');
  }

  #tell(plan: Plan, request: PlannedRequest, what: string): void {
    this.report.faults.push(
      `${plan.endpoint.method} ${plan.endpoint.path} ${what}\n  ${describe(plan, request)}`,
    );
  }
}
