import fields from "../../simulators/descriptions/googleads.v25.fields.json" with { type: "json" };

type Token = { text: string; isQuoted: boolean };

/** The query's words, signs, blanks and strings; null for a string without an end. */
function tokens(query: string): Token[] | null {
  const found: Token[] = [];
  let at = 0;
  while (at < query.length) {
    const first = query[at] as string;
    let end = at + 1;
    if (first === "'" || first === '"') {
      while (query[end] !== first) {
        if (end >= query.length) return null;
        end += query[end] === "\\" ? 2 : 1;
      }
      end += 1;
      if (end > query.length) return null;
    } else if (/[\w.]/.test(first)) while (end < query.length && /[\w.]/.test(query[end] as string)) end += 1;
    else if (first.trim() === "") while (end < query.length && (query[end] as string).trim() === "") end += 1;
    const text = query.slice(at, end);
    found.push({ text: text.trim() === "" ? " " : text, isQuoted: first === "'" || first === '"' });
    at = end;
  }
  return found;
}

const textOf = (list: Token[]) =>
  list
    .map(({ text }) => text)
    .join("")
    .trim();
const trimmed = (list: Token[]): Token[] => {
  const from = list.findIndex(({ text }) => text !== " ");
  const last = list.findLastIndex(({ text }) => text !== " ");
  return from === -1 ? [] : list.slice(from, last + 1);
};

const ORDER = ["SELECT", "FROM", "WHERE", "ORDER BY", "LIMIT", "PARAMETERS"];
const DATES = ["date", "week", "month", "quarter", "year"].map((unit) => `segments.${unit}`);

const dayOf = (token: Token | undefined): number =>
  token?.isQuoted && /^.\d{4}-\d\d-\d\d/.test(token.text) ? Date.parse(token.text.slice(1, 11)) / 86_400_000 : Number.NaN;
/** 400 days, both ends counted; a comparison with no day is false. */
const isFew = (from: number, to: number) => to - from + 1 <= 400;

/** Whether one condition, or two on one field, close a range of at most 400 days. */
function isClosed(where: Token[]): boolean {
  const dates = [...DATES, "change_event.change_date_time", "change_status.last_change_date_time"];
  const words = where.filter(({ text }) => text !== " ");
  const open: Record<string, { from: number[]; to: number[] }> = {};
  for (const [n, { text, isQuoted }] of words.entries()) {
    const isFirst = n === 0 || (words[n - 1]?.text.toUpperCase() === "AND" && !words[n - 1]?.isQuoted);
    if (isQuoted || !isFirst || !dates.includes(text.toLowerCase())) continue;
    const sign = words[n + 1]?.text.toUpperCase() ?? "";
    if (["=", "DURING"].includes(sign)) return true;
    const [one, and, other] = [words[n + 2], words[n + 3], words[n + 4]];
    if (sign === "BETWEEN" && !and?.isQuoted && and?.text.toUpperCase() === "AND" && isFew(dayOf(one), dayOf(other))) return true;
    if (sign !== "<" && sign !== ">") continue;
    const ends = (open[text.toLowerCase()] ??= { from: [], to: [] });
    const day = dayOf(words[n + 2]?.text === "=" ? words[n + 3] : words[n + 2]);
    if (!Number.isNaN(day)) ends[sign === ">" ? "from" : "to"].push(day);
  }
  return Object.values(open).some(
    ({ from, to }) => from.length > 0 && to.length > 0 && isFew(Math.max(...from), Math.min(...to)),
  );
}

/** The first part of a field's name; empty for other words. */
const resourceOf = ({ text, isQuoted }: Token): string =>
  isQuoted || !/^[A-Za-z_]\w*\./.test(text) ? "" : (text.split(".")[0] ?? "").toLowerCase();

/**
 * The query runner's rules a second time, word by word and without regard to cost: the text that may be sent, or the end of the message
 * that refuses it.
 */
export function naiveQuery(query: string, requested: number | null): string {
  let all = tokens(query);
  if (all === null) return "unterminated_string";
  while (all.length > 0 && [" ", ";"].includes(all.at(-1)?.text ?? "")) all.pop();
  all = trimmed(all);
  if (all.length === 0) return "empty";
  if (all.some(({ text, isQuoted }) => text === ";" && !isQuoted)) return "multiple_statements";

  const clauses: { name: string; said: string; list: Token[] }[] = [];
  const before: Token[] = [];
  for (let n = 0; n < all.length; n += 1) {
    const token = all[n] as Token;
    let name = token.isQuoted ? "" : token.text.toUpperCase();
    let said = token.text;
    if (name === "ORDER" && all[n + 1]?.text === " " && all[n + 2]?.text.toUpperCase() === "BY") {
      name = "ORDER BY";
      said = `${token.text} ${all[n + 2]?.text}`;
      n += 2;
    }
    if (ORDER.includes(name)) clauses.push({ name, said, list: [] });
    else (clauses.at(-1)?.list ?? before).push(token);
  }
  const names = clauses.map(({ name }) => name);
  if (names.some((name, n) => names.indexOf(name) !== n)) return "repeated_clause";
  const ranks = names.map((name) => (name === "PARAMETERS" ? 4 : ORDER.indexOf(name)));
  const isInOrder = ranks.every((rank, n) => n === 0 || (ranks[n - 1] as number) <= rank);
  if (before.length > 0 || names[0] !== "SELECT" || names[1] !== "FROM" || !isInOrder) return "shape";
  const of = (name: string) => trimmed(clauses.find((clause) => clause.name === name)?.list ?? []);
  const from = of("FROM");
  if (from.length !== 1 || from[0]?.isQuoted || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(textOf(from))) return "shape";
  if (clauses.some(({ name, list }) => name !== "LIMIT" && trimmed(list).length === 0)) return "shape";
  const selected: Token[][] = [[]];
  for (const token of of("SELECT"))
    if (token.text === ",") selected.push([]);
    else selected.at(-1)?.push(token);
  const isField = (list: Token[]) => list.length === 1 && !list[0]?.isQuoted && /^[\w.]+$/.test(list[0]?.text ?? "");
  if (!selected.map(trimmed).every(isField)) return "shape";
  let stated = 0;
  if (names.includes("LIMIT")) {
    if (of("LIMIT").some(({ isQuoted }) => isQuoted) || !/^[0-9]+$/.test(textOf(of("LIMIT")))) return "limit";
    stated = Number(textOf(of("LIMIT")));
  }
  if (!(textOf(from) in fields.resources)) return "resource_not_allowed";
  const named = ["SELECT", "WHERE", "ORDER BY"].flatMap((name) => of(name).map(resourceOf)).filter((name) => name !== "");
  if (named.some((name) => !["metrics", "segments"].includes(name) && !(name in fields.resources))) return "resource_not_allowed";
  const selects = of("SELECT").some(({ text, isQuoted }) => !isQuoted && text.toLowerCase().startsWith("metrics."));
  if (selects && !isClosed(of("WHERE"))) return "needs_date_bound";

  const limit = stated === 0 && requested === null ? 200 : Math.min(stated || 2000, requested ?? 2000, 2000);
  const parts = ORDER.flatMap((name) => {
    if (name === "LIMIT") return [`LIMIT ${limit}`];
    const clause = clauses.find((one) => one.name === name);
    return clause ? [`${clause.said} ${textOf(clause.list)}`] : [];
  });
  return parts.join(" ");
}
