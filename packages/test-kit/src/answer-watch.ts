/** Loaded into the process of a gateway before its own code (`--import`): a fault is a line on standard error, by which the cluster's stop fails. */
import { answerFaultPrefix } from './answer-faults.ts';
import { watchAnswers } from './watch-answers.ts';

watchAnswers(() => (fault) => {
  process.stderr.write(`${answerFaultPrefix}${fault}\n`);
});
