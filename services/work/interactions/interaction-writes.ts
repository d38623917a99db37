import { newId } from "../../../core/database/model.ts";
import { isSeen } from "../../../core/database/named-record.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { differing, insert, touch, update } from "../../../core/database/write.ts";
import { invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { readInstant, type Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { blankToNull, withoutHtml } from "../../../core/values/text.ts";
import { namedContact } from "../../../mixins/named/named-contacts.ts";
import { excerptOf, mentionsIn } from "../comments/comment-text.ts";
import { mentionedIn } from "../comments/comment-writes.ts";
import { plainText } from "../comments/plain-text.ts";
import { requireReferences } from "../references.ts";
import { byCaller } from "../visibility.ts";
import { releaseFromTasks } from "./closing.ts";
import type { StoredInteraction } from "./interaction-rows.ts";
import type { InteractionCreate, InteractionFiling, InteractionUpdate } from "./interaction-schemas.ts";
import { requireKind } from "./kinds.ts";
import { isTooFarAhead } from "./messages/message-date.ts";
import { Interaction } from "./models.ts";

/** Characters of a snippet. */
const SNIPPET = 240;

const PLACES = statement(`select
    (select t.project_id from tasks t where t.organisation_id = $1 and t.id = v.task_id) as project_id, coalesce(
    (select coalesce(t.company_id, p.company_id) from tasks t left join projects p on p.organisation_id = $1 and p.id = t.project_id
      where t.organisation_id = $1 and t.id = v.task_id),
    (select p.company_id from projects p where p.organisation_id = $1 and p.id = v.project_id)) as company_id
  from unnest($2::uuid[], $3::uuid[]) with ordinality v (task_id, project_id, n) order by v.n`);
const CONTACTS = byCaller((clients) =>
  statement(`select r.id from contacts r where r.organisation_id = $1 and r.id = any($2::uuid[])
    and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}`),
);
const DROP_CONTACTS = statement(
  "delete from interaction_contacts where organisation_id = $1 and interaction_id = $2 and not contact_id = any($3::uuid[])",
);
const PUT_CONTACTS = statement(`insert into interaction_contacts (organisation_id, interaction_id, contact_id, position)
  select $1, $2, c.id, c.n - 1 from unnest($3::uuid[]) with ordinality c(id, n)
  on conflict (organisation_id, interaction_id, contact_id) do update set position = excluded.position`);
const ROSTERS = byCaller((clients) =>
  statement(`select ic.interaction_id, array_agg(ic.contact_id order by ic.position) as ids,
      coalesce(array_agg(ic.contact_id order by ic.position) filter (where not ${isSeen(namedContact(clients), "r", "$3::uuid[]")}), '{}') as hidden
    from interaction_contacts ic join contacts r on r.organisation_id = ic.organisation_id and r.id = ic.contact_id
   where ic.organisation_id = $1 and ic.interaction_id = any($2::uuid[]) group by ic.interaction_id`),
);

type Filing = Static<typeof InteractionFiling>;

/** The instant of a sent time; without an offset, in the organisation's time zone (contact moments §3). */
export const momentOf = (sent: string): string => readInstant(sent, organisationZone()) as string;

/** Refuses a time that a person wrote down. @throws 422 for one more than two days ahead (contact moments §3) */
function requirePossible(moment: string | undefined): void {
  if (moment !== undefined && isTooFarAhead(Date.parse(moment), Date.now())) throw invalid({ occurred_at: "errors.validation" });
}

/** A body as stored: markdown without HTML, its plain text, and a snippet. */
export function bodyOf(markdown: string | null): {
  body_markdown: string | null;
  body_text: string | null;
  snippet: string | null;
} {
  const kept = blankToNull(markdown === null ? null : withoutHtml(markdown)) ?? null;
  const words = kept === null ? null : plainText(kept);
  return { body_markdown: kept, body_text: words, snippet: words === null ? null : snippetOf(words) };
}

/** The first words of a text on one line. */
export function snippetOf(text: string): string {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length > SNIPPET ? `${shortened(words, SNIPPET - 1).trimEnd()}…` : words;
}

/** The contacts after a filing, the lead first, or null if it omits them: `contact_ids` overrides `contact_id`. */
export function nextContacts(before: readonly string[], { contact_ids: all, contact_id: lead }: Filing): string[] | null {
  if (all !== undefined) return [...new Set((all ?? []).map((id) => id.toLowerCase()))];
  if (lead === undefined) return null;
  if (lead === null) return [];
  return [lead.toLowerCase(), ...before.filter((id) => id !== lead.toLowerCase())];
}

/** The contacts that the caller sees, in the given order. */
export async function contactsSeen(ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { organisation, principal } = request();
  const rows = await query<{ id: string }>(CONTACTS(), [organisation.id, ids, principal?.selection ?? null]);
  const seen = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => seen.has(id));
}

/** @throws 404 unless the caller sees every contact */
async function requireContacts(named: readonly string[]): Promise<void> {
  const ids = [...new Set(named.map((id) => id.toLowerCase()))];
  if ((await contactsSeen(ids)).length < ids.length) throw notFound();
}

/** Stores the participating contacts, the lead first. */
export function storeContacts(id: string, contacts: readonly string[]): void {
  const place = [request().organisation.id, id];
  enqueue(DROP_CONTACTS, [...place, contacts]);
  if (contacts.length > 0) enqueue(PUT_CONTACTS, [...place, contacts]);
}

/**
 * The records that rows are about after a filing. A sent task brings its project if the row has none or the task changes; a sent task or
 * project brings its client if the row has none. Sent values override, including null; a filing that sends neither task nor project leaves
 * an emptied client or project empty.
 */
async function filedTo(rows: readonly About[], { company_id, project_id, task_id }: Filing): Promise<About[]> {
  const next = rows.map((before) => ({
    company_id: company_id === undefined ? before.company_id : company_id,
    project_id: project_id === undefined ? before.project_id : project_id,
    task_id: task_id === undefined ? before.task_id : task_id,
  }));
  const lacksProject = (row: About, index: number) =>
    project_id === undefined &&
    task_id !== undefined &&
    row.task_id !== null &&
    (row.project_id === null || row.task_id.toLowerCase() !== rows[index]?.task_id);
  const namesRecord = (task_id ?? project_id ?? null) !== null;
  const lacksClient = (row: About) => company_id !== null && row.company_id === null && namesRecord;
  if (!next.some((row, index) => lacksProject(row, index) || lacksClient(row))) return next;
  const refers = [next.map((row) => row.task_id), next.map((row) => row.project_id)];
  const derived = await query<Omit<About, "task_id">>(PLACES, [request().organisation.id, ...refers]);
  return next.map((row, index) => ({
    ...row,
    project_id: lacksProject(row, index) ? (derived[index]?.project_id ?? null) : row.project_id,
    company_id: lacksClient(row) ? (derived[index]?.company_id ?? null) : row.company_id,
  }));
}

/** The records a row is about. */
interface About {
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
}
const UNFILED: About = { company_id: null, project_id: null, task_id: null };

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
  insert(Interaction, {
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
  return id;
}

/** The contacts of a row, the lead first, and those among them hidden from the caller. */
interface Roster {
  ids: readonly string[];
  hidden: readonly string[];
}
const EMPTY: Roster = { ids: [], hidden: [] };

/** The rosters of rows, by row id. */
async function rostersOf(rows: readonly StoredInteraction[]): Promise<ReadonlyMap<string, Roster>> {
  const { organisation, principal } = request();
  const values = [organisation.id, rows.map(({ id }) => id), principal?.selection ?? null];
  const found = await query<Roster & { interaction_id: string }>(ROSTERS(), values);
  return new Map(found.map((one) => [one.interaction_id, one]));
}

/**
 * The contacts after a filing, the lead first; null if it omits them. Contacts hidden from the caller stay, a hidden lead in front, because
 * the caller cannot send back what it cannot read.
 */
function filedContacts({ ids, hidden }: Roster, filing: Filing): string[] | null {
  const next = nextContacts(ids, filing);
  if (next === null || hidden.length === 0) return next;
  const lead = hidden.filter((id) => id === ids[0]);
  return [...new Set([...lead, ...next.filter((id) => id !== lead[0]), ...hidden])];
}

/**
 * Changes the records that rows are about, whatever their source. The number of reads does not grow with the rows.
 * @param rows the stored rows, locked
 * @returns the new filing of each row, and its changed fields
 * @throws 404 for records the caller does not see
 */
export async function fileInteractions(rows: readonly StoredInteraction[], filing: Filing) {
  await requireReferences(filing);
  const filed = await filedTo(rows, filing);
  await releaseFromTasks(rows.flatMap((row, index) => (row.task_id !== (filed[index]?.task_id ?? null) ? row.id : [])));
  const namesPeople = filing.contact_ids !== undefined || filing.contact_id !== undefined;
  const rosters = namesPeople ? await rostersOf(rows) : new Map<string, Roster>();
  const planned = rows.map((row) => {
    const roster = rosters.get(row.id) ?? EMPTY;
    return { row, present: roster.ids, contacts: filedContacts(roster, filing) };
  });
  // Existing contacts stay, even those hidden from the caller.
  const added = planned.flatMap(({ present, contacts }) =>
    [...(contacts ?? []), ...(filing.contact_id ? [filing.contact_id.toLowerCase()] : [])].filter((id) => !present.includes(id)),
  );
  await requireContacts(added);
  return planned.map(({ row, present, contacts }, index) => {
    const moved = contacts !== null && contacts.join() !== present.join();
    if (moved) storeContacts(row.id, contacts);
    const about = filed[index] as About;
    return { row, filed: about, changed: differing(row, about) ?? {}, moved };
  });
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
  const all = { ...(differing(before, sent) ?? {}), ...changed };
  if (sent.body_markdown !== undefined && "body_markdown" in all) {
    const named = mentionsIn(before.body_markdown ?? "").user_ids;
    await emitMentioned(before.id, sent.subject === undefined ? before.subject : sent.subject, bodyOf(sent.body_markdown), named);
  }
  const fields = Object.keys(all).filter((name) => !["body_text", "snippet"].includes(name));
  if (fields.length === 0 && !moved) return;
  if (fields.length > 0) update(Interaction, before.id, all);
  else touch(Interaction, before.id);
  trail("interaction", before.id, "updated", { changed: moved ? [...fields, "contacts"] : fields });
}
