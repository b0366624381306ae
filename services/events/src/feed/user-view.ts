import type { Role } from '@parley/api';

/** A range of log positions: entries above `from` and, if it ended, at or below `until`. */
export type Period = { readonly from: number; readonly until: number | undefined };

export type AccountPeriod = Period & { readonly role: Role; readonly isActive: boolean };

/**
 * The periods in log positions that decide a user's entitlement, so that live delivery and replay judge an entry alike, as of its own
 * position (architecture, The log).
 */
export class UserView {
  readonly userId: number;
  readonly #memberships = new Map<number, Period[]>();
  readonly #accounts: AccountPeriod[];

  constructor(
    userId: number,
    memberships: readonly ({ readonly streamId: number } & Period)[],
    accounts: readonly AccountPeriod[],
  ) {
    this.userId = userId;
    this.#accounts = accounts.toSorted((a, b) => a.from - b.from);
    for (const { streamId, from, until } of memberships) {
      const periods = this.#memberships.get(streamId);
      if (periods === undefined) this.#memberships.set(streamId, [{ from, until }]);
      else periods.push({ from, until });
    }
  }

  /** A change at a position holds for the entry at that position itself: `joined` and `left` come before its events. */
  isMember(streamId: number, position: number): boolean {
    const periods = this.#memberships.get(streamId);
    return periods !== undefined && periods.some((period) => contains(period, position));
  }

  /** @returns whether the user is a member of the stream at a position or was one before */
  wasMember(streamId: number, position: number): boolean {
    return this.#memberships.get(streamId)?.some(({ from }) => from <= position) === true;
  }

  accountAt(position: number): { readonly role: Role; readonly isActive: boolean } | undefined {
    return this.#accounts.findLast((period) => contains(period, position));
  }

  /** @returns whether the account was deactivated above the position, which ends the queues that were there (architecture, Queues) */
  wasDeactivatedAfter(position: number): boolean {
    return this.#accounts.some((period) => !period.isActive && period.from > position);
  }

  /** @returns the streams whose entries can concern this user at any position */
  streamIds(): number[] {
    return [...this.#memberships.keys()];
  }

  /** @returns the streams of which the user is a member now */
  currentStreamIds(): number[] {
    return [...this.#memberships].flatMap(([streamId, periods]) =>
      periods.some((period) => period.until === undefined) ? [streamId] : [],
    );
  }

  join(streamId: number, position: number): void {
    const periods = this.#memberships.get(streamId) ?? [];
    periods.push({ from: position, until: undefined });
    this.#memberships.set(streamId, periods);
  }

  leave(streamId: number, position: number): void {
    const periods = this.#memberships.get(streamId);
    if (periods === undefined) return;
    this.#memberships.set(
      streamId,
      periods.map((period) =>
        period.until === undefined ? { from: period.from, until: position } : period,
      ),
    );
  }

  changeAccount(role: Role, isActive: boolean, position: number): void {
    const last = this.#accounts.at(-1);
    if (last !== undefined && last.until === undefined) {
      this.#accounts[this.#accounts.length - 1] = { ...last, until: position };
    }
    this.#accounts.push({ from: position, until: undefined, role, isActive });
  }
}

/** The change at `from` counts from its own position on; the one at `until` no longer at its own position. */
function contains(period: Period, position: number): boolean {
  return period.from <= position && (period.until === undefined || position < period.until);
}
