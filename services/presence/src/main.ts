import { runService } from '@parley/http';

import { startPresence } from './service.ts';

await runService('presence', process.env, startPresence);
