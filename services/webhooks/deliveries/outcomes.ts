import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { grantsThatMeet } from "../../../core/declare/permissions.ts";
import { queueMails } from "../../../core/mail/mail.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import {
  type DisabledReason,
  type StoredAttempt,
  type WebhookDeliveryRow,
  WebhookEndpoint,
  type WebhookEndpointRow,
} from "../models.ts";
import { GONE, isTaken, PATIENCE, waitAfterAttempt } from "./retries.ts";
import type { Attempt } from "./sending.ts";

const MANAGE = "settings.webhooks.manage";

// What an endpoint's former address answers says nothing about its new one.
const FAILED = statement(`update webhook_endpoints
    set failing_since = case when url = $3 then coalesce(failing_since, statement_timestamp()) else failing_since end
  where organisation_id = $1 and id = $2
  returning url <> $3 as is_moved,
    failing_since <= statement_timestamp() - make_interval(secs => $4::double precision / 1000) as is_over`);
/** An endpoint to which deliveries may be sent. */
const SENDABLE = `select ${columns(WebhookEndpoint)} from webhook_endpoints where organisation_id = $1 and id = $2 and enabled`;
export const ENABLED = statement(SENDABLE);
/** Stores the attempts `$2`. If the same attempt is stored twice because the commit's response was lost, it adds nothing. */
const storing = (attempts: string): string => `update webhook_deliveries d set status = a.status, attempts = d.attempts + 1,
    next_attempt_at = a.next_attempt_at, last_attempt_at = a.at, response_status = a.response_status, response_body = a.response_body,
    error = a.error, attempt_log = d.attempt_log || a.log, version = d.version + 1, updated_at = statement_timestamp()
  from jsonb_to_recordset(${attempts}::jsonb) a (id uuid, status text, next_attempt_at timestamptz, at timestamptz, response_status int,
    response_body text, error text, log jsonb)
  where d.organisation_id = $1 and d.id = a.id and d.last_attempt_at is distinct from a.at`;
const ATTEMPTED = statement(storing("$2"));
/**
 * Stores attempts `$3` that endpoint `$2` took, and returns the endpoint. A success is not a person's change of the endpoint, so its version
 * stays. The condition on `succeeded` locks the endpoint before the deliveries, in the same order as removing an endpoint.
 */
const DELIVERED = statement(`with
  succeeded as (update webhook_endpoints set failing_since = null, last_success_at = statement_timestamp()
    where organisation_id = $1 and id = $2
      and (failing_since is not null or last_success_at is null or last_success_at < statement_timestamp() - interval '1 minute')
    returning id),
  stored as (${storing("$3")} and (select count(*) from succeeded) >= 0)
  ${SENDABLE}`);
const DISABLE =
  statement(`update webhook_endpoints set enabled = false, disabled_reason = $3, disabled_at = statement_timestamp(),
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and enabled returning name`);
// Members with a restricted selection may not manage webhooks.
const MANAGERS =
  statement(`select a.id, a.email, a.full_name, a.locale from member_access m join accounts a on a.id = m.account_id
   where m.organisation_id = $1 and m.is_live and m.selection is null
     and m.membership_id in (select h from members_holding($1, $2::text[]) h)`);

interface Manager {
  id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
}

/** Disables an endpoint and mails the members who manage webhooks, once, however many deliveries fail. */
async function disable(endpointId: string, reason: DisabledReason): Promise<void> {
  const { organisation } = request();
  const disabled = await queryOne<{ name: string }>(DISABLE, [organisation.id, endpointId, reason]);
  if (!disabled) return;
  const managers = await query<Manager>(MANAGERS, [organisation.id, grantsThatMeet(MANAGE)]);
  await queueMails(
    managers.map(({ id, email, full_name, locale }) => ({
      kind: "webhook-disabled",
      to: { address: email, name: full_name, locale, accountId: id },
      variables: { webhook_name: disabled.name, reason },
      entity: { type: "webhook_endpoint", id: endpointId },
    })),
  );
}

/** Whether the receiver took the message. */
export const isDelivered = ({ status }: Attempt): boolean => status !== null && isTaken(status);

/** An attempt at a delivery, and when it ended. */
export interface Outcome {
  delivery: Pick<WebhookDeliveryRow, "id" | "attempts" | "round_began">;
  attempt: Attempt;
  now: Date;
}

/** The attempts as their statement takes them. @param wait milliseconds until the next attempt; null if there is none */
function rowsOf(outcomes: readonly Outcome[], status: string, wait: number | null = null): string {
  const rows = outcomes.map(({ delivery: { id }, attempt, now }) => {
    const made: StoredAttempt = {
      at: now.toISOString(),
      response_status: attempt.status,
      response_body: attempt.body,
      error: attempt.error,
    };
    const next_attempt_at = wait === null ? null : new Date(now.valueOf() + wait).toISOString();
    return { id, status, next_attempt_at, ...made, log: [made] };
  });
  return JSON.stringify(rows);
}

/** The enabled endpoint as it is now; undefined if it was disabled or removed. */
const enabledEndpoint = (id: string): Promise<WebhookEndpointRow | undefined> =>
  queryOne<WebhookEndpointRow>(ENABLED, [request().organisation.id, id]);

/** The meaning of a failure for the delivery and for its endpoint. */
interface Failure {
  /** Whether the delivery is tried again. */
  mayRetry: boolean;
  /** Why to disable the endpoint, or null. */
  reason: DisabledReason | null;
}

/** Records a failure at the address that the endpoint had when the message was sent. */
async function noteFailure({ id, url }: Pick<WebhookEndpointRow, "id" | "url">, { status }: Attempt): Promise<Failure> {
  const place = [request().organisation.id, id];
  const failing = await queryOne<{ is_moved: boolean; is_over: boolean }>(FAILED, [...place, url, PATIENCE]);
  if (!failing) return { mayRetry: false, reason: null };
  if (failing.is_moved) return { mayRetry: true, reason: null };
  if (status === GONE) return { mayRetry: false, reason: "gone" };
  return { mayRetry: true, reason: failing.is_over ? "failing" : null };
}

/**
 * Records in the current transaction that an endpoint took these deliveries: one statement for any number.
 * @returns the endpoint for the next delivery, as it is now; undefined if nothing more may be sent there
 */
export const noteDelivered = (endpointId: string, outcomes: readonly Outcome[]): Promise<WebhookEndpointRow | undefined> =>
  queryOne<WebhookEndpointRow>(DELIVERED, [request().organisation.id, endpointId, rowsOf(outcomes, "delivered")]);

/**
 * Records a rejected attempt in the current transaction: the delivery waits for its next one or has failed; an endpoint that returned 410 or
 * accepted nothing for three days is disabled.
 * @param endpoint as it was when the message was sent
 * @returns the endpoint for the next delivery, as it is now; undefined if nothing more may be sent there
 */
export async function noteRejected(
  endpoint: Pick<WebhookEndpointRow, "id" | "url">,
  outcome: Outcome,
): Promise<WebhookEndpointRow | undefined> {
  const { attempts: before, round_began } = outcome.delivery;
  // Locks the endpoint before the delivery, too.
  const { mayRetry, reason } = await noteFailure(endpoint, outcome.attempt);
  const wait = mayRetry ? waitAfterAttempt(before + 1 - round_began) : null;
  enqueue(ATTEMPTED, [request().organisation.id, rowsOf([outcome], wait === null ? "failed" : "pending", wait)]);
  if (reason !== null) await disable(endpoint.id, reason);
  return enabledEndpoint(endpoint.id);
}
