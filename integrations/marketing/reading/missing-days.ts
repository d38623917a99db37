/** SQL: the days from `from` to `to` that link `l` was never read for, as a set of days. */
export const unreadDays = (from: string, to: string): string => `(datemultirange(daterange(${from}, ${to}, '[]')) - l.read_days)`;

/**
 * SQL: the number of days of each span that a link of a group was never read for, as a select over `linked` (with `read_days`) and `spans`.
 * Every reader of stored days compares by this alone (marketing-ads §1).
 * @param keys the columns that it selects first, of link `l`
 * @param grouped how it groups links and spans
 */
export const missingDays = (keys: readonly string[], grouped = [...keys, "p.part"].join(", ")): string => {
  const names = keys.map((_, at) => `k${at}`);
  return `select ${[...names, "part"].map((name) => `n.${name}`).join(", ")},
      (select coalesce(sum(upper(r) - lower(r)), 0)::float8 from unnest(n.days) r) as days
    from (select ${keys.map((key, at) => `${key} as k${at}, `).join("")}p.part, range_agg(${unreadDays("p.start_on", "p.end_on")}) as days
      from linked l join spans p on p.behind = l.behind group by ${grouped}) n`;
};
