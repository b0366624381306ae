type Atom = { source: string; literal: string | undefined; isVariable: boolean };

const atomPattern =
  /\(\?P<\w+>|\(\?:|[()]|(\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[^\\()[\]*+?{}|])([*+?]\??|\{[0-9]+(,[0-9]*)?\}\??)?/gy;

/** The atoms of a pattern in order, groups dissolved; undefined when a group repeats or alternates. */
function readAtoms(pattern: string): Atom[] | undefined {
  const atoms: Atom[] = [];
  atomPattern.lastIndex = 0;
  let end = 0;
  for (let match = atomPattern.exec(pattern); match !== null; match = atomPattern.exec(pattern)) {
    end = atomPattern.lastIndex;
    const source = match[1];
    if (source === undefined) continue;
    const quantifier = match[2];
    const isVariable =
      quantifier !== undefined && (match[3] !== undefined || !quantifier.startsWith('{'));
    const bare = source.startsWith('\\') ? source.slice(1) : source;
    const isLiteral =
      bare.length === 1 && (bare === source ? bare !== '.' : !/[A-Za-z0-9]/.test(bare));
    const literal = isLiteral && quantifier === undefined ? bare : undefined;
    atoms.push({ source, literal, isVariable });
  }
  return end === pattern.length ? atoms : undefined;
}

/** Whether the repetition can only end where the next atom begins. */
function endsAt(atom: Atom, next: Atom | undefined): boolean {
  if (next === undefined) return true;
  if (next.literal === undefined) return false;
  try {
    return !new RegExp(`^(?:${atom.source})$`).test(next.literal);
  } catch {
    // An atom of another dialect: not known to be cheap.
    return false;
  }
}

/**
 * Whether the cost of matching a linkifier is at worst quadratic: at most one repetition may end in
 * more than one place. Everything else must run under a time limit.
 *
 * @param pattern As the realm wrote it.
 */
export function isCheapPattern(pattern: string): boolean {
  const atoms = readAtoms(pattern);
  if (atoms === undefined) return false;
  const ambiguous = atoms.filter(
    (atom, index) => atom.isVariable && !endsAt(atom, atoms[index + 1]),
  );
  return ambiguous.length <= 1;
}
