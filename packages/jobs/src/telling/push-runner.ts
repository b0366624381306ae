/** Pushes what is due to the subscriptions of the database (decision 0053): at least once, each attempt judged anew. */
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/logging';
import type { CallResult, ServiceCall } from '@parley/outgoing';
import type { KeySecrets } from '@parley/secrets';
import {
  claimPushes,
  countPushSubscriptions,
  getPushKeys,
  listToldFacts,
  releasePush,
  removePushSubscription,
} from '@parley/store/telling';
import type { ClaimedPush, PushKeys, ToldFacts } from '@parley/store/telling';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import webPush from 'web-push';

import { byConversation, judge } from './judge.ts';
import { pushCall, pushPayload } from './push-letter.ts';
import { PushServices } from './push-services.ts';

export type PushRunnerOptions = {
  readonly pool: Pool;
  readonly keySecrets: KeySecrets;
  /** An https or mailto address of the operator, for push services. */
  readonly subject: string;
  readonly call: (call: ServiceCall, signal: AbortSignal) => Promise<CallResult>;
  readonly log: Logger;
  readonly registry: Registry;
};

const lookIntervalMs = 300;
const measureIntervalMs = 10_000;
const claimsPerStep = 32;
/** Longer than a request may take; after a crash a subscription waits this long. */
const claimSecs = 60;
const firstDelaySecs = 5;
const delayMaxSecs = 3_600;
/** Together half a day. */
const failuresMax = 20;
const stopTimeoutMs = 1_500;

/** What is to be done for a claimed subscription. */
type Plan = {
  /** The next conversation: what is new in it, and what is still shown of it. */
  readonly told: readonly ToldFacts[];
  readonly isUrgent: boolean;
  readonly newIds: readonly number[];
  /** Told of before, and no longer to be shown. */
  readonly gone: readonly number[];
  readonly kept: readonly number[];
  /** When to look again at what is kept. */
  readonly againInSecs: number | undefined;
};

/** @param facts of the claim's person */
function planOf(claim: ClaimedPush, facts: readonly ToldFacts[]): Plan {
  const byId = new Map(facts.map((each) => [each.messageId, each]));
  const unread = claim.messages.flatMap(({ id, wasPushed }) => {
    const found = byId.get(id);
    return found === undefined ? [] : [{ found, wasPushed }];
  });
  const shown = unread.filter(({ wasPushed }) => wasPushed).map(({ found }) => found);
  const fresh = unread.filter(({ wasPushed }) => !wasPushed).map(({ found }) => found);
  const now = fresh.filter((each) => judge(each).push !== undefined);
  const later = fresh.filter(
    (each) => judge(each).push === undefined && judge(each, true).push !== undefined,
  );
  const [next = [], ...others] = byConversation(now);
  const conversationId = next[0]?.message.place.conversationId;
  const told = [...shown, ...next]
    .filter(({ message }) => message.place.conversationId === conversationId)
    .toSorted((a, b) => a.messageId - b.messageId);
  const waits = [
    ...(others.length > 0 ? [0] : []),
    ...later.map(({ recipient }) => recipient.activeSecs),
  ];
  return {
    told,
    isUrgent: next.some(
      ({ message }) => message.place.type === 'private' || message.flags.length > 0,
    ),
    newIds: next.map(({ messageId }) => messageId),
    gone: claim.messages
      .filter(({ id, wasPushed }) => wasPushed && !byId.has(id))
      .map(({ id }) => id),
    kept: [...shown, ...others.flat(), ...later].map(({ messageId }) => messageId),
    againInSecs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type Outcome = 'sent' | 'gone' | 'failed';

function outcomeOf(result: CallResult): Outcome {
  if (result.kind !== 'answer') return 'failed';
  if (result.status === 404 || result.status === 410) return 'gone';
  return result.status >= 200 && result.status < 300 ? 'sent' : 'failed';
}

/** Whether the push service may have taken a push although it did not say so. */
function isUncertain({ kind }: CallResult): boolean {
  return kind === 'timeout' || kind === 'connection' || kind === 'called-off';
}

export class PushRunner {
  readonly #options: PushRunnerOptions;
  readonly #services = new PushServices();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #outcomes: Counter<'outcome'>;
  readonly #repeats: Counter;
  readonly #subscriptions: Gauge<'state'>;
  #keys: PushKeys | undefined;
  #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | undefined;

  constructor(options: PushRunnerOptions) {
    this.#options = options;
    const registers = [options.registry];
    this.#outcomes = new Counter({
      name: 'parley_pushes_total',
      help: 'Attempts to push, by outcome (sent, gone with the subscription, failed and to be retried, given up with the subscription)',
      labelNames: ['outcome'],
      registers,
    });
    this.#repeats = new Counter({
      name: 'parley_push_repeats_total',
      help: 'Pushes that were sent although an earlier attempt may have succeeded',
      registers,
    });
    this.#subscriptions = new Gauge({
      name: 'parley_push_subscriptions',
      help: 'Subscriptions to pushes of the whole installation, by state (all, due)',
      labelNames: ['state'],
      registers,
    });
  }

  /** Makes the keys at the first start, too. */
  start(): void {
    const { log, pool } = this.#options;
    const warn = (error: unknown): void =>
      log.warn({ err: error }, 'looking for pushes failed; it is tried again');
    const look = (): void => {
      this.#looking ??= this.#look()
        .catch(warn)
        .finally(() => {
          this.#looking = undefined;
        });
    };
    const measure = async (): Promise<void> => {
      const { all, due } = await countPushSubscriptions(pool);
      this.#subscriptions.set({ state: 'all' }, all);
      this.#subscriptions.set({ state: 'due' }, due);
    };
    look();
    this.#timers = [
      setInterval(look, lookIntervalMs),
      setInterval(() => void measure().catch(warn), measureIntervalMs),
    ];
  }

  /** Gives running requests a moment to end, and releases the rest. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    const callOff = setTimeout(() => this.#ending.abort(), stopTimeoutMs);
    await Promise.all(this.#running);
    clearTimeout(callOff);
  }

  async #look(): Promise<void> {
    const { pool, keySecrets } = this.#options;
    this.#keys ??= await getPushKeys(pool, keySecrets, () => webPush.generateVAPIDKeys());
    for (;;) {
      const subscriptionsMax = Math.min(claimsPerStep, this.#services.free);
      if (subscriptionsMax <= 0) return;
      const claims = await claimPushes(pool, {
        subscriptionsMax,
        claimSecs,
        exceptOrigins: this.#services.listClosed(),
      });
      if (claims.length === 0) return;
      await this.#begin(claims, this.#keys);
    }
  }

  async #begin(claims: readonly ClaimedPush[], keys: PushKeys): Promise<void> {
    const { pool, log } = this.#options;
    const facts = await listToldFacts(
      pool,
      // Devices of one person have the same messages.
      [
        ...new Map(
          claims.flatMap(({ userId, messages }) =>
            messages.map(({ id }) => [`${userId}/${id}`, { userId, messageId: id }] as const),
          ),
        ).values(),
      ],
    );
    for (const claim of claims) {
      const { origin, userId } = claim;
      const plan = planOf(
        claim,
        facts.filter((each) => each.userId === userId),
      );
      this.#services.begin(origin);
      const run = this.#push(claim, plan, keys)
        .catch((error: unknown) => {
          log.warn({ err: error, subscription_id: claim.id }, 'a push failed; it is tried again');
          return 'unused' as const;
        })
        .then((outcome) => this.#services.end(origin, outcome))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  async #push(
    claim: ClaimedPush,
    plan: Plan,
    keys: PushKeys,
  ): Promise<'worked' | 'failed' | 'unused'> {
    const { pool, call, subject } = this.#options;
    const [first, ...rest] = plan.told;
    const { kept, againInSecs, newIds } = plan;
    if (first === undefined) {
      const later = [...kept, ...plan.gone];
      await this.#release(claim, {
        pushed: [],
        kept: later,
        againInSecs,
        failures: claim.failures,
      });
      return 'unused';
    }
    const result = await call(
      pushCall(claim, pushPayload([first, ...rest], plan.gone), plan.isUrgent, {
        ...keys,
        subject,
      }),
      this.#ending.signal,
    );
    const outcome = outcomeOf(result);
    if (outcome === 'sent') {
      // Counted before it is noted: a repeat that is not counted would be worse than one that is counted twice.
      this.#outcomes.inc({ outcome });
      if (claim.mayHaveArrived) this.#repeats.inc();
      await this.#release(claim, { pushed: newIds, kept, againInSecs, failures: 0 });
      return 'worked';
    }
    const failures = claim.failures + 1;
    if (outcome === 'gone' || failures > failuresMax) {
      this.#outcomes.inc({ outcome: outcome === 'gone' ? outcome : 'given up' });
      await removePushSubscription(pool, claim.id);
      return 'worked';
    }
    this.#outcomes.inc({ outcome });
    await this.#release(claim, {
      pushed: [],
      kept: [...kept, ...newIds, ...plan.gone],
      againInSecs:
        result.kind === 'called-off'
          ? 0
          : Math.min(delayMaxSecs, firstDelaySecs * 2 ** claim.failures),
      failures: result.kind === 'called-off' ? claim.failures : failures,
      mayHaveArrived: claim.mayHaveArrived || isUncertain(result),
    });
    return 'failed';
  }

  async #release(
    claim: ClaimedPush,
    outcome: Omit<Parameters<typeof releasePush>[2], 'mayHaveArrived'> & {
      readonly mayHaveArrived?: boolean;
    },
  ): Promise<void> {
    await transaction(this.#options.pool, (client) =>
      releasePush(client, claim, { mayHaveArrived: false, ...outcome }),
    );
  }
}
