import { testStateAndEvents } from './state-and-events.ts';

// Before a release it makes sixty rounds, with processes.
testStateAndEvents({ rounds: 8, leastOfTable: 0, timeoutMs: 240_000 });
