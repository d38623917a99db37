import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { request } from "../../../core/request/context.ts";
import { lockEverybody } from "../person-lock.ts";
import { listedPerson, requestFilters, requestListing } from "../requests/request.list.ts";
import { type LeaveSources, loadSources } from "../sources.ts";
import { type ImportedRequest, type ImportMember, type ImportRow, readHistoricRequests } from "./historic-import.ts";

const MEMBERS = statement(`select a.email, m.account_id as user_id from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1`);
const ADD =
  statement(`insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours,
    hours_override, note)
  select r.id, $1, r.user_id, r.leave_type_id, r.status, r.start_date, r.end_date, r.hours, r.hours_override, r.note
  from jsonb_populate_recordset(null::leave_requests, $2::jsonb) r`);
const ROWS = statement(`select a.email, k.key as leave_type_key, t.start_date, t.end_date, t.hours, t.status, t.note
  from unnest($2::uuid[]) with ordinality w (id, n) join leave_requests t on t.organisation_id = $1 and t.id = w.id
  join leave_types k on k.organisation_id = t.organisation_id and k.id = t.leave_type_id left join accounts a on a.id = t.user_id
  order by w.n`);
const ids = exportedIds(requestListing.spec, "t.start_date, t.end_date, t.user_id, t.id");

const FIELDS: readonly Field[] = [
  { key: "email", kind: "text", required: true, names: ["e-mailadres", "email address", "medewerker", "employee"] },
  { key: "leave_type_key", kind: "text", required: true, names: ["leave type", "verlofsoort", "verloftype", "soort", "type"] },
  { key: "start_date", kind: "date", required: true, names: ["startdatum", "begindatum", "van", "from"] },
  { key: "end_date", kind: "date", required: true, names: ["einddatum", "tot en met", "t/m", "to", "until"] },
  { key: "hours", kind: "number", names: ["uren", "aantal uren"] },
  {
    key: "status",
    kind: "choice",
    choices: {
      pending: ["aangevraagd", "in behandeling"],
      approved: ["goedgekeurd"],
      rejected: ["afgewezen"],
      cancelled: ["geannuleerd", "ingetrokken"],
    },
  },
  { key: "note", kind: "text", names: ["notitie", "opmerking", "toelichting", "comment", "remark"] },
];

/** Members by e-mail address, with what their leave is priced and checked against. */
async function membersOf({ person }: LeaveSources): Promise<Map<string, ImportMember>> {
  const rows = await query<{ email: string; user_id: string }>(MEMBERS, [request().organisation.id]);
  return new Map(
    rows.map(({ email, user_id }) => {
      const who = person(user_id);
      return [email, { user_id, person: who, requests: who.bookings }];
    }),
  );
}

function add(requests: readonly ImportedRequest[]): void {
  if (requests.length === 0) return;
  enqueue(ADD, [request().organisation.id, JSON.stringify(requests.map((one) => ({ id: newId(), ...one })))]);
}

/** Reads all rows by the rule and stores those that pass in one statement; nobody is told (people §16, "Historic import"). */
async function open(rows: readonly Values[]): Promise<Opened> {
  lockEverybody();
  const sources = await loadSources({ users: "all", ledger: true });
  const { requests, errors } = readHistoricRequests(rows as ImportRow[], {
    members: await membersOf(sources),
    types: new Map(sources.types.map((type) => [type.key, type])),
    holidays: sources.holidays,
  });
  const refused = new Map<number, Refused>();
  for (const { row, column, error } of errors) refused.set(row - 1, { ...refused.get(row - 1), [column]: error });
  return {
    write: async (index) => refused.get(index) ?? "created",
    async finish() {
      add(requests);
      return new Map();
    },
  };
}

/** Leave requests of before, by people and types that are there already. */
export const leaveRequest: ImpexEntity = {
  name: "leave_request",
  plural: "leave-requests",
  read: "leave.request.read",
  write: "leave.request.write:any",
  fields: FIELDS,
  matching:
    "email is a member's, leave_type_key a type's, inactive ones too. hours are the agreed number, computed where empty; an empty status is approved. Every row makes a new request; one that shares a day with live leave of the person is refused. Nobody is notified.",
  open,
  filters: requestFilters,
  async ids({ updated_since, user_id, all_users, year, status }) {
    const person = listedPerson(user_id as string | undefined, all_users === true);
    return ids({ updated_since: updated_since as string | undefined, filters: { user_id: person ?? undefined, year, status } });
  },
  rows: (wanted) => query<Values>(ROWS, [request().organisation.id, wanted]),
};
