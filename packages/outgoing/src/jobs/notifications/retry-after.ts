/**
 * @param nowMs Unix time
 * @returns the seconds that a `Retry-After` header asks to wait from now, which may be any number; 0 without one that can be read
 */
export function retryAfterSecs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,10}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - nowMs) / 1_000));
}
