import { isRaw } from '../declare/endpoint.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { AnswerSchemas } from './answer-schema.ts';
import type { AnswerCheck } from './answer-schema.ts';
import { NamedSchemas } from './named-schemas.ts';

const checks = new WeakMap<Endpoint, AnswerCheck>();

/**
 * @returns a function that returns the first fault of an answer's members, or undefined. A schema is compiled at its first use, because
 *   most processes never compare.
 */
export function answerCheckOf(endpoint: Endpoint): AnswerCheck {
  const check = checks.get(endpoint) ?? compileCheck(endpoint);
  checks.set(endpoint, check);
  return check;
}

function compileCheck({ success }: Endpoint): AnswerCheck {
  const named = new NamedSchemas();
  const answer = named.ofAnswer(isRaw(success) ? { properties: {} } : success);
  return new AnswerSchemas({ answer, components: { schemas: named.components } }).checkAt(
    '/answer',
  );
}
