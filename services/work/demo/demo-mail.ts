import { addDays, type IsoDate } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeContacts } from "../interactions/interaction-filing.ts";
import { Interaction } from "../interactions/models.ts";
import { DEMO_MAIL } from "./demo-plan.ts";

/** One contact with an e-mail address per client. */
const CORRESPONDENTS = statement(`select distinct on (l.company_id) l.company_id, r.id as contact_id, r.email,
    trim(concat_ws(' ', r.first_name, r.last_name)) as name
  from contact_links l join contacts r on r.organisation_id = l.organisation_id and r.id = l.contact_id and r.email is not null
 where l.organisation_id = $1 and l.company_id = any($2::uuid[]) order by l.company_id, r.id`);
const OWNER = statement("select id, email, coalesce(nullif(full_name, ''), email) as name from accounts where email = $1");

interface Correspondent {
  company_id: string;
  contact_id: string;
  email: string;
  name: string;
}

/**
 * Adds the demo organisation's mail: a conversation of two messages, a single message, and one that awaits the owner's review. No mailbox
 * is connected, so no sync touches it.
 * @param owner e-mail address of the mailbox's owner
 * @param clients ids; the first ones get mail
 */
export async function addMail(owner: string, clients: readonly string[], today: IsoDate): Promise<void> {
  const { organisation } = request();
  const found = await query<Correspondent>(CORRESPONDENTS, [organisation.id, clients]);
  const [mailbox] = await query<{ id: string; email: string; name: string }>(OWNER, [owner]);
  const people = clients.flatMap((id) => found.find(({ company_id }) => company_id === id) ?? []);
  if (!mailbox || people.length === 0) return;
  let conversation = "";
  for (const [n, { thread, subject, text, isReply, waits, age }] of DEMO_MAIL.entries()) {
    const { company_id, contact_id, email, name } = people[thread % people.length] as Correspondent;
    const id = newId();
    conversation = isReply ? conversation : id;
    const client = { email, name, contact_id, user_id: null };
    const colleague = { email: mailbox.email, name: mailbox.name, contact_id: null, user_id: mailbox.id };
    const [sender, recipient] = isReply ? [colleague, client] : [client, colleague];
    queueInsert(Interaction, {
      id,
      kind: "email",
      source: "mail",
      status: waits ? "pending" : "logged",
      direction: isReply ? "outbound" : "inbound",
      occurred_at: `${addDays(today, -age)}T09:${10 + n}:00Z`,
      owner_account_id: mailbox.id,
      company_id,
      conversation_id: conversation,
      mail_thread_id: `demo-${thread}`,
      mail_message_id: `demo-${n}`,
      message_id: `<demo-${n}@${organisation.slug}.example>`,
      subject,
      snippet: text.split("\n")[0] ?? text,
      body_text: waits ? null : text,
      participants: [
        { ...sender, role: "from" },
        { ...recipient, role: "to" },
      ],
    });
    storeContacts(id, [contact_id]);
  }
}
