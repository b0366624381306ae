import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { PresenceContext } from '../context.ts';
import { changeOwnStatusHandler } from './change-own-status.ts';
import {
  getRealmPresenceHandler,
  getUserPresenceHandler,
  reportPresenceHandler,
} from './presence.ts';
import { sendTypingHandler } from './send-typing.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<PresenceContext>[] = everyHandlerOf('presence', [
  changeOwnStatusHandler,
  reportPresenceHandler,
  getUserPresenceHandler,
  getRealmPresenceHandler,
  sendTypingHandler,
]);
