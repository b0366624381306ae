/** Requests about presence and typing: everybody may see presence, and only recipients see typing. */
import { sampled } from './plan.ts';
import type { Plans } from './plan.ts';

export const presencePlans: Plans = {
  'POST users/me/presence': () =>
    ['active', 'idle'].map((status) => ({ path: 'users/me/presence', parameters: { status } })),
  'GET users/{email}/presence': ({ world, random }) =>
    random.sample(world.people, sampled).map(({ email, isActive }) => ({
      path: `users/${email}/presence`,
      ...(!isActive && { succeeds: false }),
    })),
  'GET realm/presence': () => [{ path: 'realm/presence' }],
  'POST typing': ({ world, random }) =>
    ['start', 'stop'].map((op) => ({
      path: 'typing',
      parameters: { op, to: random.sample(world.people, 2).map(({ id }) => id) },
    })),
};
