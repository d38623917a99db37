const PIECES = {
  fields: [
    "campaign.id",
    "campaign.name",
    "metrics.clicks",
    "METRICS.cost_micros",
    "segments.date",
    "campaign.limit",
    "x",
    "campaign.id",
    "invoice.id",
  ],
  resources: ["campaign", "campaign", "ad_group", "keyword_view", "billing_setup", "Campaign", "campaign x", "'campaign'", ""],
  conditions: [
    "campaign.name = 'a'",
    String.raw`campaign.name = 'it\'s; FROM'`,
    `campaign.name = "segments.date = 1 LIMIT 3"`,
    String.raw`campaign.name = "\\"`,
    "segments.date BETWEEN '2026-01-01' AND '2026-01-31'",
    "segments.date >= '2026-01-01'",
    "segments.date < '2026-02-01'",
    "segments.date between '2025-01-01' and '2026-02-05'",
    "segments.date BETWEEN '2025-01-01' AND '2026-02-04'",
    "segments.date BETWEEN 2025 AND 2026",
    "segments.date > '2024-01-01'",
    "billing_setup.id = 1",
    "segments.month<='2026-02-01'",
    "segments.date DURING LAST_7_DAYS",
    "segments.date != '2026-01-01'",
    "segments.week='2026-01-05'",
    "change_event.change_date_time > '2026-01-05'",
  ],
  orders: ["campaign.id", "metrics.clicks DESC", "campaign.name ASC, campaign.id"],
  limits: ["1", "50", "0", "200", "2500", "123456789012345678901", "x", "-5", "5 6", ""],
  blanks: [" ", "  ", "\n", "\t "],
  noise: [";", "'", '"', "\\", " LIMIT 5", " FROM asset", " WHERE ", " select ", "()", " ORDER ", " PARAMETERS a=b", " INTO x"],
} as const;

/** A generator of numbers that a seed determines (xorshift, G. Marsaglia 2003). */
function numbers(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** A query, well formed or with a few faults, and the limit its caller names. */
export function generatedQuery(seed: number): { query: string; requested: number | null } {
  const next = numbers(seed);
  for (let n = 0; n < 8; n += 1) next();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const some = (from: readonly string[], most: number, between: string) =>
    Array.from({ length: 1 + Math.floor(next() * most) }, () => pick(from)).join(between);
  const chance = (of: number) => next() < of;
  const word = (text: string) => (chance(0.2) ? text.toLowerCase() : text);

  let clauses = [
    `${word("SELECT")}${pick(PIECES.blanks)}${some(PIECES.fields, 3, ", ")}`,
    `${word("FROM")}${pick(PIECES.blanks)}${chance(0.8) ? pick(PIECES.resources.slice(0, 4)) : pick(PIECES.resources)}`,
    ...(chance(0.7) ? [`${word("WHERE")}${pick(PIECES.blanks)}${some(PIECES.conditions, 3, ` ${word("AND")} `)}`] : []),
    ...(chance(0.3) ? [`${word("ORDER")}${pick(PIECES.blanks)}${word("BY")} ${some(PIECES.orders, 1, ", ")}`] : []),
    ...(chance(0.5)
      ? [`${word("LIMIT")}${pick(PIECES.blanks)}${chance(0.7) ? pick(PIECES.limits.slice(0, 6)) : pick(PIECES.limits)}`]
      : []),
    ...(chance(0.2) ? [`${word("PARAMETERS")} include_drafts=true`] : []),
  ];
  if (chance(0.05)) clauses.splice(Math.floor(next() * clauses.length), 1);
  if (chance(0.08)) clauses.push(pick(clauses));
  if (chance(0.06)) clauses = clauses.toSorted(() => next() - 0.5);
  let query = clauses.join(pick(PIECES.blanks));
  if (chance(0.12)) {
    const at = Math.floor(next() * (query.length + 1));
    query = query.slice(0, at) + pick(PIECES.noise) + query.slice(at);
  }
  if (chance(0.2)) query += pick([";", " ; ", ";;"]);
  return { query, requested: chance(0.3) ? pick([1, 60, 200, 2000, 5000]) : null };
}
