import { periodMonths } from "../../../core/calendar/periods.ts";
import { firstByReference } from "../../../core/database/lists/first.ts";
import { type ListQuery, listing } from "../../../core/database/lists/list.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { namedForOrder } from "../../../core/database/named-record.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { clientOf } from "../../../core/declare/records.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { answer, commaList, commaListed, decimal, list, optional, type Static, Type, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import type { DecimalText } from "../../../core/values/money.ts";
import { monthlyEquivalent, type Price } from "../../../core/values/prices.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Subscription } from "./models.ts";
import { amountAt } from "./prices.ts";
import { SUBSCRIPTION_STATUSES, SubscriptionRead } from "./subscription-schemas.ts";

/** An agreement is visible with its client. */
export const visibleSubscription = (slot: string): string => ofSelectedCompany("t.company_id", slot);

/** Projects on alias `p` that a restricted member sees: those of its clients, and those without a client (work chapter §0). */
export const visibleProject = (slot: string): string =>
  `(p.company_id is null or p.company_id in (select selected_companies(${slot})))`;
/** Tasks on alias `k` that a restricted member sees, by their own client or else their project's. */
export const visibleTask = (slot: string): string => {
  const client = clientOf("task", "k");
  return `(${client} is null or ${client} in (select selected_companies(${slot})))`;
};

/** The stored parts of an answer: `amountAt` picks the price in force on the organisation's day. */
const Stored = answer("StoredSubscription", {
  ...SubscriptionRead.properties,
  prices: list(Type.Object({ amount: decimal(), valid_from: Type.String() })),
});

const named = (table: string, column: string, alias: string, reference: string) =>
  `(select ${alias}.${column} from ${table} ${alias} where ${alias}.organisation_id = t.organisation_id and ${alias}.id = t.${reference})`;

/** The one select behind every answer with an agreement; includes only links that the caller sees. */
const subscriptionProjection = projection({
  model: Subscription,
  schema: Stored,
  columns: {
    company_name: named("companies", "name", "c", "company_id"),
    amount: "null",
    monthly_equivalent: "null",
    subscription_type_label: named("subscription_types", "label_i18n", "y", "subscription_type_id"),
    subscription_template_name: named("subscription_templates", "name", "m", "subscription_template_id"),
    project_ids: "linked.project_ids",
    task_ids: "linked.task_ids",
    prices: "priced.prices",
  },
  joins: (sources) => `left join lateral (select
      (select coalesce(json_agg(l.project_id order by l.project_id), '[]') from subscription_projects l
         join projects p on p.organisation_id = l.organisation_id and p.id = l.project_id
        where l.organisation_id = t.organisation_id and l.subscription_id = t.id
          and (${sources} is null or ${visibleProject(sources)})) as project_ids,
      (select coalesce(json_agg(l.task_id order by l.task_id), '[]') from subscription_tasks l
         join tasks k on k.organisation_id = l.organisation_id and k.id = l.task_id
        where l.organisation_id = t.organisation_id and l.subscription_id = t.id
          and (${sources} is null or ${visibleTask(sources)})) as task_ids) linked on true
    left join lateral (
      select coalesce(json_agg(json_build_object('amount', h.amount::text, 'valid_from', h.valid_from) order by h.valid_from), '[]') as prices
        from subscription_prices h where h.organisation_id = t.organisation_id and h.subscription_id = t.id) priced on true`,
  keepsOrder: true,
});

/** The length of a period in months, like `periodMonths`. */
const MONTHS = "((case t.interval when 'monthly' then 1 when 'quarterly' then 3 else 12 end) * t.interval_count)";
/** The price of agreement `t` on the day in `day`, like `amountAt`. */
export const amountOn = (day: string): string => `(select p.amount from subscription_prices p
  where p.organisation_id = t.organisation_id and p.subscription_id = t.id
  order by p.valid_from > ${day}, case when p.valid_from <= ${day} then p.valid_from end desc, p.valid_from limit 1)`;
const BY_NAME = "t.name collate kantoor_text, t.id";

/** The list of agreements (money §9). */
export const subscriptionListing = listing(
  {
    table: "subscriptions",
    searchable: true,
    order: "name",
    sorts: {
      name: { by: "t.name", text: true },
      status: { by: "t.status", text: true },
      start_date: { by: "t.start_date" },
      next_invoice_date: { by: "t.next_invoice_date", mayBeEmpty: true },
      // Today's price regardless of currency, like the sort of documents by total. No index covers it, as it depends on the day.
      amount: {
        by: "today.amount",
        join: `left join lateral (select coalesce(${amountOn("(select organisation_today())")}, 0) as amount) today on true`,
      },
      interval: { by: MONTHS },
      company: {
        by: "rc.name",
        text: true,
        mayBeEmpty: true,
        join: (sources) => namedForOrder("rc", namedClient, "t.company_id", sources),
        first: firstByReference({
          table: "subscriptions",
          parent: "companies",
          column: "company_id",
          by: ["c.name collate kantoor_text"],
          ties: BY_NAME,
        }),
      },
      // By the organisation's order of types.
      type: {
        by: `array_position(array(select o.id from subscription_types o
          where o.organisation_id = current_organisation() order by o.position, o.key), t.subscription_type_id)`,
        mayBeEmpty: true,
        unindexed: true,
        first: firstByReference({
          table: "subscriptions",
          parent: "subscription_types",
          column: "subscription_type_id",
          by: ["c.position", "c.key"],
          ties: BY_NAME,
        }),
      },
      created_at: { by: "t.created_at" },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      status: { type: "text[]", when: (slot) => `t.status = any(${slot})` },
      subscription_type_id: { type: "uuid", when: (slot) => `t.subscription_type_id = ${slot}` },
    },
    visible: visibleSubscription,
    kept: { by: "status" },
  },
  subscriptionProjection,
);

/** The filters of the list besides search and order; an export accepts the same. */
export const subscriptionQuery = {
  company_id: optional(uuid()),
  status: optional(
    commaList(200, SUBSCRIPTION_STATUSES, {
      description: "Comma-separated statuses; absent means every status, cancelled included",
    }),
  ),
  subscription_type_id: optional(uuid()),
};

/** The filters of the listing for a query. An unknown status matches nothing (money §2 "List"). */
export function subscriptionFilters({ status, ...same }: Partial<Record<keyof typeof subscriptionQuery, string | undefined>>) {
  return { ...same, status: commaListed(status) };
}

const rows = rowsOf({
  model: Subscription,
  projection: subscriptionProjection,
  listing: subscriptionListing,
  visible: visibleSubscription,
  narrowed: true,
});

type StoredSubscription = Static<typeof SubscriptionRead> & { prices: readonly Price[] };
type Answered = Static<typeof SubscriptionRead>;

/** An agreement with the price of a day and its monthly equivalent (money §9). */
function priced({ prices, ...subscription }: StoredSubscription, today: string): Answered {
  const amount: DecimalText = amountAt(prices, today);
  const months = periodMonths(subscription.interval, subscription.interval_count);
  return { ...subscription, amount, monthly_equivalent: monthlyEquivalent(amount, months, subscription.currency) };
}

function answered(found: JsonText): JsonText {
  const shown = priced(found.parse() as StoredSubscription, organisationToday());
  return new JsonText(JSON.stringify(shown), found.version);
}

/** Agreements that the running request may see. */
export const subscriptions = {
  forWrite: rows.forWrite,

  async one(id: string): Promise<JsonText> {
    return answered(await rows.one(id));
  },

  /** The agreement just written: this read also flushes the queued writes. */
  async answerWith(id: string): Promise<JsonText> {
    const { version, body } = (await queryOne<{ version: number; body: string }>(...rows.answerWith(id).bound)) as never;
    return answered(new JsonText(body, version));
  },

  /** A page of the list. @throws 400 `invalid_sort` */
  async page(asked: ListQuery, filters: Record<string, unknown> = {}) {
    const today = organisationToday();
    const { items, ...page } = (await rows.page(asked, filters)).parse() as { items: StoredSubscription[]; total: number };
    return { ...page, items: items.map((item) => priced(item, today)) };
  },
};
