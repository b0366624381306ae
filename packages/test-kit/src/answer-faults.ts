import { undeclaredAnswer } from '@parley/server';

/** Begins a line about an answer that is not what the OpenAPI document says. */
export const answerFaultPrefix = 'answer fault: ';

/** @returns whether a line of a process says that an answer was not what its declaration or the document says */
export function isAnswerFault(line: string): boolean {
  return line.startsWith(answerFaultPrefix) || line.includes(undeclaredAnswer);
}
