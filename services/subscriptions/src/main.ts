import { runService } from '@parley/http';

import { startSubscriptions } from './service.ts';

await runService('subscriptions', process.env, startSubscriptions);
