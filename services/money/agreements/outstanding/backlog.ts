import { type DecimalText, formatDecimal, sum } from "../../../../core/values/money.ts";
import type { RecurringSource, SourceKind } from "../../../../core/values/recurring-source.ts";
import type { AutoInvoiceMode } from "../../settings/models.ts";

/** How the backlog is grouped. */
export type BacklogGrouping = "company" | "month" | "source";

/** An unbilled period. */
export interface BacklogItem {
  id: string;
  source: SourceKind;
  source_id: string;
  company_id: string | null;
  company_name: string;
  name: string;
  currency: string;
  amount: DecimalText;
  auto_mode: AutoInvoiceMode;
  period_start: string | null;
  period_end: string;
  future: boolean;
}

/** The key of a period in documents' claims. */
export const periodKey = (source: SourceKind, sourceId: string, periodEnd: string): string =>
  `${source}:${sourceId}:${periodEnd}`;

/**
 * The unclaimed open periods, one item each, sorted by end, client and name; sources that are not invoiceable are left out (money §8
 * "recurring-backlog").
 * @param claimed keys of the periods that documents bill
 * @param level the organisation's setting for due periods
 */
export function backlogItems(
  sources: readonly RecurringSource[],
  claimed: ReadonlySet<string>,
  level: AutoInvoiceMode,
): BacklogItem[] {
  const items = sources
    .filter(({ invoiceable }) => invoiceable)
    .flatMap(({ source, source_id, company_id, company_name, name, currency, level: own, periods }) =>
      periods.flatMap(({ period_start, period_end, amount, future }): BacklogItem[] => {
        const id = periodKey(source, source_id, period_end);
        if (claimed.has(id)) return [];
        const auto_mode = own ?? level;
        return [
          {
            id,
            source,
            source_id,
            company_id,
            company_name,
            name,
            currency,
            amount,
            auto_mode,
            period_start,
            period_end,
            future,
          },
        ];
      }),
    );
  return items.sort(
    (one, other) =>
      byText(one.period_end, other.period_end) ||
      one.company_name.localeCompare(other.company_name) ||
      one.name.localeCompare(other.name) ||
      byText(one.id, other.id),
  );
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The number of periods, the total in the organisation's currency, and the number in other currencies. */
export function totalOf(
  items: readonly BacklogItem[],
  currency: string,
): { count: number; amount: DecimalText; unconverted_count: number } {
  const own = items.filter((item) => item.currency === currency);
  return {
    count: items.length,
    amount: formatDecimal(sum(own.map(({ amount }) => amount))),
    unconverted_count: items.length - own.length,
  };
}

/** The key and name of an item's group: the client, the month of its end, or its source. */
function groupOf({ company_id, company_name, period_end, source }: BacklogItem, group: BacklogGrouping): [string, string] {
  if (group === "company") return [company_id ?? "", company_name];
  return [group === "month" ? period_end.slice(0, 7) : source, ""];
}

/** The items by group with their totals: clients by name, those without one last; months and sources by key. */
export function backlogGroups(items: readonly BacklogItem[], group: BacklogGrouping, currency: string) {
  const groups = Map.groupBy(items, (item) => groupOf(item, group)[0]);
  return [...groups]
    .map(([key, members]) => ({ key, label: groupOf(members[0] as BacklogItem, group)[1], ...totalOf(members, currency) }))
    .sort(
      (one, other) =>
        Number(one.key === "") - Number(other.key === "") || one.label.localeCompare(other.label) || byText(one.key, other.key),
    );
}
