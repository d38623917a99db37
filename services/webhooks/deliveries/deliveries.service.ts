import { clearOld } from "../../../core/clearing/clear.ts";
import { listQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryAll, queryOne } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";
import { type JobDeclaration, job } from "../../../core/jobs/jobs.ts";
import { page } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { WebhookDelivery, type WebhookDeliveryRow } from "../models.ts";
import { UNRESTRICTED } from "../unrestricted.ts";
import { deliveriesToClear, oldDeliveries } from "./deliveries.due.ts";
import { deliver } from "./delivering.ts";
import { deliveries, deliveryList, deliveryQuery, shownDelivery } from "./delivery.list.ts";
import { WebhookDeliveryDetail, WebhookDeliveryRead } from "./delivery-schemas.ts";
import { messageBody, messageId } from "./message.ts";
import { END_REMOVED, REMOVED } from "./removed.ts";
import { DELIVER, deliverTo, expectDeliveries, WAKE } from "./waking.ts";

const { q: _unsearchable, ...paging } = listQuery(deliveryList.spec.sorts);

// Endpoints with due deliveries, in case their job became a dead letter.
const FORGOTTEN = statement(`select distinct d.endpoint_id as id from webhook_deliveries d
   join webhook_endpoints e on e.organisation_id = d.organisation_id and e.id = d.endpoint_id and e.enabled
  where d.organisation_id = $1 and d.status = 'pending' and d.next_attempt_at <= statement_timestamp()`);

const ONE = shownDelivery.one();
const STORED = statement(`select ${columns(WebhookDelivery)} from webhook_deliveries where organisation_id = $1 and id = $2`);
// Locked, so that the endpoint is not removed between this check and the write.
const ENDPOINT_THERE = statement("select 1 from webhook_endpoints where organisation_id = $1 and id = $2 for key share");

const jobs: Record<string, JobDeclaration> = {
  [DELIVER]: job<{ endpoint_id: string }>({
    about: "Sends due messages to a webhook's endpoint, one job at a time for each",
    concurrency: 50,
    timeout: 90_000,
    retry: { attempts: 20, backoff: { first: 1000, factor: 2, most: 60_000 } },
    handler: deliver,
  }),
  [WAKE]: job<{ endpoint_id: string }>({
    about: "Queues the due attempts of a webhook's endpoint",
    retry: { attempts: 20, backoff: { first: 1000, factor: 2, most: 60_000 } },
    handler: (run) => run.write(async () => deliverTo(run.payload.endpoint_id)),
  }),
  "webhooks.clear": {
    about: "Removes old webhook deliveries, by default after 30 days, and queues due ones that no job sends",
    schedule: "40 2 * * *",
    due: deliveriesToClear,
    spread: 15,
    async handler(run) {
      await run.write(async () => {
        enqueue(END_REMOVED, [run.organisation.id, null]);
        for (const { id } of await query<{ id: string }>(FORGOTTEN, [run.organisation.id])) deliverTo(id);
      });
      await clearOld(run, oldDeliveries);
    },
  },
};

/** Deliveries to endpoints, and the jobs that send them. */
export default resource("webhooks.deliveries", {
  model: WebhookDelivery,
  jobs,
  actions: {
    list: action({
      rest: "GET /webhooks/deliveries",
      summary: "List deliveries with their answers, newest first",
      description:
        "Kept for 30 days, unless the operator chose another time. `response_body` is the beginning of the last answer, at most 1,024 bytes.",
      permission: "settings.webhooks.manage",
      everyClient: true,
      exceptions: { selection: UNRESTRICTED },
      query: {
        ...paging,
        ...deliveryQuery,
      },
      returns: page(WebhookDeliveryRead),
      handler(ctx) {
        const { endpoint_id, status, event } = ctx.params;
        return deliveries.page(ctx.params, { endpoint_id, status, event });
      },
    }),

    get: action({
      rest: "GET /webhooks/deliveries/:delivery_id",
      summary: "Read one delivery, with the body that was sent and every attempt",
      description: "Kept for 30 days, unless the operator chose another time, even after its endpoint is removed.",
      permission: "settings.webhooks.manage",
      everyClient: true,
      exceptions: { selection: UNRESTRICTED },
      returns: WebhookDeliveryDetail,
      async handler(ctx) {
        const place = [ctx.meta.organisation.id, ctx.params.delivery_id];
        const [[answered], [stored]] = (await queryAll([ONE, place], [STORED, place])) as unknown as [
          { version: number; body: string }[],
          WebhookDeliveryRow[],
        ];
        if (!answered || !stored) throw notFound();
        const more = { message_id: messageId(stored), request_body: messageBody(stored), attempt_log: stored.attempt_log };
        return new JsonText(JSON.stringify({ ...JSON.parse(answered.body), ...more }), answered.version);
      },
    }),

    replay: action({
      rest: "POST /webhooks/deliveries/:delivery_id/replay",
      summary: "Send a delivery again",
      description:
        "Uses the same `webhook-id`, whatever its outcome so far, with as many attempts as a new one, added to its earlier ones. A disabled endpoint gets it once enabled; a removed one cannot get any.",
      permission: "settings.webhooks.manage",
      everyClient: true,
      returns: WebhookDeliveryRead,
      errors: [`conflict ${REMOVED}`],
      status: 200,
      conditional: true,
      async handler(ctx) {
        const { organisation } = ctx.meta;
        const { id, endpoint_id, attempts } = await deliveries.forWrite(ctx.params.delivery_id);
        if (!(await queryOne(ENDPOINT_THERE, [organisation.id, endpoint_id]))) throw conflict(REMOVED);
        queueUpdate(WebhookDelivery, id, { status: "pending", round_began: attempts, next_attempt_at: new Date().toISOString() });
        expectDeliveries(organisation.id);
        deliverTo(endpoint_id);
        return deliveries.answerWith(id);
      },
    }),
  },
});
