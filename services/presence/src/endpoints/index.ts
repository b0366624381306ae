import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { PresenceContext } from '../context.ts';
import * as changeOwnStatus from './change-own-status.ts';
import * as presence from './presence.ts';
import * as sendTyping from './send-typing.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<PresenceContext>[] = everyHandlerOf('presence', [
  changeOwnStatus,
  presence,
  sendTyping,
]);
