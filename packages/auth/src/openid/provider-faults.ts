/** The provider gave no usable answer in time: it is away, slow, wrongly configured, or too many people wait for it. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** What came back from a provider signs nobody in: it refused, or its answer does not belong to this attempt, or is not by it. */
export class ProviderAnswerFault extends Error {
  override readonly name = 'ProviderAnswerFault';
}

/** @returns the fault among an error and its causes, which libraries wrap */
export function findUnavailable(error: unknown): ProviderUnavailable | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof ProviderUnavailable) return at;
  return undefined;
}
