import { testStateAndEvents } from './state-and-events.ts';

// The slow suite makes a hundred rounds. Twenty seconds alone, several times as much beside the rest of the suite.
testStateAndEvents({ rounds: 15, leastOfTable: 0, timeoutMs: 240_000 });
