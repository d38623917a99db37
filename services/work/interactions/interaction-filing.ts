import { isSeen } from "../../../core/database/named-record.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { differences } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { namedContact } from "../named-contacts.ts";
import { requireReferences } from "../references.ts";
import { forStaffAndClients } from "../visibility.ts";
import { releaseFromTasks } from "./closing.ts";
import type { StoredInteraction } from "./interaction-rows.ts";
import type { InteractionFiling } from "./interaction-schemas.ts";

const PLACES = statement(`select
    (select t.project_id from tasks t where t.organisation_id = $1 and t.id = v.task_id) as project_id, coalesce(
    (select coalesce(t.company_id, p.company_id) from tasks t left join projects p on p.organisation_id = $1 and p.id = t.project_id
      where t.organisation_id = $1 and t.id = v.task_id),
    (select p.company_id from projects p where p.organisation_id = $1 and p.id = v.project_id)) as company_id
  from unnest($2::uuid[], $3::uuid[]) with ordinality v (task_id, project_id, n) order by v.n`);
const CONTACTS = forStaffAndClients((clients) =>
  statement(`select r.id from contacts r where r.organisation_id = $1 and r.id = any($2::uuid[])
    and ${isSeen(namedContact(clients), "r", "$3::uuid[]")}`),
);
const DROP_CONTACTS = statement(
  "delete from interaction_contacts where organisation_id = $1 and interaction_id = $2 and not contact_id = any($3::uuid[])",
);
const PUT_CONTACTS = statement(`insert into interaction_contacts (organisation_id, interaction_id, contact_id, position)
  select $1, $2, c.id, c.n - 1 from unnest($3::uuid[]) with ordinality c(id, n)
  on conflict (organisation_id, interaction_id, contact_id) do update set position = excluded.position`);
const ROSTERS = forStaffAndClients((clients) =>
  statement(`select ic.interaction_id, array_agg(ic.contact_id order by ic.position) as ids,
      coalesce(array_agg(ic.contact_id order by ic.position) filter (where not ${isSeen(namedContact(clients), "r", "$3::uuid[]")}), '{}') as hidden
    from interaction_contacts ic join contacts r on r.organisation_id = ic.organisation_id and r.id = ic.contact_id
   where ic.organisation_id = $1 and ic.interaction_id = any($2::uuid[]) group by ic.interaction_id`),
);

type Filing = Static<typeof InteractionFiling>;

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
export async function requireContacts(named: readonly string[]): Promise<void> {
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
export async function filedTo(rows: readonly About[], { company_id, project_id, task_id }: Filing): Promise<About[]> {
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
export interface About {
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
}
export const UNFILED: About = { company_id: null, project_id: null, task_id: null };

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
    return { row, filed: about, changed: differences(row, about) ?? {}, moved };
  });
}
