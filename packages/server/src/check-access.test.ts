import { ApiError, scimCaller } from '@parley/api';
import type { Caller, EndpointAccess } from '@parley/api';
import { describe, expect, it } from 'vitest';

import { checkAccess } from './check-access.ts';

const administrator: Caller = {
  userId: 1,
  email: 'ann@example.com',
  role: 'administrator',
  botType: null,
  botOwnerId: null,
};

function statusOf(access: EndpointAccess, caller: Caller | null): number {
  try {
    checkAccess(access, caller);
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

describe('a token of SCIM', () => {
  it('is needed for SCIM, whoever asks', () => {
    const access = { authentication: 'scim token' } as const;
    expect(statusOf(access, scimCaller(7))).toBe(200);
    expect(statusOf(access, administrator)).toBe(401);
    expect(statusOf(access, null)).toBe(401);
  });

  it('is for nothing else', () => {
    for (const administratorsOnly of [true, false])
      expect(statusOf({ authentication: 'required', administratorsOnly }, scimCaller(7))).toBe(401);
  });
});
