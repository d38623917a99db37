import { daysBetween, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { type DecimalText, formatDecimal, sum } from "../../../../core/values/money.ts";

/** How long amounts are past their due date, in days. */
export const BUCKETS = ["not_due", "days_1_30", "days_31_60", "days_61_90", "older"] as const;
export type Bucket = (typeof BUCKETS)[number];
/** Last day of a bucket after the due date. */
const LAST: readonly (readonly [Bucket, number])[] = [
  ["not_due", 0],
  ["days_1_30", 30],
  ["days_31_60", 60],
  ["days_61_90", 90],
];

/** The bucket of an amount on a day: on its due date it is not due yet. */
export function bucketOf(due: IsoDate, on: IsoDate): Bucket {
  const late = daysBetween(due, on);
  return LAST.find(([, last]) => late <= last)?.[0] ?? "older";
}

/** What is open of a client's documents in one currency, with the same due date. */
export interface OpenAmount {
  readonly company_id: string;
  readonly name: string;
  readonly currency: string;
  readonly due_date: IsoDate;
  readonly amount: string;
  /** In the organisation's currency, of documents that can be converted. */
  readonly converted: string;
  readonly documents: number;
  readonly unconverted: number;
}

type Buckets = Record<Bucket, DecimalText> & { total: DecimalText };
export interface AgedClient extends Buckets {
  company_id: string;
  name: string;
  currency: string;
  document_count: number;
}
export interface Aged {
  clients: AgedClient[];
  totals: (Buckets & { currency: string; document_count: number })[];
  converted: Buckets;
  unconverted_count: number;
}

function bucketed(rows: readonly OpenAmount[], on: IsoDate, of: "amount" | "converted"): Buckets {
  const amounts = Map.groupBy(rows, ({ due_date }) => bucketOf(due_date, on));
  const added = (some: readonly OpenAmount[]) => formatDecimal(sum(some.map((row) => row[of])));
  const buckets = BUCKETS.map((bucket) => [bucket, added(amounts.get(bucket) ?? [])]);
  return { ...(Object.fromEntries(buckets) as Record<Bucket, DecimalText>), total: added(rows) };
}

const counted = (rows: readonly OpenAmount[]): number => rows.reduce((count, { documents }) => count + documents, 0);

/** What clients owe on a day, by how long it is due (money, "Reports"): the client with the largest amount first. */
export function agedOf(rows: readonly OpenAmount[], on: IsoDate): Aged {
  const converted = (some: readonly OpenAmount[]) => sum(some.map((row) => row.converted));
  const groups = [...Map.groupBy(rows, ({ company_id, currency }) => `${company_id} ${currency}`).values()].sort(
    (one, other) =>
      converted(other).comparedTo(converted(one)) ||
      ((one[0]?.name ?? "") < (other[0]?.name ?? "") ? -1 : 1) ||
      ((one[0]?.currency ?? "") < (other[0]?.currency ?? "") ? -1 : 1),
  );
  return {
    clients: groups.map((members) => {
      const { company_id, name, currency } = members[0] as OpenAmount;
      return { company_id, name, currency, ...bucketed(members, on, "amount"), document_count: counted(members) };
    }),
    totals: [...Map.groupBy(rows, ({ currency }) => currency)]
      .map(([currency, members]) => ({ currency, ...bucketed(members, on, "amount"), document_count: counted(members) }))
      .sort((one, other) => (one.currency < other.currency ? -1 : 1)),
    converted: bucketed(rows, on, "converted"),
    unconverted_count: rows.reduce((count, { unconverted }) => count + unconverted, 0),
  };
}
