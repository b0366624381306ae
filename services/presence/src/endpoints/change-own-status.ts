import { badRequest, withoutCode } from '@parley/api';
import { changeOwnStatusEndpoint } from '@parley/api/presence';
import { implement } from '@parley/server';

import type { PresenceContext } from '../context.ts';
import { changeStatus } from '../status/change-status.ts';

export const changeOwnStatusHandler = implement(
  changeOwnStatusEndpoint,
  async (context: PresenceContext, { caller, parameters }) => {
    const { away, status_text: statusText, ends_at: endsAtSecs } = parameters;
    if (away === undefined && statusText === undefined)
      throw withoutCode('Client did not pass any new values.');
    if (endsAtSecs !== undefined && endsAtSecs * 1_000 <= context.clock.nowMs())
      throw badRequest('Time must be in the future.');
    await changeStatus(context, caller, {
      ...(away !== undefined && { away }),
      ...(statusText !== undefined && { statusText: statusText.trim() }),
      ...(endsAtSecs !== undefined && { endsAtSecs }),
    });
    return {};
  },
);
