import { columns } from "../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { count } from "../../../core/figures/counting.ts";
import { drain } from "../../../core/jobs/drain.ts";
import { Gathering } from "../../../core/jobs/gathering.ts";
import { writeInsistently } from "../../../core/jobs/insisting.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { WebhookDelivery, type WebhookDeliveryRow, type WebhookEndpointRow } from "../models.ts";
import { inDeliverySpan } from "./delivery-span.ts";
import { messageBody, messageId } from "./message.ts";
import { ENABLED, isDelivered, noteDelivered, noteRejected, type Outcome } from "./outcomes.ts";
import { sendMessage } from "./sending.ts";
import { deliverTo, expectDeliveries, wakeAt } from "./waking.ts";

/** Deliveries per run, and how many of them are sent in parallel. */
const BATCH = 64;
const AT_ONCE = 8;
/**
 * After this many ms, or a missing response, a run starts no more deliveries, so that hanging endpoints take turns; the next run continues.
 */
const SPENT = 30_000;

/** Milliseconds that an outcome waits for those of messages that are still under way: they share a transaction. */
const LINGER = 40;

const DUE = statement(`select ${columns(WebhookDelivery)} from webhook_deliveries
  where organisation_id = $1 and endpoint_id = $2 and status = 'pending' and next_attempt_at <= statement_timestamp()
  order by seq limit ${BATCH}`);
const NEXT = statement(`select min(d.next_attempt_at) as at, min(d.next_attempt_at) <= statement_timestamp() as is_due
  from webhook_deliveries d join webhook_endpoints e on e.organisation_id = d.organisation_id and e.id = d.endpoint_id and e.enabled
 where d.organisation_id = $1 and d.endpoint_id = $2 and d.status = 'pending'`);

/** Schedules the endpoint's next run: now if more is due, else at the next attempt. */
async function planNext(endpointId: string): Promise<void> {
  const next = await queryOne<{ at: string | null; is_due: boolean | null }>(NEXT, [request().organisation.id, endpointId]);
  if (!next?.at) return;
  if (next.is_due) deliverTo(endpointId);
  else wakeAt(endpointId, new Date(next.at));
}

/**
 * Sends the due deliveries of one endpoint: those of one record in the order of their events, those of different records in parallel. A
 * rejected delivery waits for its own next attempt and does not block the rest. Each outcome is stored before the record's next delivery is
 * sent, so that after a crash only deliveries without a stored outcome are repeated. Deliveries that end at the same time share a transaction.
 */
export async function deliver(run: OrganisationRun<{ endpoint_id: string }>): Promise<void> {
  const { payload, organisation, signal } = run;
  const endpointId = payload.endpoint_id;
  const place = [organisation.id, endpointId];
  const [[found], due] = (await run.read(() => queryAll([ENABLED, place], [DUE, place]))) as unknown as [
    WebhookEndpointRow[],
    WebhookDeliveryRow[],
  ];
  let endpoint = found;
  if (!endpoint) return;
  expectDeliveries(organisation.id);
  let underWay = 0;
  const note = async (outcomes: readonly Outcome[]) => {
    const now = await run.write(() => noteDelivered(endpointId, outcomes));
    return outcomes.map(() => now);
  };
  const delivered = new Gathering<Outcome, WebhookEndpointRow | undefined>(note, () => (underWay > 0 ? LINGER : 0));
  const insisting = { signal, write: <T>(work: () => Promise<T>) => work() };
  const rules = { orderKey: ({ entity_id }: WebhookDeliveryRow) => entity_id, atOnce: AT_ONCE, longest: SPENT, signal };
  await drain(due, rules, async (delivery) => {
    const asked = endpoint;
    if (!asked) return false;
    underWay += 1;
    const send = () => sendMessage(asked, messageId(delivery), messageBody(delivery), signal);
    const attempt = await inDeliverySpan(delivery, send).finally(() => (underWay -= 1));
    count("kantoor.webhooks.attempts.total", { outcome: isDelivered(attempt) ? "delivered" : "rejected" });
    const outcome = { delivery, attempt, now: new Date() };
    // The next message heeds a change made while this one was under way: another address or secret, disabled, removed.
    endpoint = isDelivered(attempt)
      ? await writeInsistently(insisting, () => delivered.add(outcome))
      : await writeInsistently(run, () => noteRejected(asked, outcome));
    return endpoint !== undefined && attempt.status !== null;
  });
  await run.write(() => planNext(endpointId));
}
