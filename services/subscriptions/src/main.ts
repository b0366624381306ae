import { runService } from '@parley/server';

import { startSubscriptions } from './service.ts';

await runService('subscriptions', process.env, startSubscriptions);
