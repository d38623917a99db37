import { later } from "../../../core/calendar/calendar.ts";
import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import { newId } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { emit, emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { requireTerm } from "../../../core/rules/term.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { type LinkChange, linkChange, storeLinks } from "./links.ts";
import { Subscription, type SubscriptionRow } from "./models.ts";
import { amountAt, first, pricesOf, storePrices } from "./prices.ts";
import { referencesOf } from "./references.ts";
import { subscriptions } from "./subscription.list.ts";
import type { SubscriptionCreate, SubscriptionUpdate } from "./subscription-schemas.ts";
import { firstActivation, subscriptionValues } from "./subscription-values.ts";

const TASK_TEMPLATES = statement(`select task_template_id as id from subscription_type_task_templates
  where organisation_id = $1 and subscription_type_id = $2 order by position`);

type EventSubject = Pick<SubscriptionRow, "id" | "company_id" | "name" | "subscription_type_id">;

/** Emits the first activation of an agreement and runs the other modules' in-transaction hooks (money §9 "First activation"). */
async function emitActivated({ id, company_id, name, subscription_type_id: type }: EventSubject): Promise<void> {
  emit("subscription.activated", "subscription", id, { subscription_id: id, company_id, name });
  const templates = type === null ? [] : await query<{ id: string }>(TASK_TEMPLATES, [request().organisation.id, type]);
  const task_template_ids = templates.map((template) => template.id);
  await runHooks("subscription.activated", { subscription_id: id, company_id, task_template_ids });
}

/** Stores links and emits the newly linked projects. */
async function link({ id, company_id, name }: EventSubject, { after, addedProjects }: LinkChange): Promise<void> {
  storeLinks(id, after);
  if (addedProjects.length === 0) return;
  const payloadFor = (project_id: string) => ({ subscription_id: id, company_id, name, project_id });
  emitAll(
    "subscription.project_linked",
    "subscription",
    addedProjects.map((project) => ({ entityId: id, payload: payloadFor(project) })),
  );
  await runHooks("subscription.projects_linked", { subscription_id: id, project_ids: addedProjects });
}

/**
 * Creates an agreement from a validated body, with its first price, links, trail and activation effects. Every path that creates one calls
 * this. Missing terms come from its preset.
 * @param ownId its id; a new one by default
 * @returns the new id
 * @throws 404 for a client the caller does not see, 400 for another unknown reference, 422 for a broken rule
 */
export async function createSubscription(body: Static<typeof SubscriptionCreate>, ownId?: string): Promise<string> {
  const sent = subscriptionValues(body, true, await activeDefinitions("subscription"));
  requireTerm({}, sent);
  const { preset } = await referencesOf(sent);
  const id = ownId ?? newId();
  const links = await linkChange(id, body);
  const { company_id = "", name = "", start_date = "", ...own } = sent;
  const row = {
    status: "active" as const,
    end_date: null,
    next_invoice_date: null,
    anchor: null,
    interval: "monthly" as const,
    interval_count: 1,
    subscription_type_id: null,
    ...preset,
    ...own,
    ...{ id, company_id, name, start_date },
  };
  const activation = firstActivation({ ...row, activated_at: null });
  queueInsert(Subscription, { ...row, ...(activation && { ...activation, activated_at: new Date().toISOString() }) });
  storePrices(start_date, [{ id, amount: formatAmount(body.amount) }]);
  trail("subscription", id, "created");
  if (links) await link(row, links);
  if (activation) await emitActivated(row);
  return id;
}

/**
 * The price change of an update; null without an amount or when that amount is already in force. It starts today, or with the first price
 * if that is later.
 */
async function priceChange({ id }: SubscriptionRow, body: Static<typeof SubscriptionUpdate>) {
  if (body.amount === undefined) return null;
  const prices = await pricesOf(id);
  const today = organisationToday();
  const valid_from = body.amount_valid_from ?? later(today, first(prices)?.valid_from ?? today);
  const [from, to] = [amountAt(prices, valid_from), formatAmount(body.amount)];
  const isThere = prices.some((price) => price.valid_from <= valid_from);
  return from === to && isThere ? null : { valid_from, from, to };
}

/**
 * Updates an agreement that the caller has locked. Fields that are not sent stay unchanged; a write without changes leaves no trace.
 * @param before the stored row
 * @returns whether anything changed
 * @throws 404 for a client the caller does not see, 400 for another unknown reference, 422 for a broken rule
 */
export async function changeSubscription(before: SubscriptionRow, body: Static<typeof SubscriptionUpdate>): Promise<boolean> {
  const { id } = before;
  const definitions = body.custom === undefined ? [] : await activeDefinitions("subscription");
  const changed = differences(before, subscriptionValues(body, false, definitions)) ?? {};
  requireTerm(before, changed);
  await referencesOf(changed);
  const links = await linkChange(id, body);
  const price = await priceChange(before, body);
  const after = { ...before, ...changed } as SubscriptionRow;
  const activation = firstActivation(after);
  if (Object.keys(changed).length === 0 && !links?.isChanged && !price && !activation) return false;

  const stored = { ...changed, ...(activation && { ...activation, activated_at: new Date().toISOString() }) };
  const changes = changesOf(Subscription.tracked, before, stored);
  if (price) changes["amount"] = { from: price.from, to: price.to };
  if (links?.isChanged)
    for (const kind of ["project_ids", "task_ids"] as const)
      if (links.before[kind].join() !== links.after[kind].join())
        changes[kind] = { from: links.before[kind], to: links.after[kind] };
  // Open periods go back from a new next boundary, and no longer from the end of the former cycle.
  const restart = "next_invoice_date" in stored ? { last_boundary: null } : {};
  // A change of only a price or a link increments the version too.
  queueUpdate(Subscription, id, { ...stored, ...restart } as never);
  if (price) storePrices(price.valid_from, [{ id, amount: price.to }]);
  const about = price ? { amount_valid_from: price.valid_from } : {};
  trailChanges("subscription", id, changes, Object.keys(stored), about);
  if (links?.isChanged) await link(after, links);
  if (activation) await emitActivated(after);
  return true;
}

/** Deletes an agreement with its prices and links; documents that billed it remain. @throws 404, 412 */
export async function removeSubscription(id: string): Promise<void> {
  await subscriptions.forWrite(id);
  await reportLostReferences(Subscription, [id]);
  queueRemove(Subscription, id);
  reportChange("subscription", [id], "deleted");
}
