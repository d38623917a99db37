import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { remove, update } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { conflict, forbidden, notFound, refusal } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { byCaller } from "../../visibility.ts";
import { inSelection } from "../interaction.list.ts";
import { mayDelete, ownsMailbox, type StoredInteraction } from "../interaction-rows.ts";
import type { InteractionFiling } from "../interaction-schemas.ts";
import { emitToHosts, fileInteractions } from "../interaction-writes.ts";
import { Interaction } from "../models.ts";
import { conversationsOf } from "./conversations.ts";
import { takeTurns } from "./mailbox-facts.ts";

type Filing = Static<typeof InteractionFiling>;

const SUPPRESS = statement(`insert into interaction_suppressions (organisation_id, owner_account_id, kind, value)
  values ($1, $2, $3, $4) on conflict do nothing`);
const LOGGED_ELSEWHERE = statement(`select 1 from unnest($2::text[]) v (header)
  join interactions i on i.organisation_id = $1 and i.message_key = message_key(v.header) and i.status = 'logged' limit 1`);
const SIBLINGS = byCaller((clients) =>
  statement(`select t.id, t.owner_account_id, ($4::uuid[] is null or ${inSelection(clients, "$4::uuid[]")}) as is_seen from interactions t
    where t.organisation_id = $1 and t.conversation_id = $2 and t.status = 'logged' and t.id <> $3 order by t.id for update of t`),
);

/** @throws 409 for a row that did not come from a mailbox, 403 for another person's mailbox */
function requireReviewable(row: StoredInteraction): void {
  if (row.source !== "mail") throw refusal("invalid_state", "errors.interactions_manual_no_review");
  if (!ownsMailbox(row)) throw forbidden("errors.interactions_owner_only");
}

/** @throws 409 for a row that was already reviewed */
function requirePending(row: StoredInteraction): void {
  if (row.status !== "pending") throw refusal("invalid_state", "errors.interactions_not_pending");
}

const payloadOf = (row: Pick<StoredInteraction, "id" | "owner_account_id" | "company_id" | "project_id" | "task_id">) => ({
  interaction_id: row.id,
  owner_user_id: row.owner_account_id,
  company_id: row.company_id,
  project_id: row.project_id,
  task_id: row.task_id,
});

/** @throws 409 if a message was logged from another mailbox or uploaded while it was pending here */
async function requireFirst(rows: readonly StoredInteraction[]): Promise<void> {
  const headers = rows.flatMap(({ message_id: header }) => header ?? []);
  if (headers.length === 0) return;
  await takeTurns(headers);
  if (await queryOne(LOGGED_ELSEWHERE, [request().organisation.id, headers]))
    throw conflict("errors.interactions_mail_already_logged");
}

/** Logs pending messages for the team: each joins its thread's conversation. */
export async function approve(rows: readonly StoredInteraction[], filing: Filing): Promise<void> {
  for (const row of rows) {
    requireReviewable(row);
    requirePending(row);
  }
  await requireFirst(rows);
  const conversations = await conversationsOf(rows.map(({ mail_thread_id: thread }) => thread));
  for (const { row, filed } of await fileInteractions(rows, filing)) {
    const { mail_thread_id: thread } = row;
    const conversation_id = (thread !== null && conversations.get(thread)) || row.conversation_id;
    // Later rows of the same thread join this conversation.
    if (thread !== null) conversations.set(thread, conversation_id);
    update(Interaction, row.id, { ...filed, status: "logged", conversation_id });
    trail("interaction", row.id, "approved");
    emitToHosts({ ...row, ...filed });
    emit("interaction.approved", "interaction", row.id, payloadOf({ ...row, ...filed }));
  }
}

/** Changes the filing of messages, pending or logged. */
export async function remap(rows: readonly StoredInteraction[], filing: Filing): Promise<void> {
  for (const row of rows) requireReviewable(row);
  for (const { row, filed, changed, moved } of await fileInteractions(rows, filing)) {
    const fields = Object.keys(changed);
    if (fields.length === 0 && !moved) continue;
    update(Interaction, row.id, changed);
    if (row.status === "pending") continue;
    trail("interaction", row.id, "updated", { changed: moved ? [...fields, "contacts"] : fields });
    if (fields.length > 0) emitToHosts({ ...row, ...filed });
  }
}

/** Deletes a pending message; neither it nor, on request, its thread is fetched again. */
export function reject(row: StoredInteraction, suppressThread: boolean): void {
  requireReviewable(row);
  requirePending(row);
  const place = [request().organisation.id, row.owner_account_id];
  for (const id of [row.message_id, row.mail_message_id]) if (id !== null) enqueue(SUPPRESS, [...place, "message", id]);
  if (suppressThread && row.mail_thread_id !== null) enqueue(SUPPRESS, [...place, "thread", row.mail_thread_id]);
  emit("interaction.rejected", "interaction", row.id, payloadOf(row));
  remove(Interaction, row.id);
}

/**
 * Deletes a contact moment, or all logged messages of its conversation. The mailbox keeps its messages, and none is fetched again.
 * @returns the deleted ids
 * @throws 404 if the caller may not delete the row or another message of the conversation, or does not see one
 */
export async function removeInteraction(row: StoredInteraction): Promise<string[]> {
  if (!mayDelete(row)) throw notFound();
  const { organisation, principal } = request();
  const siblings =
    row.status === "pending"
      ? []
      : await query<StoredInteraction & { is_seen: boolean }>(SIBLINGS(), [
          organisation.id,
          row.conversation_id,
          row.id,
          principal?.selection ?? null,
        ]);
  if (siblings.some((sibling) => !sibling.is_seen || !mayDelete(sibling))) throw notFound();
  const ids = [row, ...siblings].map(({ id }) => id);
  await reportLostReferences(Interaction, ids);
  for (const id of ids) {
    // Only its owner knows of a pending message, so nothing records its deletion.
    if (row.status !== "pending") trail("interaction", id, "deleted");
    remove(Interaction, id);
  }
  if (row.status === "pending") await runHooks("interaction.discarded", { interaction_id: row.id });
  return ids;
}
