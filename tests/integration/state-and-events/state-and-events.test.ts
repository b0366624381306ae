import { testStateAndEvents } from './state-and-events.ts';

// The slow suite makes a hundred rounds.
testStateAndEvents({ rounds: 15, leastOfTable: 0, timeoutMs: 60_000 });
