import { testChangeThenAct } from '../support/change-then-act.ts';

testChangeThenAct(8);
