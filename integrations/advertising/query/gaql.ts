import { refusal } from "../../../core/errors/errors.ts";
import { isBounded } from "./date-bounds.ts";
import { hasQueryableFields, isQueryable } from "./resources.ts";

/** The clauses of a query, in the order of the query sent. */
const CLAUSES = ["select", "from", "where", "order by", "limit", "parameters"] as const;
type Clause = (typeof CLAUSES)[number];

/** Rows of a query without a limit, and the most rows of any query. */
const LIMITS = { usual: 200, most: 2000 } as const;

/** A validated query. */
export interface ExecutableQuery {
  text: string;
  resource: string;
  limit: number;
  /** Whether the query's own limit was lowered. */
  isClamped: boolean;
}

/** A query with collapsed whitespace, and a copy with masked string contents; positions match in both. */
interface Scanned {
  text: string;
  masked: string;
}

const invalidQuery = (fault: string) => refusal("ads_platform_query_invalid", `errors.ads_platform_query_${fault}`);
const onQuery = (code: string, message: string) => refusal(code, message, { fields: { query: message } });

/** Matches a quoted string with backslash escapes, even if unterminated, or text outside strings. */
const PIECES = /(["'])(?:\\[\s\S]|(?!\1)[^\\])*(\1|\\?$)|[^"']+/g;

/** @throws 422 `errors.ads_platform_query_unterminated_string` */
function scan(query: string): Scanned {
  let text = "";
  let masked = "";
  for (const [piece, quote, end] of query.matchAll(PIECES)) {
    if (quote === undefined) {
      const bare = piece.replace(/\s+/g, " ");
      text += bare;
      masked += bare;
    } else {
      if (end !== quote) throw invalidQuery("unterminated_string");
      text += piece;
      masked += `"${"x".repeat(piece.length - 2)}"`;
    }
  }
  return { text, masked };
}

/** A slice of a scanned query, trimmed. */
function part({ text, masked }: Scanned, from: number, to: number): Scanned {
  let [start, end] = [from, to];
  while (start < end && masked[start] === " ") start += 1;
  while (end > start && masked[end - 1] === " ") end -= 1;
  return { text: text.slice(start, end), masked: masked.slice(start, end) };
}

/** Strips trailing semicolons and spaces. @throws 422 for an empty query or a semicolon elsewhere */
function oneStatement(scanned: Scanned): Scanned {
  const end = scanned.masked.replace(/[\s;]+$/, "").length;
  const statement = part(scanned, 0, end);
  if (statement.text === "") throw invalidQuery("empty");
  if (statement.masked.includes(";")) throw invalidQuery("multiple_statements");
  return statement;
}

const KEYWORDS = /(?<![\w.])(select|from|where|order by|limit|parameters)(?![\w.])/gi;

/** A clause without its keyword, and the keyword as written. */
type ScannedClause = Scanned & { keyword: string };

/** Splits a statement into clauses. `limit` and `parameters` come last, in either order. @throws 422 for a repeated or misplaced clause */
function clausesOf(statement: Scanned): Map<Clause, ScannedClause> {
  const starts = [...statement.masked.matchAll(KEYWORDS)].map((match) => ({
    keyword: match[0],
    clause: match[0].toLowerCase() as Clause,
    at: match.index,
    after: match.index + match[0].length,
  }));
  if (new Set(starts.map(({ clause }) => clause)).size < starts.length) throw invalidQuery("repeated_clause");
  const rank = ({ clause }: { clause: Clause }) => Math.min(CLAUSES.indexOf(clause), CLAUSES.indexOf("limit"));
  const isOrdered = starts.every((start, n) => n === 0 || rank(starts[n - 1] as typeof start) <= rank(start));
  if (starts[0]?.at !== 0 || starts[0].clause !== "select" || starts[1]?.clause !== "from" || !isOrdered)
    throw invalidQuery("shape");
  return new Map(
    starts.map(({ clause, keyword, after }, n) => [
      clause,
      { keyword, ...part(statement, after, starts[n + 1]?.at ?? statement.masked.length) },
    ]),
  );
}

/** The field names of a selection. @throws 422 for anything else in it, such as `INTO` */
function selectedFields({ masked }: Scanned): string[] {
  const fields = masked.split(",").map((field) => field.trim());
  if (!fields.every((field) => /^[\w.]+$/.test(field))) throw invalidQuery("shape");
  return fields;
}

/** The resources whose fields a clause names; text in quotes is not one. */
const resourcesIn = (masked: string): string[] =>
  [...masked.matchAll(/(?<![\w.])[a-z_]\w*(?=\.)/gi)].map(([name]) => name.toLowerCase());

/** @throws 422 `errors.ads_platform_query_limit` */
function statedLimit(clause: Scanned | undefined): bigint | null {
  if (clause === undefined) return null;
  if (!/^\d+$/.test(clause.text)) throw invalidQuery("limit");
  const stated = BigInt(clause.text);
  return stated === 0n ? null : stated;
}

/**
 * Validates a query in the provider's query language before any call, and limits its rows (marketing-ads §3.7). Ignores quoted text.
 * Rebuilds the query from the validated clauses.
 * @param requested most rows the caller wants; null uses the query's own limit
 * @throws 422 `ads_platform_query_invalid`, `ads_platform_query_resource`, `ads_platform_query_unbounded`
 */
export function executableQuery(query: string, requested: number | null): ExecutableQuery {
  const clauses = clausesOf(oneStatement(scan(query)));
  const resource = clauses.get("from")?.masked ?? "";
  if (!/^[a-z_]\w*$/i.test(resource) || [...clauses].some(([clause, { text }]) => text === "" && clause !== "limit"))
    throw invalidQuery("shape");
  const none: Scanned = { text: "", masked: "" };
  const [selection, conditions, order] = (["select", "where", "order by"] as const).map((name) => clauses.get(name) ?? none);
  const fields = selectedFields(selection ?? none);
  const stated = statedLimit(clauses.get("limit"));
  const named = [fields.join(), conditions?.masked ?? "", order?.masked ?? ""].flatMap(resourcesIn);
  if (!isQueryable(resource) || !named.every(hasQueryableFields))
    throw onQuery("ads_platform_query_resource", "errors.ads_platform_query_resource_not_allowed");
  const selectsMetrics = fields.some((field) => /^metrics\./i.test(field));
  if (selectsMetrics && !isBounded(conditions ?? none))
    throw onQuery("ads_platform_query_unbounded", "errors.ads_platform_query_needs_date_bound");

  const wanted = [stated, requested === null ? null : BigInt(requested)].filter((one) => one !== null);
  const limit = wanted.length === 0 ? LIMITS.usual : Number([...wanted, BigInt(LIMITS.most)].reduce((a, b) => (a < b ? a : b)));
  const clauseText = (clause: Clause): string[] => {
    if (clause === "limit") return [`LIMIT ${limit}`];
    const said = clauses.get(clause);
    return said ? [`${said.keyword} ${said.text}`] : [];
  };
  return { text: CLAUSES.flatMap(clauseText).join(" "), resource, limit, isClamped: stated !== null && BigInt(limit) < stated };
}
