/** Pages that name tests by their titles. */

/** Whether a test, or a case of one, has this title: the first argument of a call or the first item of a row. */
export function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const literal = `${quote}${title}${quote}`;
    for (let at = source.indexOf(literal); at !== -1; at = source.indexOf(literal, at + 1)) {
      if (/[([]\s*$/.test(source.slice(0, at))) return true;
    }
    return false;
  });
}
