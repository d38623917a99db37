import { isSeen } from "../../../../core/database/named-record.ts";
import { query, queryOne } from "../../../../core/database/query.ts";
import { action } from "../../../../core/declare/action.ts";
import { conflict, invalid } from "../../../../core/errors/errors.ts";
import { keepFile } from "../../../../core/files/files.ts";
import { openStored } from "../../../../core/files/storage.ts";
import { taken } from "../../../../core/files/upload.ts";
import { prepared, request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { namedContact } from "../../../../mixins/named/named-contacts.ts";
import { service } from "../../../../mixins/resource.ts";
import { queueFillIn } from "../../fill-in/fill-in-writes.ts";
import { lockTaskForPart } from "../../task-access.ts";
import { byCaller } from "../../visibility.ts";
import { anyInteraction } from "../interaction-rows.ts";
import { InteractionEml, InteractionUploaded } from "../interaction-schemas.ts";
import { createInteraction, snippetOf } from "../interaction-writes.ts";
import { EMAIL, seedKinds } from "../kinds.ts";
import type { Participant } from "../models.ts";
import { conversationsOf } from "./conversations.ts";
import type { Message } from "./eml.ts";
import { type KeptAttachment, readApart, stageAttachments } from "./eml-reading.ts";
import { takeTurns } from "./mailbox-facts.ts";

const KNOWN = statement(
  "select 1 from interactions where organisation_id = $1 and message_key = message_key($2) and status = 'logged' limit 1",
);
/** Contacts in the caller's view and members with one of the addresses; a portal login counts as its contact, not as a colleague. */
const PEOPLE = byCaller((clients) =>
  statement(`select lower(r.email collate "und-x-icu") as email, r.id as contact_id, null::uuid as user_id from contacts r
    where r.organisation_id = $1 and r.email_key = any($2::text[]) and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}
  union all
  select lower(a.email), case when m.is_client then (select r.id from contacts r where r.organisation_id = $1 and r.id = m.contact_id
      and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}) end, case when not m.is_client then a.id end
    from member_access m join accounts a on a.id = m.account_id
   where m.organisation_id = $1 and lower(a.email) = any($2::text[])`),
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
    addresses,
    principal?.selection ?? null,
  ]);
  return participants.map((one) => {
    const same = found.filter(({ email }) => email === one.email);
    return {
      ...one,
      contact_id: same.find(({ contact_id: id }) => id !== null)?.contact_id ?? null,
      user_id: same.find(({ user_id: id }) => id !== null)?.user_id ?? null,
    };
  });
}

export default service("interactions.eml", {
  actions: {
    upload: action({
      rest: "POST /interactions/eml",
      summary: "Log a message that a mail program saved",
      description:
        "Logs it at once. An omitted client is derived from task or project; contacts are derived from the addresses. A known message is refused unless `allow_duplicate`. Forbidden attachments are counted and skipped. `enrich_task` fills in its task from it, for callers who can change that task.",
      permission: "interactions.interaction.write",
      body: InteractionEml,
      returns: InteractionUploaded,
      errors: ["conflict errors.interactions_eml_duplicate", "not_found", "unavailable"],
      async prepare(ctx): Promise<Prepared> {
        const { file } = ctx.params.body;
        if ("problem" in file && file.problem === "errors.upload_type") throw invalid({ file: "errors.interactions_eml_type" });
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
        takeTurns([message.message_id]);
        const conversations = await conversationsOf([message.thread_id, message.message_id]);
        if (!allowed && message.message_id !== null && (await queryOne(KNOWN, [organisation.id, message.message_id])))
          throw conflict("errors.interactions_eml_duplicate", "file");
        const enriched = enriches && filing.task_id !== undefined ? await lockTaskForPart(filing.task_id) : null;
        const participants = await withPeople(message.participants);
        const contacts = participants.flatMap(({ contact_id: id }) => id ?? []);
        const conversation = message.thread_id === null ? undefined : conversations.get(message.thread_id);
        const own = participants.some(({ role, user_id: id }) => role === "from" && id !== null);
        const id = await createInteraction(
          {
            kind: EMAIL,
            direction: own ? "outbound" : "inbound",
            subject: message.subject,
            ...filing,
            ...(message.sent_at !== null && { occurred_at: message.sent_at }),
            ...(contacts.length > 0 && filing.contact_id === undefined && { contact_ids: contacts }),
          },
          {
            source: "upload",
            message_id: message.message_id,
            mail_thread_id: message.thread_id,
            participants,
            ...(conversation && { conversation_id: conversation }),
            body: {
              body_markdown: message.markdown,
              body_text: message.text || null,
              snippet: message.text ? snippetOf(message.text) : null,
            },
          },
        );
        if (enriched) queueFillIn(enriched, id);
        for (const file of kept) await keepFile(file, { entityType: "interaction", entityId: id });
        const row = await queryOne<{ body: string }>(...anyInteraction(id));
        return {
          ...JSON.parse((row as { body: string }).body),
          attachments_added: kept.length,
          attachments_skipped: message.attachments.length - kept.length,
        };
      },
    }),
  },
});
