import { listQuery } from "../../../core/database/lists/list.ts";
import { columns, newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { webhookEvents } from "../../../core/declare/record-events.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { list, page } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { END_REMOVED } from "../deliveries/removed.ts";
import { isTaken } from "../deliveries/retries.ts";
import { type Attempt, sendMessage } from "../deliveries/sending.ts";
import { newSecret } from "../deliveries/signing.ts";
import { deliverTo, expectDeliveries } from "../deliveries/waking.ts";
import { WebhookEndpoint, type WebhookEndpointRow } from "../models.ts";
import { UNRESTRICTED } from "../unrestricted.ts";
import { endpointList, endpoints, shownEndpoint } from "./endpoint.list.ts";
import { chosenEvents, requirePublic } from "./endpoint-rules.ts";
import {
  WebhookEndpointCreate,
  WebhookEndpointRead,
  WebhookEndpointSecret,
  WebhookEndpointUpdate,
  WebhookEvent,
  WebhookPing,
} from "./endpoint-schemas.ts";

const permission = "settings.webhooks.manage";
/** How long the previous secret also signs after a rotation, in milliseconds. */
const OVERLAP = 24 * 3_600_000;
const PING = "webhook.ping";

const { q: _unsearchable, ...paging } = listQuery(endpointList.spec.sorts);

const ONE = shownEndpoint.one();
const STORED = statement(`select ${columns(WebhookEndpoint)} from webhook_endpoints where organisation_id = $1 and id = $2`);
// Deliveries that waited while the endpoint was disabled are due at once.
const DUE_NOW = statement(`update webhook_deliveries set next_attempt_at = statement_timestamp()
  where organisation_id = $1 and endpoint_id = $2 and status = 'pending' and next_attempt_at > statement_timestamp()`);

/** The endpoint as the response shows it, with its new secret. */
async function withSecret(id: string, secret: string): Promise<JsonText> {
  const row = await queryOne<{ version: number; body: string }>(ONE, [request().organisation.id, id]);
  if (!row) throw notFound();
  return new JsonText(JSON.stringify({ ...JSON.parse(row.body), secret }), row.version);
}

/** Sends the deliveries that waited for an endpoint, once it is enabled again. */
async function resume(id: string): Promise<void> {
  await query(DUE_NOW, [request().organisation.id, id]);
  expectDeliveries(request().organisation.id);
  deliverTo(id);
}

/** Pings a stored endpoint. @throws 404 */
async function ping(id: string): Promise<Attempt> {
  const { organisation } = request();
  const endpoint = await queryOne<WebhookEndpointRow>(STORED, [organisation.id, id]);
  if (!endpoint) throw notFound();
  const body = JSON.stringify({
    type: PING,
    timestamp: new Date().toISOString(),
    data: { endpoint_id: id, name: endpoint.name },
  });
  return sendMessage(endpoint, `${newId()}_${id}`, body);
}

/** The endpoints to which an organisation's events are sent. */
export default resource("webhooks.endpoints", {
  model: WebhookEndpoint,
  actions: {
    list: action({
      rest: "GET /webhooks/endpoints",
      summary: "List endpoints by name",
      permission,
      everyClient: true,
      exceptions: { selection: UNRESTRICTED },
      query: paging,
      returns: page(WebhookEndpointRead),
      handler: (ctx) => endpoints.page(ctx.params),
    }),

    get: action({
      rest: "GET /webhooks/endpoints/:endpoint_id",
      summary: "Read one endpoint",
      permission,
      everyClient: true,
      exceptions: { selection: UNRESTRICTED },
      returns: WebhookEndpointRead,
      handler: (ctx) => endpoints.one(ctx.params.endpoint_id),
    }),

    create: action({
      rest: "POST /webhooks/endpoints",
      summary: "Have events sent to an address",
      description:
        "Messages follow Standard Webhooks and are signed with `secret`, which only this answer contains. Those of one record arrive in order as long as each is accepted.",
      permission,
      everyClient: true,
      body: WebhookEndpointCreate,
      example: { name: "Boekhouding", url: "https://www.example.com/hooks/kantoor", events: ["invoice.issued", "invoice.paid"] },
      returns: WebhookEndpointSecret,
      oneTime: true,
      prepare: (ctx) => requirePublic(ctx.params.body.url),
      async handler(ctx) {
        const { name, url, events: wanted, enabled } = ctx.params.body;
        const secret = newSecret();
        const id = queueInsert(WebhookEndpoint, {
          name,
          url,
          events: chosenEvents(wanted),
          secret,
          ...(enabled !== undefined && { enabled }),
        });
        trail("webhook_endpoint", id, "created", { name });
        expectDeliveries(ctx.meta.organisation.id);
        return withSecret(id, secret);
      },
    }),

    update: action({
      rest: "PATCH /webhooks/endpoints/:endpoint_id",
      summary: "Change an endpoint",
      description: "No events are recorded for a disabled endpoint. Enabled again, it gets its waiting messages at once.",
      permission,
      everyClient: true,
      body: WebhookEndpointUpdate,
      example: { events: ["invoice.issued", "invoice.paid", "invoice.credited"] },
      returns: WebhookEndpointRead,
      async prepare(ctx) {
        const { url } = ctx.params.body;
        if (url !== undefined) await requirePublic(url);
      },
      async handler(ctx) {
        const { endpoint_id: id, body } = ctx.params;
        const before = await endpoints.forWrite(id);
        const changed = differences(before, { ...body, ...(body.events && { events: chosenEvents(body.events) }) });
        if (changed) {
          const isOnAgain = changed.enabled === true;
          queueUpdate(WebhookEndpoint, id, {
            ...changed,
            // The old address's failures do not apply to the new one.
            ...((isOnAgain || changed.url !== undefined) && { failing_since: null }),
            ...(isOnAgain && { disabled_reason: null, disabled_at: null }),
          });
          trail("webhook_endpoint", id, "updated", {
            name: before.name,
            changes: changesOf(WebhookEndpoint.tracked, before, changed),
          });
          if (isOnAgain) await resume(id);
        }
        return endpoints.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /webhooks/endpoints/:endpoint_id",
      summary: "Remove an endpoint; its unsent messages fail",
      description: "Its deliveries stay listed for 30 days.",
      permission,
      everyClient: true,
      async handler(ctx) {
        const id = ctx.params.endpoint_id;
        const { name } = await endpoints.forWrite(id);
        queueRemove(WebhookEndpoint, id);
        enqueue(END_REMOVED, [ctx.meta.organisation.id, id]);
        trail("webhook_endpoint", id, "deleted", { name });
      },
    }),

    rotate: action({
      rest: "POST /webhooks/endpoints/:endpoint_id/rotate",
      summary: "Replace the signing secret",
      description: "For 24 hours messages are signed with both. `secret` is in this answer and nowhere else.",
      permission,
      everyClient: true,
      returns: WebhookEndpointSecret,
      status: 200,
      oneTime: true,
      conditional: true,
      async handler(ctx) {
        const id = ctx.params.endpoint_id;
        const before = await endpoints.forWrite(id);
        const previous = unsealed(WebhookEndpoint, before, "secret");
        const secret = newSecret();
        queueUpdate(WebhookEndpoint, id, {
          secret,
          previous_secret: previous,
          previous_secret_until: previous === null ? null : new Date(Date.now() + OVERLAP).toISOString(),
        });
        trail("webhook_endpoint", id, "secret_rotated");
        return withSecret(id, secret);
      },
    }),

    ping: action({
      rest: "POST /webhooks/endpoints/:endpoint_id/ping",
      summary: "Send a test message and see the answer",
      description:
        "A signed message of the type `webhook.ping`, sent once, to a disabled endpoint too. It is not stored as a delivery.",
      permission,
      everyClient: true,
      returns: WebhookPing,
      status: 200,
      acts: "outside",
      prepare: (ctx) => ping(ctx.params.endpoint_id),
      async handler() {
        const { status, body, error } = prepared<Attempt>();
        return { ok: status !== null && isTaken(status), response_status: status, response_body: body, error };
      },
    }),

    events: action({
      rest: "GET /webhooks/events",
      summary: "The types of events that can be chosen",
      description:
        "Domain events, and `<kind>.created`, `.updated` and `.deleted` of records; `updated` names the changed fields. `/api/events.json` describes the content of each.",
      permission,
      everyClient: true,
      exceptions: { selection: UNRESTRICTED },
      returns: list(WebhookEvent),
      handler: () =>
        Object.entries(webhookEvents())
          .map(([name, { about, entity }]) => ({ name, description: about, entity_type: entity }))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    }),
  },
});
