import { isSeen } from "../../../../core/database/named-record.ts";
import { query, queryOne } from "../../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { conflict, invalid } from "../../../../core/errors/errors.ts";
import { keepFile } from "../../../../core/files/files.ts";
import { openStored } from "../../../../core/files/storage.ts";
import { taken } from "../../../../core/files/upload.ts";
import { callerId, mayCaller, NO_PERSON } from "../../../../core/request/caller.ts";
import { prepared, request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { service } from "../../../../mixins/resource.ts";
import { namedContact } from "../../named-contacts.ts";
import { queueFillIn } from "../../queued-fill-in.ts";
import { lockTaskForPart } from "../../task-access.ts";
import { forStaffAndClients } from "../../visibility.ts";
import { snippetOf } from "../interaction-body.ts";
import { anyInteraction } from "../interaction-rows.ts";
import { InteractionEml, InteractionUploaded } from "../interaction-schemas.ts";
import { createInteraction } from "../interaction-writes.ts";
import { EMAIL, seedKinds } from "../kinds.ts";
import { Interaction, type Participant } from "../models.ts";
import { conversationsOf } from "./conversations.ts";
import type { Message } from "./eml.ts";
import { type KeptAttachment, readApart, stageAttachments } from "./eml-reading.ts";
import { peopleOf, serialiseCopies, sightOf } from "./mailbox-facts.ts";
import { clientOf, meet } from "./mailbox-gates.ts";
import { withBareAddresses, withoutDetail } from "./plus-address.ts";
import { approve } from "./review.ts";

const KNOWN = statement(
  "select 1 from interactions where organisation_id = $1 and message_key = message_key($2) and status = 'logged' limit 1",
);
/** The caller's own pending message with a Message-ID. */
const OWN_PENDING = statement(`select id from interactions where organisation_id = $1 and message_key = message_key($2)
  and status = 'pending' and source = 'mail' and owner_account_id = $3 order by id limit 1`);
/** Contacts in the caller's view and members with one of the addresses, those whose first address it is first; a portal login counts as its contact, not as a colleague. */
const PEOPLE = forStaffAndClients((clients) =>
  statement(`select r.email_key as email, r.id as contact_id, null::uuid as user_id, 1 as rank from contacts r
    where r.organisation_id = $1 and r.email_key = any($2::text[]) and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}
  union all
  select k.key, r.id, null, 2 from contact_match_keys k join contacts r on r.organisation_id = $1 and r.id = k.contact_id
    where k.organisation_id = $1 and k.kind = 'email' and k.key = any($2::text[]) and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}
  union all
  select lower(a.email), case when m.is_client then (select r.id from contacts r where r.organisation_id = $1 and r.id = m.contact_id
      and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}) end, case when not m.is_client then a.id end, 1
    from member_access m join accounts a on a.id = m.account_id
   where m.organisation_id = $1 and lower(a.email) = any($2::text[])
  order by rank`),
);

interface Prepared {
  message: Message;
  kept: KeptAttachment[];
}

async function withPeople(participants: Message["participants"]): Promise<Participant[]> {
  const { organisation, principal } = request();
  const addresses = participants.flatMap(({ email }) => email ?? []);
  const found = await query<{ email: string; contact_id: string | null; user_id: string | null }>(PEOPLE(), [
    organisation.id,
    withBareAddresses(addresses),
    principal?.selection ?? null,
  ]);
  return participants.map((one) => {
    const exact = found.filter(({ email }) => email === one.email);
    const bare = one.email === null ? null : withoutDetail(one.email);
    const same = exact.length > 0 ? exact : found.filter(({ email }) => email === bare);
    return {
      ...one,
      contact_id: same.find(({ contact_id: id }) => id !== null)?.contact_id ?? null,
      user_id: same.find(({ user_id: id }) => id !== null)?.user_id ?? null,
    };
  });
}

/** The client of a message by its participants, as for a message of a mailbox; null if no contact matches. */
async function companyOf(participants: Message["participants"]): Promise<string | null> {
  const people = await peopleOf([...new Set(participants.flatMap(({ email }) => email ?? []))], []);
  const { sees } = await sightOf(callerId() ?? NO_PERSON);
  return clientOf(meet(participants, people), people, sees);
}

const contentOf = ({ markdown, text }: Message) => ({
  body_markdown: markdown,
  body_text: text || null,
  snippet: text ? snippetOf(text) : null,
});

type Filing = Omit<Static<typeof InteractionEml>, "file" | "allow_duplicate" | "enrich_task">;

/**
 * Approves the caller's own pending message that was uploaded: its body is the uploaded one.
 * @returns the id of the logged moment, and whether it is that message; undefined if none is pending
 */
async function approvePending(message: Message, filing: Filing): Promise<{ id: string; isOwn: boolean } | undefined> {
  if (message.message_id === null || !mayCaller("interactions.interaction.review")) return undefined;
  const place = [request().organisation.id, message.message_id, callerId() ?? NO_PERSON];
  const pending = await queryOne<{ id: string }>(OWN_PENDING, place);
  const row = pending && (await lock(Interaction, pending.id));
  if (row?.status !== "pending") return undefined;
  const id = await approve(row, filing);
  const isOwn = id === row.id;
  if (isOwn) queueUpdate(Interaction, id, { ...contentOf(message), body_awaited: false });
  return { id, isOwn };
}

/** Logs an uploaded message as a new moment. @returns its id */
async function logMessage(message: Message, filing: Filing): Promise<string> {
  const conversations = await conversationsOf([message.thread_id, message.message_id]);
  const participants = await withPeople(message.participants);
  const contacts = participants.flatMap(({ contact_id: id }) => id ?? []);
  const conversation = message.thread_id === null ? undefined : conversations.get(message.thread_id);
  const own = participants.some(({ role, user_id: id }) => role === "from" && id !== null);
  const isFiled = [filing.company_id, filing.project_id, filing.task_id].some((id) => id !== undefined);
  const company_id = isFiled ? filing.company_id : await companyOf(message.participants);
  return createInteraction(
    {
      kind: EMAIL,
      direction: own ? "outbound" : "inbound",
      subject: message.subject,
      ...filing,
      ...(company_id && { company_id }),
      ...(message.sent_at !== null && { occurred_at: message.sent_at }),
      ...(contacts.length > 0 && filing.contact_id === undefined && { contact_ids: contacts }),
    },
    {
      source: "upload",
      message_id: message.message_id,
      mail_thread_id: message.thread_id,
      participants,
      ...(conversation && { conversation_id: conversation }),
      body: contentOf(message),
    },
  );
}

export default service("interactions.eml", {
  actions: {
    upload: action({
      rest: "POST /interactions/eml",
      verb: "upload",
      summary: "Log a message that a mail program saved",
      description:
        "Logs it at once: an .eml file, or a .msg file of Outlook. A `winmail.dat` in it counts as the files that it holds. An omitted client is derived from task or project, else from the contacts, which are those of the addresses. A known message is refused unless `allow_duplicate`; the caller's own waiting message is approved. A message without a possible date has that of its newest `Received`, else of the upload. Forbidden attachments are counted and skipped. `enrich_task` fills in its task from it, for callers who can change that task.",
      permission: "interactions.interaction.write",
      body: InteractionEml,
      returns: InteractionUploaded,
      errors: ["conflict errors.interactions_eml_duplicate", "not_found", "unavailable"],
      async prepare(ctx): Promise<Prepared> {
        const { file } = ctx.params.body;
        if ("problem" in file && file.problem === "errors.upload_type")
          throw invalid({ file: file.isClaimed ? "errors.interactions_eml_invalid" : "errors.interactions_eml_type" });
        const { bytes } = await openStored(taken(file));
        const content = Buffer.concat(await bytes.toArray());
        if (content.length === 0) throw invalid({ file: "errors.required" });
        const message = await readApart(content);
        if (message === null) throw invalid({ file: "errors.interactions_eml_invalid" });
        return { message, kept: await stageAttachments(message) };
      },
      async handler(ctx) {
        const { allow_duplicate: allowed = false, enrich_task: enriches = false, file: _file, ...filing } = ctx.params.body;
        const { message, kept } = prepared<Prepared>();
        const { organisation } = request();
        seedKinds();
        serialiseCopies([message.message_id]);
        const enriched = enriches && filing.task_id !== undefined ? await lockTaskForPart(filing.task_id) : null;
        const approved = await approvePending(message, filing);
        const isKnown = async () => message.message_id !== null && (await queryOne(KNOWN, [organisation.id, message.message_id]));
        if (!approved && !allowed && (await isKnown())) throw conflict("errors.interactions_eml_duplicate", "file");
        const id = approved?.id ?? (await logMessage(message, filing));
        const added = approved?.isOwn === false ? [] : kept;
        if (enriched) queueFillIn(enriched, id);
        for (const file of added) await keepFile(file, { entityType: "interaction", entityId: id });
        const row = await queryOne<{ body: string }>(...anyInteraction(id));
        return {
          ...JSON.parse((row as { body: string }).body),
          occurred_guessed: message.sent_at === null && !approved,
          attachments_added: added.length,
          attachments_skipped: message.attachments.length - added.length,
        };
      },
    }),
  },
});
