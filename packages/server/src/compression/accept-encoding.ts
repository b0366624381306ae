/** Reads whether a client accepts gzip. */

const gzip: ReadonlySet<string> = new Set(['gzip', 'x-gzip']);
const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

type Weights = { wanted?: number; any?: number; identity?: number };

/**
 * @param accepted the header `Accept-Encoding` (RFC 9110, 12.5.3); undefined if there is none
 * @returns whether to answer with gzip: if it is accepted, by name or by `*`, and no plain answer is preferred. A malformed header does not
 *   accept it.
 */
export function takesGzip(accepted: string | undefined): boolean {
  if (accepted === undefined) return false;
  const { wanted, any, identity } = readWeights(accepted);
  const ofWanted = wanted ?? any ?? 0;
  return ofWanted > 0 && ofWanted >= (identity ?? 0);
}

function readWeights(accepted: string): Weights {
  const weights: Weights = {};
  for (const each of accepted.split(',')) {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const value = readWeight(parameters);
    if (gzip.has(coding)) weights.wanted = Math.max(weights.wanted ?? 0, value);
    if (coding === '*') weights.any = value;
    if (coding === 'identity') weights.identity = value;
  }
  return weights;
}

function readWeight(parameters: readonly string[]): number {
  if (parameters.length === 0) return 1;
  const value = weight.exec(parameters[0] ?? '')?.[1];
  return parameters.length > 1 || value === undefined ? 0 : Number(value);
}
