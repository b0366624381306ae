const secsPerHour = 3_600;

/**
 * @param points seconds and values
 * @returns the growth of the values per hour, by least squares; 0 for fewer than two points
 */
export function findSlopePerHour(
  points: readonly (readonly [secs: number, value: number])[],
): number {
  const count = points.length;
  if (count < 2) return 0;
  const meanSecs = points.reduce((sum, [secs]) => sum + secs, 0) / count;
  const meanValue = points.reduce((sum, [, value]) => sum + value, 0) / count;
  let covariance = 0;
  let variance = 0;
  for (const [secs, value] of points) {
    covariance += (secs - meanSecs) * (value - meanValue);
    variance += (secs - meanSecs) ** 2;
  }
  return variance === 0 ? 0 : Math.round((covariance / variance) * secsPerHour);
}
