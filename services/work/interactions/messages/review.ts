import { type BulkResult, eachRow } from "../../../../core/bulk/bulk.ts";
import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { forbidden, notFound, refusal } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { forStaffAndClients } from "../../visibility.ts";
import { inSelection } from "../interaction.list.ts";
import { fileInteractions } from "../interaction-filing.ts";
import { lockThoseSeen, mayDelete, ownsMailbox, type StoredInteraction } from "../interaction-rows.ts";
import type { InteractionFiling } from "../interaction-schemas.ts";
import { emitLogged, emitToHosts } from "../interaction-writes.ts";
import { Interaction } from "../models.ts";
import { conversationsOf } from "./conversations.ts";
import { serialiseCopies } from "./mailbox-facts.ts";

type Filing = Static<typeof InteractionFiling>;

const SUPPRESS = statement(`insert into interaction_suppressions (organisation_id, owner_account_id, kind, value)
  values ($1, $2, $3, $4) on conflict do nothing`);
/** The oldest logged moment with a Message-ID, one that the caller sees first. */
const LOGGED_ELSEWHERE = forStaffAndClients((clients) =>
  statement(`select t.id, t.conversation_id, ($3::uuid[] is null or ${inSelection(clients, "$3::uuid[]")}) as is_seen from interactions t
    where t.organisation_id = $1 and t.message_key = message_key($2) and t.status = 'logged' order by is_seen desc, t.created_at, t.id limit 1`),
);
const SIBLINGS = forStaffAndClients((clients) =>
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

/** The moment of a message that was logged from another mailbox or uploaded while it was pending here. */
interface Twin {
  id: string;
  conversation_id: string;
  is_seen: boolean;
}
async function twinOf({ message_id: header }: StoredInteraction): Promise<Twin | undefined> {
  if (header === null) return undefined;
  serialiseCopies([header]);
  const { organisation, principal } = request();
  return queryOne<Twin>(LOGGED_ELSEWHERE(), [organisation.id, header, principal?.selection ?? null]);
}

/** Removes a pending message whose only copy that counts is another one; nothing suppresses it. */
async function discard({ id }: StoredInteraction): Promise<void> {
  queueRemove(Interaction, id);
  await runHooks("interaction.discarded", { interaction_id: id });
}

/**
 * Logs a pending message for the team: it joins its thread's conversation. A message that is logged already gives way to that moment; if
 * the caller does not see that one, the message joins its conversation.
 * @returns the id of the logged moment
 */
export async function approve(row: StoredInteraction, filing: Filing): Promise<string> {
  requireReviewable(row);
  requirePending(row);
  const twin = await twinOf(row);
  if (twin?.is_seen) {
    await discard(row);
    return twin.id;
  }
  const { mail_thread_id: thread } = row;
  const conversations = await conversationsOf([thread]);
  const [{ filed } = { filed: {} }] = await fileInteractions([row], filing);
  const conversation_id =
    twin?.conversation_id ?? (thread === null ? undefined : conversations.get(thread)) ?? row.conversation_id;
  queueUpdate(Interaction, row.id, { ...filed, status: "logged", conversation_id });
  trail("interaction", row.id, "approved");
  emitToHosts({ ...row, ...filed });
  emit("interaction.approved", "interaction", row.id, payloadOf({ ...row, ...filed }));
  emitLogged({ ...row, ...filed });
  return row.id;
}

/** Changes the filing of a message, pending or logged. */
export async function remap(row: StoredInteraction, filing: Filing): Promise<void> {
  requireReviewable(row);
  const [{ filed, changed, moved } = { filed: {}, changed: {}, moved: false }] = await fileInteractions([row], filing);
  const fields = Object.keys(changed);
  if (fields.length === 0 && !moved) return;
  queueUpdate(Interaction, row.id, changed);
  if (row.status === "pending") return;
  trail("interaction", row.id, "updated", { changed: moved ? [...fields, "contacts"] : fields });
  if (fields.length > 0) emitToHosts({ ...row, ...filed });
}

/**
 * Reviews messages one by one, each with its own savepoint: one that is refused does not stop the others.
 * @param act throws the refusal of one message
 */
export function eachMessage(ids: readonly string[], act: (row: StoredInteraction) => Promise<unknown>): Promise<BulkResult> {
  const rows = new Map<string, StoredInteraction>();
  return eachRow(
    async (wanted) => {
      const seen = await lockThoseSeen(wanted);
      for (const row of seen) rows.set(row.id, row);
      // In one order for all: two calls about copies of the same messages would else wait for each other.
      serialiseCopies(seen.map(({ message_id: header }) => header));
      await conversationsOf(seen.map(({ mail_thread_id: thread }) => thread));
      return seen;
    },
    ids,
    (id) => act(rows.get(id) as StoredInteraction),
  );
}

/** Deletes a pending message; neither it nor, on request, its thread is fetched again. */
export function reject(row: StoredInteraction, suppressThread: boolean): void {
  requireReviewable(row);
  requirePending(row);
  const place = [request().organisation.id, row.owner_account_id];
  for (const id of [row.message_id, row.mail_message_id]) if (id !== null) enqueue(SUPPRESS, [...place, "message", id]);
  if (suppressThread && row.mail_thread_id !== null) enqueue(SUPPRESS, [...place, "thread", row.mail_thread_id]);
  emit("interaction.rejected", "interaction", row.id, payloadOf(row));
  queueRemove(Interaction, row.id);
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
    queueRemove(Interaction, id);
  }
  if (row.status === "pending") await runHooks("interaction.discarded", { interaction_id: row.id });
  return ids;
}
