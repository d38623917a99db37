/**
 * The texts in a source file: quoted content, with `?` for each interpolation. Texts inside an interpolation are listed separately;
 * comments are skipped.
 */
export function textsIn(source: string): string[] {
  const found: string[] = [];
  readCode(source, 0, found);
  return found;
}

/** Reads code up to its closing brace or the end. @returns the end position */
function readCode(source: string, from: number, found: string[]): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const rest = source.slice(at, at + 2);
    const character = source[at] as string;
    if (rest === "//") at = ends(source, "\n", at);
    else if (rest === "/*") at = ends(source, "*/", at) + 1;
    else if (character === '"' || character === "'") at = readQuoted(source, at, found);
    else if (character === "`") at = readTemplate(source, at, found);
    else if (character === "/" && isRegExp(source, at)) at = readRegExp(source, at);
    else if (character === "{") depth += 1;
    else if (character === "}" && depth-- === 0) return at;
  }
  return source.length;
}

const ends = (source: string, mark: string, from: number): number => {
  const at = source.indexOf(mark, from);
  return at === -1 ? source.length : at;
};

function readQuoted(source: string, from: number, found: string[]): number {
  const quote = source[from];
  let at = from + 1;
  while (at < source.length && source[at] !== quote) at += source[at] === "\\" ? 2 : 1;
  found.push(source.slice(from + 1, at));
  return at;
}

function readTemplate(source: string, from: number, found: string[]): number {
  let text = "";
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "`") {
      found.push(text);
      return at;
    }
    if (source[at] === "\\") text += source[++at];
    else if (source.startsWith("${", at)) {
      at = readCode(source, at + 2, found);
      text += "?";
    } else text += source[at];
  }
  return source.length;
}

/** A slash starts a regular expression if no value precedes it. */
const isRegExp = (source: string, at: number): boolean => !/[\w)\]$]\s*$/.test(source.slice(Math.max(0, at - 40), at));

function readRegExp(source: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "[") inClass = true;
    else if (source[at] === "]") inClass = false;
    else if (source[at] === "/" && !inClass) return at;
    else if (source[at] === "\n") return from;
  }
  return from;
}
