import { undeclaredAnswer } from '@parley/server';

/** The beginning of a line about an answer that deviates from the OpenAPI document. */
export const answerFaultPrefix = 'answer fault: ';

/** @returns whether a line of a process reports an answer that deviates from its declaration or the document */
export function isAnswerFault(line: string): boolean {
  return line.startsWith(answerFaultPrefix) || line.includes(undeclaredAnswer);
}
