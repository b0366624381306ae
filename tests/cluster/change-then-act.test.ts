import { testChangeThenAct } from '../support/change-then-act.ts';

// The slow suite repeats more often.
testChangeThenAct(2);
