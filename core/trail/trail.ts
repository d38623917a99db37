import { column, columns, model, newId } from "../database/model.ts";
import { isSeen } from "../database/named-record.ts";
import { NOBODY_RESTRICTED, type Projection, projection } from "../database/projection.ts";
import { enqueue } from "../database/query.ts";
import { queueInsert, type Values } from "../database/write.ts";
import type { NamedInTrail } from "../declare/module.ts";
import { impersonatorName } from "../request/caller.ts";
import { request } from "../request/context.ts";
import type { TSchema } from "../schema/schema.ts";
import { statement } from "../sql/statement.ts";
import { reportChange, reportLine } from "./record-changes.ts";

/** The trail: its lines are written once and never changed, so they have no version. */
export const Activity = model("activity", {
  id: column.uuid().withDefault(),
  organisation_id: column.uuid().byPlatform(),
  entity_type: column.text(),
  entity_id: column.uuid(),
  action: column.text(),
  payload: column.json().withDefault(),
  actor_account_id: column.uuid().orNull(),
  actor_service_account_id: column.uuid().orNull(),
  actor_name: column.text().orNull(),
  impersonator_name: column.text().orNull(),
  /** `X-Request-Id` of the request, or the id of the job. */
  request_id: column.text().orNull(),
  created_at: column.instant().withDefault(),
});

const DIFFERING = statement(`insert into activity (id, organisation_id, entity_type, entity_id, action, payload, actor_account_id,
    actor_service_account_id, actor_name, impersonator_name, request_id)
  select l.id, $1, $2, l.entity_id, $3, l.payload, $5, $6, $7, $8, $9
    from jsonb_to_recordset($4::jsonb) l (id uuid, entity_id uuid, payload jsonb)`);

/** A tracked field before and after. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** The payload of a line, with the automation rule that caused it, if any (platform §2.5). */
function payloadOf(payload: Record<string, unknown>): Record<string, unknown> {
  const { cause } = request();
  return cause ? { ...payload, rule: cause.rule } : payload;
}

/**
 * Writes one line of the trail (conventions §12) in the current transaction and reports it to outgoing webhooks. It stores the actor's name
 * in case the account is deleted later.
 */
export function trail(entityType: string, entityId: string, action: string, payload: Record<string, unknown> = {}): void {
  reportLine(entityType, entityId, action, payload);
  const { principal, requestId } = request();
  queueInsert(Activity, {
    entity_type: entityType,
    entity_id: entityId,
    action,
    payload: payloadOf(payload),
    actor_account_id: principal?.accountId ?? null,
    actor_service_account_id: principal?.serviceAccountId ?? null,
    actor_name: principal?.name ?? null,
    impersonator_name: impersonatorName(),
    request_id: requestId,
  });
}

/**
 * Writes the line of a changed record if a tracked field changed, and reports all written fields to outgoing webhooks. Notes and custom
 * values are not in the trail, but changing them does change the record.
 * @param written names of the written fields, as in the record's own response
 */
export function trailChanges(
  entityType: string,
  entityId: string,
  changes: Changes,
  written: readonly string[],
  about: Record<string, unknown> = {},
): void {
  if (Object.keys(changes).length > 0) trail(entityType, entityId, "updated", { changes, ...about });
  if (written.length > 0) reportChange(entityType, [entityId], "updated", written);
}

/** Writes the same line for several records, in one statement. */
export function trailAll(entityType: string, entityIds: readonly string[], action: string): void {
  trailEach(
    entityType,
    action,
    entityIds.map((entityId) => ({ entityId, payload: {} })),
  );
}

/** Writes a line for each of several records, each with its own payload, in one statement. */
export function trailEach(
  entityType: string,
  action: string,
  entries: readonly { readonly entityId: string; readonly payload: Record<string, unknown> }[],
): void {
  if (entries.length === 0) return;
  for (const { entityId, payload } of entries) reportLine(entityType, entityId, action, payload);
  const lines = JSON.stringify(
    entries.map(({ entityId, payload }) => ({ id: newId(), entity_id: entityId, payload: payloadOf(payload) })),
  );
  enqueue(DIFFERING, [request().organisation.id, entityType, action, lines, ...origin()]);
}

/** The actor of a line, and the request. */
function origin(): (string | null)[] {
  const { principal, requestId } = request();
  const { accountId = null, serviceAccountId = null, name = null } = principal ?? {};
  return [accountId, serviceAccountId, name, impersonatorName(), requestId];
}

/** The tracked fields that differ between two states of a row. */
export function changesOf(tracked: readonly string[], before: object, after: object): Changes {
  const changes: Changes = {};
  const [stored, written] = [before, after] as [Values, Values];
  for (const field of tracked) {
    const from = stored[field] ?? null;
    const to = field in written ? (written[field] ?? null) : from;
    if (from !== to) changes[field] = { from, to };
  }
  return changes;
}

/** The payload of line `t`. Under a selection, texts of records that are hidden from the caller or deleted are null. */
function shownPayload(named: readonly NamedInTrail[], sources: string): string {
  if (sources === NOBODY_RESTRICTED) return "t.payload";
  const hidden = named.flatMap(({ record, texts }) =>
    Object.entries(texts).map(
      ([id, text]) => `case when t.payload ? '${id}' and t.payload ? '${text}' and not exists (select 1 from ${record.table} r
        where r.organisation_id = t.organisation_id and r.id = (t.payload ->> '${id}')::uuid and ${isSeen(record, "r", sources)})
        then '{"${text}": null}'::jsonb else '{}'::jsonb end`,
    ),
  );
  return `case when ${sources} is null then t.payload else ${["t.payload", ...hidden].join(" || ")} end`;
}

/**
 * How lines are rendered: with the actor's current name, or the recorded name if the account is deleted (conventions §12).
 * @param named the types of records that payloads refer to
 */
export const trailProjection = (schema: TSchema, named: readonly NamedInTrail[]): Projection =>
  projection({
    model: Activity,
    schema,
    columns: {
      payload: "shown.payload",
      actor_user_id: "t.actor_account_id",
      actor_name: "coalesce(actor.name, t.actor_name)",
      actor_deleted: "actor.name is null and coalesce(t.actor_account_id, t.actor_service_account_id) is not null",
    },
    // `offset 0` keeps this a look-up per line: a plain join could change the order.
    joins: (sources) => `left join lateral (
      select coalesce(nullif(a.full_name, ''), a.email) as name from accounts a where a.id = t.actor_account_id
      union all
      select s.name from service_accounts s where s.organisation_id = t.organisation_id and s.id = t.actor_service_account_id
      offset 0) actor on true
      cross join lateral (select ${shownPayload(named, sources)} as payload offset 0) shown`,
  });

/**
 * The newest lines about one record, newest first, as a source of `trailProjection`.
 * @param entity SQL of the record's entity type and id, of the number of lines, and an extra condition
 */
export const newestLines = ({
  type,
  id,
  most,
  when = "true",
}: {
  type: string;
  id: string;
  most: string;
  when?: string;
}): string =>
  `(select ${columns(Activity)} from activity where organisation_id = $1 and entity_type = ${type} and entity_id = ${id} and ${when}
    order by created_at desc, id desc limit ${most})`;
