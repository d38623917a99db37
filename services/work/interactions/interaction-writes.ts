import { newId } from "../../../core/database/model.ts";
import { differences, queueInsert, queueUpdate, touch } from "../../../core/database/write.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId } from "../../../core/request/caller.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { readInstant, type Static } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { excerptOf, mentionsIn } from "../comments/comment-text.ts";
import { mentionedIn } from "../comments/comment-writes.ts";
import { requireReferences } from "../references.ts";
import { bodyOf } from "./interaction-body.ts";
import {
  type About,
  filedTo,
  fileInteractions,
  nextContacts,
  requireContacts,
  storeContacts,
  UNFILED,
} from "./interaction-filing.ts";
import type { StoredInteraction } from "./interaction-rows.ts";
import type { InteractionCreate, InteractionUpdate } from "./interaction-schemas.ts";
import { requireKind } from "./kinds.ts";
import { isTooFarAhead } from "./messages/message-date.ts";
import { Interaction } from "./models.ts";

/** The instant of a sent time; without an offset, in the organisation's time zone (contact moments §3). */
export const momentOf = (sent: string): string => readInstant(sent, organisationZone()) as string;

/** Refuses a time that a person wrote down. @throws 422 for one more than two days ahead (contact moments §3) */
function requirePossible(moment: string | undefined): void {
  if (moment !== undefined && isTooFarAhead(Date.parse(moment), Date.now())) throw invalid({ occurred_at: "errors.validation" });
}

/** Records the logged moment in the trail of each record it is about. */
export function emitToHosts(row: { id: string; subject: string | null; kind: string } & About): void {
  const payload = { interaction_id: row.id, subject: row.subject, kind: row.kind };
  for (const [kind, id] of [
    ["task", row.task_id],
    ["project", row.project_id],
    ["company", row.company_id],
  ] as const)
    if (id !== null) trail(kind, id, "interaction.logged", payload);
}

/** Records the event of a contact moment that is now logged. */
export function emitLogged(
  row: Pick<StoredInteraction, "id" | "subject" | "kind" | "owner_account_id" | "company_id" | "project_id" | "task_id">,
): void {
  const { id, subject: title, kind, owner_account_id: owner_user_id, company_id, project_id, task_id } = row;
  const place = { company_id, project_id, task_id };
  emit("interaction.logged", "interaction", id, { interaction_id: id, owner_user_id, ...place, title, kind, status: "logged" });
}

/**
 * Notifies the members newly mentioned in the notes of a contact moment (contact moments §3). Mentions in messages from outside do not
 * count.
 * @param subject of the moment; without one the title is the beginning of the notes
 * @param before account ids that the notes mentioned until now
 */
async function emitMentioned(
  id: string,
  subject: string | null,
  { body_markdown, snippet }: ReturnType<typeof bodyOf>,
  before: readonly string[],
): Promise<void> {
  if (body_markdown === null) return;
  const { mentioned_user_ids: named } = await mentionedIn(body_markdown);
  const recipients = named.filter((account) => !before.includes(account) && account !== callerId());
  if (recipients.length === 0) return;
  const payload = { interaction_id: id, title: subject ?? snippet ?? "", excerpt: excerptOf(body_markdown), recipients };
  emit("interactions.mentioned", "interaction", id, payload);
}

/** Values of a new row that no request body sets. */
export interface Origin {
  source?: "manual" | "upload" | "mail";
  /** `pending`: awaits review by its mailbox owner, invisible to everyone else. */
  status?: "pending" | "logged";
  /** The caller by default. */
  owner_account_id?: string;
  message_id?: string | null;
  mail_message_id?: string;
  deep_link?: string | null;
  /** Whether its body has yet to be read from the mailbox. */
  body_awaited?: boolean;
  /** False for a message that the next notification of its owner reports. */
  review_notified?: boolean;
  mail_thread_id?: string | null;
  participants?: StoredInteraction["participants"];
  conversation_id?: string;
  body?: ReturnType<typeof bodyOf>;
}

/**
 * Creates a contact moment with its contacts, owned by the caller and logged unless its origin says otherwise. A logged one also gets its
 * trail and trail lines on the records it is about. Every path that creates one goes through here.
 * @returns the new id
 * @throws 404 and 422 of the rules
 */
export async function createInteraction(body: Static<typeof InteractionCreate>, origin: Origin = {}): Promise<string> {
  const { source = "manual", body: given, ...message } = origin;
  const isManual = source === "manual";
  const occurredAt = body.occurred_at ? momentOf(body.occurred_at) : undefined;
  if (isManual) requirePossible(occurredAt);
  if (isManual) await requireKind(body.kind);
  await requireReferences(body);
  const [filed = UNFILED] = await filedTo([UNFILED], body);
  const contacts = nextContacts([], body) ?? [];
  await requireContacts([...contacts, ...(body.contact_id ? [body.contact_id] : [])]);
  const id = newId();
  const subject = blankToNull(body.subject) ?? null;
  queueInsert(Interaction, {
    id,
    kind: body.kind,
    source,
    direction: body.direction ?? "none",
    occurred_at: occurredAt ?? new Date().toISOString(),
    owner_account_id: callerId(),
    subject,
    ...(given ?? bodyOf(body.body_markdown ?? null)),
    ...filed,
    conversation_id: id,
    ...message,
  });
  if (contacts.length > 0) storeContacts(id, contacts);
  if (given === undefined) await emitMentioned(id, subject, bodyOf(body.body_markdown ?? null), []);
  if (message.status === "pending") return id;
  trail("interaction", id, "created");
  emitToHosts({ id, subject, kind: body.kind, ...filed });
  emitLogged({ id, subject, kind: body.kind, owner_account_id: message.owner_account_id ?? callerId(), ...filed });
  return id;
}

/**
 * Changes a contact moment that was written or uploaded.
 * @throws 409 `invalid_state` for a mailbox message, which only review changes; 404, 422
 */
export async function changeInteraction(before: StoredInteraction, body: Static<typeof InteractionUpdate>): Promise<void> {
  if (before.source === "mail") throw refusal("invalid_state", "errors.interactions_mail_readonly");
  if (body.kind !== undefined) await requireKind(body.kind, before.kind);
  const [{ changed, moved } = { changed: {}, moved: false }] = await fileInteractions([before], body);
  const sent = {
    kind: body.kind,
    direction: body.direction,
    occurred_at: body.occurred_at === undefined ? undefined : momentOf(body.occurred_at),
    subject: body.subject === undefined ? undefined : (blankToNull(body.subject) ?? null),
    ...(body.body_markdown !== undefined && bodyOf(body.body_markdown)),
  };
  if (sent.occurred_at !== undefined && Date.parse(sent.occurred_at) === Date.parse(before.occurred_at))
    sent.occurred_at = undefined;
  requirePossible(sent.occurred_at);
  const all = { ...(differences(before, sent) ?? {}), ...changed };
  if (sent.body_markdown !== undefined && "body_markdown" in all) {
    const named = mentionsIn(before.body_markdown ?? "").user_ids;
    await emitMentioned(before.id, sent.subject === undefined ? before.subject : sent.subject, bodyOf(sent.body_markdown), named);
  }
  const fields = Object.keys(all).filter((name) => !["body_text", "snippet"].includes(name));
  if (fields.length === 0 && !moved) return;
  if (fields.length > 0) queueUpdate(Interaction, before.id, all);
  else touch(Interaction, before.id);
  trail("interaction", before.id, "updated", { changed: moved ? [...fields, "contacts"] : fields });
}
