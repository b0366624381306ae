import process from 'node:process';

import { runServices } from '@parley/server';

import { startPeople } from './service.ts';

process.exitCode = await runServices({ people: startPeople }, process.env);
