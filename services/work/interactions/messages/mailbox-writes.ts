import { query, queryOne } from "../../../../core/database/query.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { shortened } from "../../../../core/values/stored-text.ts";
import { queueFillIn } from "../../queued-fill-in.ts";
import { lockTaskForPart } from "../../task-access.ts";
import { contactsSeen } from "../interaction-filing.ts";
import type { StoredInteraction } from "../interaction-rows.ts";
import { createInteraction } from "../interaction-writes.ts";
import { EMAIL, seedKinds } from "../kinds.ts";
import type { Participant } from "../models.ts";
import { conversationsOf } from "./conversations.ts";
import { factsOf, type MailboxFacts, serialiseCopies, sightOf } from "./mailbox-facts.ts";
import { clientOf, directionOf, firstGate, type Met, rankedContacts, statusOf } from "./mailbox-gates.ts";
import type {
  MailboxImport,
  MailboxImported,
  MailboxJudge,
  MailboxMessage,
  MailboxOffer,
  MailboxOffered,
  MailboxVerdict,
} from "./mailbox-schemas.ts";
import { isTooFarAhead } from "./message-date.ts";

/** Maximum number of contacts of a moment. */
const MOST_CONTACTS = 100;

const participantsOf = (met: readonly Met[]): Participant[] =>
  met.map(({ email, name, role, contact, colleague }) => ({
    email,
    name,
    role,
    contact_id: contact?.id ?? null,
    user_id: colleague,
  }));

/** The filing of a message: its thread's, else the client of its participants. */
async function filingOf({ met, people, thread, mailboxOf }: MailboxFacts) {
  const { seesAll, sees } = await sightOf(mailboxOf);
  if (thread && (seesAll || (thread.company_id !== null && sees(thread.company_id))))
    return { company_id: thread.company_id, project_id: thread.project_id, task_id: thread.task_id };
  return { company_id: clientOf(met, people, sees) };
}

/** The fields of a message stored unchanged. */
const originOf = (message: MailboxMessage, facts: MailboxFacts) => ({
  source: "mail" as const,
  message_id: message.message_id,
  mail_message_id: message.id,
  mail_thread_id: message.thread_id,
  deep_link: message.deep_link,
  participants: participantsOf(facts.met),
});
/** When a message was received; now if the mailbox names an impossible date. */
const receivedAt = ({ occurred_at }: MailboxMessage): string =>
  isTooFarAhead(Date.parse(occurred_at), Date.now()) ? new Date().toISOString() : occurred_at;

const contentOf = (message: MailboxMessage, { met }: MailboxFacts) => ({
  kind: EMAIL,
  direction: directionOf(message.labels, met),
  occurred_at: receivedAt(message),
  subject: message.subject && shortened(message.subject, 500),
});
const unread = ({ snippet }: MailboxMessage) => ({ body_markdown: null, body_text: null, snippet });

/** A short title: the subject, else the sender. */
const titleOf = ({ subject, participants }: Pick<StoredInteraction, "subject" | "participants">): string => {
  const sender = participants.find(({ role }) => role === "from");
  return subject ?? sender?.name ?? sender?.email ?? "";
};

const UNREPORTED = statement(`with due as (
    update interactions set review_notified = true where organisation_id = $1 and owner_account_id = $2 and not review_notified
    returning id, status, subject, participants, occurred_at)
  select id, subject, participants from due where status = 'pending' order by occurred_at desc, id desc`);

/** Notifies the owner of a mailbox of its new pending messages, once for all of them: the notification names the newest. */
export async function notifyOfPending(owner: string): Promise<void> {
  const pending = await query<Pick<StoredInteraction, "id" | "subject" | "participants">>(UNREPORTED, [
    request().organisation.id,
    owner,
  ]);
  const [newest] = pending;
  if (!newest) return;
  emit("interactions.email_pending", "interaction", newest.id, {
    interaction_id: newest.id,
    title: titleOf(newest),
    count: pending.length,
    recipients: [owner],
  });
}

/**
 * Turns a mailbox message into a contact moment unless a gate stops it (workspace §2.5). It awaits the mailbox owner's review, or is logged
 * at once if the organisation's settings say so.
 * @returns the new moment's id, or the gate
 */
export async function offerMessage(sent: Static<typeof MailboxOffer>): Promise<MailboxOffered> {
  const { message, approves, approves_followups: approvesFollowups, owner_account_id } = sent;
  seedKinds();
  serialiseCopies([message.message_id]);
  const [facts] = (await factsOf([message], sent, true)) as [MailboxFacts];
  const stop = firstGate(facts);
  if (stop) return { interaction_id: null, ...stop };
  const status = statusOf(facts.met, facts.thread !== undefined, { approves, approvesFollowups });
  const conversation = status === "logged" && (await conversationsOf([message.thread_id])).get(message.thread_id);
  const contacts = rankedContacts(facts.met).map(({ id }) => id);
  const id = await createInteraction(
    {
      ...contentOf(message, facts),
      ...(await filingOf(facts)),
      ...(contacts.length > 0 && { contact_ids: contacts.slice(0, MOST_CONTACTS) }),
    },
    {
      ...originOf(message, facts),
      status,
      owner_account_id,
      body: unread(message),
      body_awaited: true,
      review_notified: status !== "pending",
      ...(conversation && { conversation_id: conversation }),
    },
  );
  return { interaction_id: id, gate: null, detail: {} };
}

/** The feed's verdict on messages, and which of them already exist, as far as the mailbox's owner may know. */
export async function judgeMessages(sent: Static<typeof MailboxJudge>): Promise<MailboxVerdict[]> {
  const { messages, counts_waiting } = sent;
  const all = await factsOf(messages, sent, counts_waiting);
  return all.map((facts, index) => {
    const { id, labels } = messages[index] as MailboxMessage;
    const { stored, elsewhere, isElsewhere, isSuppressed, isThreadSuppressed } = facts;
    const stop = firstGate(facts);
    return {
      id,
      gate: stop?.gate ?? null,
      detail: stop?.detail ?? {},
      direction: directionOf(labels, facts.met),
      logged: stored !== undefined || isElsewhere,
      suppressed: isSuppressed || isThreadSuppressed,
      interaction_id: stored?.id ?? (elsewhere?.seen ? elsewhere.id : null),
    };
  });
}

const OWN = statement(
  "select id from interactions where organisation_id = $1 and owner_account_id = $2 and mail_message_id = $3",
);

/** The body of a message read at once; null: it is read later. */
export interface ReadBody {
  body_text: string | null;
  body_markdown: string | null;
}

/**
 * Logs a message that the caller chose from its own mailbox, at once and whatever the gates say. Omitted fields follow from its thread and
 * addresses; null clears.
 * @throws 409 if it exists already, or if its Message-ID is logged elsewhere and the caller did not allow a duplicate; 404 for a reference
 */
export async function importMessage(sent: Static<typeof MailboxImport>, body: ReadBody | null): Promise<MailboxImported> {
  const { message, owner_account_id: owner, allow_duplicate: allowed = false, enrich_task: enriches = false } = sent;
  seedKinds();
  serialiseCopies([message.message_id]);
  if (await queryOne(OWN, [request().organisation.id, owner, message.id]))
    throw conflict("errors.interactions_mail_already_logged", "message_id");
  const [facts] = (await factsOf([message], sent, false)) as [MailboxFacts];
  if (facts.isElsewhere && !allowed) throw conflict("errors.interactions_eml_duplicate", "message_id");
  const { company_id, project_id, task_id, contact_ids } = sent;
  const named = { company_id, project_id, task_id };
  const says = Object.values(named).some((value) => value !== undefined);
  const filing = says ? named : await filingOf(facts);
  const enriched = enriches && task_id ? await lockTaskForPart(task_id) : null;
  const conversation = (await conversationsOf([message.thread_id])).get(message.thread_id);
  const met = await contactsSeen(rankedContacts(facts.met).map(({ id }) => id));
  const content = contentOf(message, facts);
  const id = await createInteraction(
    { ...content, ...filing, contact_ids: contact_ids === undefined ? met.slice(0, MOST_CONTACTS) : contact_ids },
    {
      ...originOf(message, facts),
      body: { ...unread(message), ...body },
      body_awaited: body === null,
      ...(conversation && { conversation_id: conversation }),
    },
  );
  if (enriched) queueFillIn(enriched, id);
  return { interaction_id: id, subject: content.subject };
}
