import { refusal } from "../../../core/declare/errors.ts";
import { isQueryable } from "./resources.ts";

/** The clauses of a query, in the order they are sent in. */
const CLAUSES = ["select", "from", "where", "order by", "limit", "parameters"] as const;
type Clause = (typeof CLAUSES)[number];

/** Date fields of which one has to be bounded before metrics are selected. */
const DATE_FIELDS = new Set([
  "segments.date",
  "segments.week",
  "segments.month",
  "segments.quarter",
  "segments.year",
  "change_event.change_date_time",
  "change_status.last_change_date_time",
]);

/** Rows of a query that names no limit, and the most of any. */
const LIMITS = { usual: 200, most: 2000 } as const;

/** A query that may be sent. */
export interface ExecutableQuery {
  text: string;
  resource: string;
  limit: number;
  /** Whether the query's own limit was lowered. */
  isClamped: boolean;
}

/** A query with its blanks collapsed, and the same text with every character of its strings replaced: positions agree. */
interface Scanned {
  text: string;
  masked: string;
}

const invalidQuery = (fault: string) => refusal("ads_platform_query_invalid", `errors.ads_platform_query_${fault}`);
const onQuery = (code: string, message: string) => refusal(code, message, { fields: { query: message } });

/** A string in either quote, with `\` before a quote or another `\`; without its end if that is missing. */
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

/** The part of a scanned query without blanks at its ends. */
function part({ text, masked }: Scanned, from: number, to: number): Scanned {
  let [start, end] = [from, to];
  while (start < end && masked[start] === " ") start += 1;
  while (end > start && masked[end - 1] === " ") end -= 1;
  return { text: text.slice(start, end), masked: masked.slice(start, end) };
}

/** Without the semicolons and blanks at its end. @throws 422 for an empty query, and for a semicolon elsewhere */
function oneStatement(scanned: Scanned): Scanned {
  const end = scanned.masked.replace(/[\s;]+$/, "").length;
  const statement = part(scanned, 0, end);
  if (statement.text === "") throw invalidQuery("empty");
  if (statement.masked.includes(";")) throw invalidQuery("multiple_statements");
  return statement;
}

const KEYWORDS = /(?<![\w.])(select|from|where|order by|limit|parameters)(?![\w.])/gi;

/** A clause without its keyword, and the keyword as it was written. */
type ScannedClause = Scanned & { keyword: string };

/** The clauses of a statement. `limit` and `parameters` come last, in either order. @throws 422 for a repeated or misplaced clause */
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

const CONDITION = /^([\w.]+) ?(between\b|during\b|[<>](?![<>])|=)/i;

/** Whether a condition bounds a date field on both sides, or two of them together do (the provider refuses a range with one end). */
function isBounded(where: string): boolean {
  const ends = new Map<string, Set<string>>();
  for (const condition of where.split(/(?<![\w.])and(?![\w.])/i)) {
    const [, field = "", operator = ""] = CONDITION.exec(condition.trim()) ?? [];
    const name = field.toLowerCase();
    if (!DATE_FIELDS.has(name)) continue;
    if (operator !== "<" && operator !== ">") return true;
    const ofField = ends.get(name) ?? new Set();
    ends.set(name, ofField.add(operator));
    if (ofField.size === 2) return true;
  }
  return false;
}

/** @throws 422 `errors.ads_platform_query_limit` */
function statedLimit(clause: Scanned | undefined): bigint | null {
  if (clause === undefined) return null;
  if (!/^\d+$/.test(clause.text)) throw invalidQuery("limit");
  const stated = BigInt(clause.text);
  return stated === 0n ? null : stated;
}

/**
 * Checks a query of the provider's query language before any call, and limits it (marketing-ads §3.7). The text in quotes is never looked
 * at. What is sent is put together from the clauses that were checked.
 * @param requested most rows the caller wants; null leaves that to the query
 * @throws 422 `ads_platform_query_invalid`, `ads_platform_query_resource`, `ads_platform_query_unbounded`
 */
export function executableQuery(query: string, requested: number | null): ExecutableQuery {
  const clauses = clausesOf(oneStatement(scan(query)));
  const resource = clauses.get("from")?.masked ?? "";
  if (!/^[a-z_]\w*$/i.test(resource) || [...clauses].some(([clause, { text }]) => text === "" && clause !== "limit"))
    throw invalidQuery("shape");
  const stated = statedLimit(clauses.get("limit"));
  if (!isQueryable(resource)) throw onQuery("ads_platform_query_resource", "errors.ads_platform_query_resource_not_allowed");
  const selectsMetrics = /(?<![\w.])metrics\./i.test(clauses.get("select")?.masked ?? "");
  if (selectsMetrics && !isBounded(clauses.get("where")?.masked ?? ""))
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
