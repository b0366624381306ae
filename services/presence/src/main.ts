import { runService } from '@parley/server';

import { startPresence } from './service.ts';

await runService('presence', process.env, startPresence);
