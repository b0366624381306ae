import type { ErrorObject } from 'ajv';

const shownMax = 200;

/** @returns the value as JSON, cut */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

/**
 * @param errors of ajv with `verbose`; of a union all branches have theirs, and the one that went deepest says most
 * @returns place, rule and value of the fault that says most
 */
export function describeFault(errors: readonly ErrorObject[]): string {
  const deepest = errors.reduce<ErrorObject | undefined>(
    (best, error) =>
      best === undefined || error.instancePath.length > best.instancePath.length ? error : best,
    undefined,
  );
  if (deepest === undefined) return 'no fault is named';
  const { instancePath, message = '', params, data } = deepest;
  return `${instancePath === '' ? 'the answer' : instancePath} ${message} ${JSON.stringify(params)}: ${shown(data)}`;
}
