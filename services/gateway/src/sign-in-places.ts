/**
 * Where an account signed in by a password before: in this browser, or from this network (decision 0070). There its failed logins have a limit of
 * their own, which no stranger can use up. The other way round a place is worth nothing for any other account, and nothing after a new password.
 */
import { createHmac } from 'node:crypto';

import type { Pool } from '@parley/database';
import { findSignInPlaces, noteSignInPlaces } from '@parley/store';

export type SignInPlacesOptions = {
  readonly pool: Pool;
  readonly secret: string;
  readonly onFault: (error: unknown) => void;
};

/** Where a login comes from. */
export type LoginOrigin = {
  readonly address: string;
  /** The secret by which the browser is known; undefined for a program, and for a browser that never signed anybody in. */
  readonly deviceToken: string | undefined;
};

export type KnownPlace = {
  /** The name of a place where the account signed in before, the browser rather than the network; undefined for strangers. */
  readonly place: string | undefined;
  /** Of the account's present password; undefined without an account. */
  readonly passwordMark: string | undefined;
};

export class SignInPlaces {
  readonly #options: SignInPlacesOptions;
  /** Running writes. */
  #writing = 0;

  constructor(options: SignInPlacesOptions) {
    this.#options = options;
  }

  get isSettled(): boolean {
    return this.#writing === 0;
  }

  /** @throws any error of the store while it is down */
  async find(account: string, origin: LoginOrigin): Promise<KnownPlace> {
    const places = this.#placesOf(origin);
    const found = await findSignInPlaces(this.#options.pool, account, places);
    const known = places.find((place) => found?.places.some((each) => each.equals(place)));
    return { place: known?.toString('base64url'), passwordMark: found?.passwordMark };
  }

  /**
   * Remembers, in the background, where the account has signed in.
   *
   * @param passwordMark of the password that was right; undefined for any
   */
  note(account: string, origin: LoginOrigin, passwordMark: string | undefined): void {
    this.#writing += 1;
    noteSignInPlaces(this.#options.pool, account, this.#placesOf(origin), passwordMark)
      .catch(this.#options.onFault)
      .finally(() => (this.#writing -= 1));
  }

  #placesOf({ address, deviceToken }: LoginOrigin): Buffer[] {
    const names = [
      ...(deviceToken === undefined ? [] : [`device ${deviceToken}`]),
      `network ${address}`,
    ];
    return names.map((name) =>
      createHmac('sha256', this.#options.secret).update(`sign-in place ${name}`).digest(),
    );
  }
}
