import { describe as described } from "../descriptions/check-request.mjs";
import { type Condition, compare, type Gaql, meets } from "./gaql.ts";
import type { AdsRow, Fact, SimulatedCustomer } from "./state.ts";

const camel = (text: string) => text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Objects a row includes in addition to its own: the field that refers to the other object, and its resource. */
const SHOWN_WITH: Readonly<Record<string, readonly (readonly [field: string, resource: string])[]>> = {
  campaign: [["campaignBudget", "campaign_budget"]],
  ad_group: [["campaign", "campaign"]],
  ad_group_ad: [["adGroup", "ad_group"]],
  ad_group_criterion: [["adGroup", "ad_group"]],
  campaign_criterion: [["campaign", "campaign"]],
  campaign_shared_set: [
    ["campaign", "campaign"],
    ["sharedSet", "shared_set"],
  ],
  change_event: [
    ["campaign", "campaign"],
    ["adGroup", "ad_group"],
  ],
  keyword_view: [["adGroupCriterion", "ad_group_criterion"]],
  recommendation: [
    ["campaign", "campaign"],
    ["adGroup", "ad_group"],
  ],
  search_term_view: [["adGroup", "ad_group"]],
  shared_criterion: [["sharedSet", "shared_set"]],
  user_location_view: [["campaign", "campaign"]],
};
/** Fields that only link an object to another one; the provider does not have them. */
const JOINS = new Set(["keyword_view.adGroupCriterion", "search_term_view.adGroup", "user_location_view.campaign"]);

/** An object as a row, with all that can be selected with it. */
function rowOf(customer: SimulatedCustomer, resource: string, object: Record<string, unknown>): AdsRow {
  const row: AdsRow = { customer: customer.row };
  const show = (name: string, values: Record<string, unknown>): void => {
    row[camel(name)] = Object.fromEntries(Object.entries(values).filter(([field]) => !JOINS.has(`${name}.${field}`)));
    for (const [field, other] of SHOWN_WITH[name] ?? []) {
      const found = customer.object(other, String(values[field] ?? ""));
      if (found) show(other, found);
    }
  };
  show(resource, object);
  return row;
}

/** The objects behind a resource's rows. */
function objectsOf(customer: SimulatedCustomer, resource: string): Record<string, unknown>[] {
  if (resource === "customer") return [customer.row];
  if (resource === "customer_client") return clientsOf(customer);
  return [...(customer.objects.get(resource)?.values() ?? [])];
}

/** An account and its descendants, as `customer_client` lists them. */
function clientsOf(manager: SimulatedCustomer, at: SimulatedCustomer = manager, level = 0): Record<string, unknown>[] {
  const { descriptiveName, currencyCode, timeZone, testAccount, status } = at.values;
  const own = {
    resourceName: `${manager.resourceName}/customerClients/${at.id}`,
    clientCustomer: at.resourceName,
    id: at.id,
    level: String(level),
    manager: at.values.manager,
    hidden: false,
    ...{ descriptiveName, currencyCode, timeZone, testAccount, status },
  };
  return [own, ...at.children.flatMap((child) => clientsOf(manager, child, level + 1))];
}

/** Measurements by object of a resource. The account's are those of its campaigns. */
function factsOf(customer: SimulatedCustomer, resource: string): Map<string, Fact[]> {
  const wanted = resource === "customer" ? "campaign" : resource;
  const found = new Map<string, Fact[]>();
  for (const fact of customer.facts) {
    if (fact.resource !== wanted) continue;
    const of = resource === "customer" ? customer.resourceName : fact.of;
    const list = found.get(of);
    if (list) list.push(fact);
    else found.set(of, [fact]);
  }
  return found;
}

const INT64 = new Set(
  Object.entries(
    (described("googleads").schemas["common_Metrics"] as { properties: Record<string, { format?: string }> }).properties,
  )
    .filter(([, { format }]) => format === "int64")
    .map(([name]) => name),
);

/** Sums several days; for shares, which cannot be added, the last day counts. */
function summed(facts: readonly Fact[], names: readonly string[]): Record<string, unknown> {
  const sums = names.flatMap((name): [string, unknown][] => {
    const values = facts.map(({ metrics }) => metrics[name]).filter((value) => value !== undefined);
    if (values.length === 0) return /Share|Rank|Budget/.test(name) ? [] : [[name, INT64.has(name) ? "0" : 0]];
    if (/Share|Lost/.test(name)) return [[name, Number(values.at(-1))]];
    if (INT64.has(name)) return [[name, String(values.reduce((sum: bigint, one) => sum + BigInt(one), 0n))]];
    return [[name, values.reduce((sum: number, one) => sum + Number(one), 0)]];
  });
  return Object.fromEntries(sums);
}

/** The value of a field in a row: a camel-case path through it. */
function fieldIn(row: AdsRow, field: string): unknown {
  let here: unknown = row;
  for (const part of field.split(".").map(camel)) here = (here as Record<string, unknown> | undefined)?.[part];
  return here;
}

/** A row with the selected fields, and its objects' resource names, which are always included. */
function projected(row: AdsRow, select: readonly string[]): Record<string, unknown> {
  const result: Record<string, Record<string, unknown>> = {};
  for (const field of select) {
    const parts = field.split(".").map(camel);
    const value = fieldIn(row, field);
    if (value === undefined) continue;
    const [resource = ""] = parts;
    const name = row[resource]?.["resourceName"];
    let here = (result[resource] ??= name === undefined ? {} : { resourceName: name });
    for (const part of parts.slice(1, -1)) here = (here[part] ??= {}) as Record<string, unknown>;
    here[parts.at(-1) as string] = value;
  }
  return result;
}

const isAbout = (prefix: string) => (field: string) => field.startsWith(`${prefix}.`);
const [isMetric, isSegment] = [isAbout("metrics"), isAbout("segments")];

/** Runs a query over one account: all rows, before paging. */
export function execute(customer: SimulatedCustomer, { select, from, where, order, limit }: Gaql): Record<string, unknown>[] {
  const metrics = [...select, ...where.map(({ field }) => field), ...order.map(({ field }) => field)]
    .filter(isMetric)
    .map((field) => camel(field.slice("metrics.".length)));
  const segments = select.filter(isSegment);
  const of = (test: (field: string) => boolean): Condition[] => where.filter(({ field }) => test(field));
  const facts = factsOf(customer, from);
  const rows: AdsRow[] = [];
  for (const object of objectsOf(customer, from)) {
    const row = rowOf(customer, from, object);
    if (!of((field) => !isMetric(field) && !isSegment(field)).every((one) => meets(fieldIn(row, one.field), one))) continue;
    const own = (facts.get(String(object["resourceName"])) ?? []).filter((fact) =>
      of(isSegment).every((one) => meets(fieldIn({ segments: fact.segments }, one.field), one)),
    );
    if (metrics.length === 0 && segments.length === 0) rows.push(row);
    // Without a segment each object has one row, even without measurements; with one it has a row per measured value.
    else if (segments.length === 0) rows.push({ ...row, metrics: summed(own, metrics) });
    else
      for (const [, group] of Map.groupBy(own, ({ segments: values }) =>
        JSON.stringify(segments.map((field) => fieldIn({ segments: values }, field))),
      ))
        rows.push({ ...row, segments: { ...group[0]?.segments }, metrics: summed(group, metrics) });
  }
  const kept = rows.filter((row) => of(isMetric).every((one) => meets(fieldIn(row, one.field), one)));
  for (const { field, isDescending } of order.toReversed())
    kept.sort((a, b) => compare(fieldIn(a, field), fieldIn(b, field)) * (isDescending ? -1 : 1));
  return (limit === null ? kept : kept.slice(0, limit)).map((row) => projected(row, select));
}
