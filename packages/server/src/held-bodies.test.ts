import { ApiError } from '@parley/api';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';

import { HeldBodies } from './held-bodies.ts';

const kib = 1024;
const room = 96 * kib * kib;

let held: HeldBodies;
beforeEach(() => {
  held = new HeldBodies(room, new Registry());
});

/** @returns how many requests of this many bytes a sender can have pending at once */
function fill(sender: string, bytes: number): number {
  for (let count = 0; ; count += 1) {
    try {
      held.begin(sender).add(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      return count;
    }
  }
}

describe('HeldBodies', () => {
  it('permits a sender a third of the room', () => {
    expect(fill('address', 64 * kib)).toBe(512);
    expect(fill('another', 64 * kib)).toBe(512);
    expect(fill('a third', 64 * kib)).toBe(512);
    expect(fill('a fourth', 1)).toBe(0);
  });

  it('accepts a small request from the address of a sender that filled its share', () => {
    fill('address', 64 * kib);
    const login = held.begin('address');
    login.add(200);
    login.add(4 * kib - 200);
    expect(() => login.add(1)).toThrow(ApiError);
    login.release();
    // All small requests share a separate third.
    expect(fill('address', 4 * kib)).toBe(8_192);
    expect(fill('another', 64 * kib)).toBe(512);
  });

  it('reuses released room', () => {
    const body = held.begin('address');
    body.add(room / 3);
    expect(fill('address', 64 * kib)).toBe(0);
    body.release();
    body.release();
    expect(fill('address', 64 * kib)).toBe(512);
  });
});
