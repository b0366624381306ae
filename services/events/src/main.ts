import process from 'node:process';

import { runService } from '@parley/http';

import { start } from './service.ts';

await runService('events', process.env, start);
