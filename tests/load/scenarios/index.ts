import type { MeasuredScenario } from '../scenario.ts';
import { audienceScenario } from './audience.ts';
import { chatScenario } from './chat.ts';
import { historyScenario } from './history.ts';
import { idleScenario, idleStreamsScenario } from './idle-polls.ts';
import { officeScenario } from './office.ts';
import { readsScenario } from './reads.ts';
import { scaleScenario } from './scale.ts';
import { sendScenario } from './send.ts';
import { steadyScenario } from './steady.ts';
import { stormScenario } from './storm.ts';
import { typingScenario } from './typing.ts';

/** The scenarios that are measured in several runs, with controls; the others print their results as they go. */
export const measuredScenarios: readonly MeasuredScenario[] = [
  sendScenario,
  chatScenario,
  idleScenario,
  idleStreamsScenario,
  audienceScenario,
  historyScenario,
  readsScenario,
  steadyScenario,
  officeScenario,
  stormScenario,
  scaleScenario,
  typingScenario,
];
