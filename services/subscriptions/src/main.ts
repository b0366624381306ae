import process from 'node:process';

import { runServices } from '@parley/server';

import { startSubscriptions } from './service.ts';

process.exitCode = await runServices({ subscriptions: startSubscriptions }, process.env);
