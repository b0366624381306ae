/** The ways in which a run can break a rule. */
export const findingKinds = [
  /** An acknowledged change, or a message that others got, did not reach an entitled queue, or not in time. */
  'lost',
  /** Something arrived again after it was acknowledged, or a send was executed twice. */
  'repeated',
  /** Ids did not increase, or their order is not the order of the changes. */
  'disordered',
  /** Somebody got something that they may not see. */
  'leaked',
  /** A queue was refused although it was not deleted. */
  'refused',
  /** An answer that the interface does not permit: a 500, a false 503, or the refusal of a permitted request. */
  'answer',
  /** GET messages does not return what was delivered. */
  'history',
  /** A process ended by itself, did not drain or did not start. */
  'process',
] as const;

export type FindingKind = (typeof findingKinds)[number];

export type Finding = {
  readonly kind: FindingKind;
  readonly text: string;
  /** Milliseconds since the start of the traffic; undefined for findings after its end. */
  readonly atMs: number | undefined;
};

/** The findings of a run, reported as they occur. */
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

  /** From now on, findings come from evaluating the journal. */
  endTraffic(): void {
    this.#isOver = true;
  }

  count(kind: FindingKind): number {
    return this.list.filter((finding) => finding.kind === kind).length;
  }
}
