/** The type a sum is cast to, as written; null if PostgreSQL decides. */
interface SumCast {
  readonly text: string;
  readonly cast: string | null;
}

/** Functions that pass on a sum's value. */
const THROUGH = new Set(["coalesce", "round", "greatest", "least", "nullif", "abs"]);
const TYPE = /^\s*::\s*([a-z_]\w*(?:\s+precision)?(?:\s*\([^)]*\))?)/i;

/** The position of the parenthesis that closes the one at `from`. */
function closeOf(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; at++) {
    if (sql[at] === "(") depth += 1;
    else if (sql[at] === ")" && --depth === 0) return at;
  }
  return sql.length;
}

/** The function call around a position, with its parentheses; null outside of any. */
function around(sql: string, place: number): { name: string; open: number; close: number } | null {
  let depth = 0;
  for (let at = place - 1; at >= 0; at--) {
    if (sql[at] === ")") depth += 1;
    else if (sql[at] === "(" && depth-- === 0) {
      const [name = ""] = /\w*$/.exec(sql.slice(0, at)) ?? [];
      return { name: name.toLowerCase(), open: at, close: closeOf(sql, at) };
    }
  }
  return null;
}

/** The first type the value before `at` is cast to, looking through functions that pass it on. */
function castOf(sql: string, start: number, at: number): string | null {
  const behind = sql.slice(at + 1);
  const [clauses = ""] = /^(?:\s*(?:filter|over)\s*\((?:[^()]|\([^()]*\))*\)|\?)*/i.exec(behind) ?? [];
  const [, cast] = TYPE.exec(behind.slice(clauses.length)) ?? [];
  if (cast !== undefined) return cast.toLowerCase().replace(/\s+/g, " ");
  const outer = around(sql, start);
  return outer && (THROUGH.has(outer.name) || outer.name === "") ? castOf(sql, outer.open, outer.close) : null;
}

/** The sums in an SQL text with their casts. Interpolations appear as `?`. */
export function sumsIn(sql: string): SumCast[] {
  return [...sql.matchAll(/\bsum\s*\(/gi)].map((match) => {
    const close = closeOf(sql, match.index + match[0].length - 1);
    return { text: sql.slice(match.index, close + 30), cast: castOf(sql, match.index, close) };
  });
}
