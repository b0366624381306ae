/** The ways in which a run can break a rule. */
export const findingKinds = [
  /** An acknowledged change, or a message that others got, did not reach whom it belongs to, or not in time. */
  'lost',
  /** The same came again after it was acknowledged, or a send was carried out twice. */
  'repeated',
  /** Ids did not increase, or the order of ids is not the order in which things happened. */
  'disordered',
  /** Somebody got what is not for him. */
  'leaked',
  /** A queue was refused that was not deleted. */
  'refused',
  /** An answer that the interface does not permit: a 500, a false 503, or the refusal of a permitted request. */
  'answer',
  /** What GET messages tells is not what was delivered. */
  'history',
  /** A process ended by itself, did not drain or did not start. */
  'process',
] as const;

export type FindingKind = (typeof findingKinds)[number];

export type Finding = {
  readonly kind: FindingKind;
  readonly text: string;
  /** Milliseconds since the beginning of the traffic; undefined for what was found when it was over. */
  readonly atMs: number | undefined;
};

/** What a run found, told as it is found. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #startedAtMs = performance.now();
  readonly #onFound: (finding: Finding) => void;
  #isOver = false;

  /** @param onFound called for each finding at once */
  constructor(onFound: (finding: Finding) => void = () => undefined) {
    this.#onFound = onFound;
  }

  add(kind: FindingKind, text: string): void {
    const atMs = this.#isOver ? undefined : Math.round(performance.now() - this.#startedAtMs);
    const finding = { kind, text, atMs };
    this.list.push(finding);
    this.#onFound(finding);
  }

  /** From now on findings come from looking at what was noted. */
  endTraffic(): void {
    this.#isOver = true;
  }

  count(kind: FindingKind): number {
    return this.list.filter((finding) => finding.kind === kind).length;
  }
}
