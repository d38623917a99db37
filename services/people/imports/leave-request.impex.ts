import { lastOfYear } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { bare, type Field } from "../../../core/impex/field.ts";
import { isCut } from "../../../core/impex/files/cell.ts";
import { askedIds, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import type { KnownColumns } from "../../../core/impex/known-words.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { expectedHolidays } from "../holidays/expected-holidays.ts";
import type { LeaveType } from "../leave-types.ts";
import { YEARS } from "../limits.ts";
import { lockPeople } from "../person-lock.ts";
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
const ROWS = statement(`select t.id, a.email, k.key as leave_type_key, t.start_date, t.end_date, t.hours, t.status, t.note
  from unnest($2::uuid[]) with ordinality w (id, n) join leave_requests t on t.organisation_id = $1 and t.id = w.id
  join leave_types k on k.organisation_id = t.organisation_id and k.id = t.leave_type_id left join accounts a on a.id = t.user_id
  order by w.n`);
const ids = exportedIds(requestListing.spec, "t.start_date, t.end_date, t.user_id, t.id");

/**
 * The columns of a leave spreadsheet, with their Dutch, English and German headers and values. Headers are compared without case, spaces
 * and punctuation.
 */
const FIELDS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "email",
    kind: "email",
    required: true,
    names: ["e-mailadres", "email address", "medewerker", "employee", "werknemer", "mitarbeiter", "e-mail-adresse"],
  },
  {
    key: "leave_type_key",
    kind: "text",
    required: true,
    names: ["leave type", "verlofsoort", "verloftype", "soort", "type", "time off type", "urlaubsart", "abwesenheitsart"],
  },
  {
    key: "start_date",
    kind: "date",
    required: true,
    names: ["startdatum", "begindatum", "van", "from", "first day", "von", "beginn"],
  },
  {
    key: "end_date",
    kind: "date",
    required: true,
    names: ["einddatum", "tot en met", "t/m", "to", "until", "last day", "bis", "ende", "enddatum"],
  },
  { key: "hours", kind: "number", names: ["uren", "aantal uren", "amount", "stunden"] },
  {
    key: "status",
    kind: "choice",
    choices: {
      pending: ["aangevraagd", "in behandeling", "requested", "open", "beantragt", "offen"],
      approved: ["goedgekeurd", "akkoord", "accepted", "genehmigt"],
      rejected: ["afgewezen", "afgekeurd", "declined", "denied", "abgelehnt"],
      cancelled: ["geannuleerd", "ingetrokken", "canceled", "withdrawn", "storniert", "zurückgezogen"],
    },
  },
  { key: "note", kind: "text", names: ["notitie", "opmerking", "toelichting", "comment", "remark", "reason", "bemerkung"] },
];

/** Members by e-mail address, with the data to price and check their leave. */
async function membersOf({ person }: LeaveSources): Promise<Map<string, ImportMember>> {
  const rows = await query<{ email: string; user_id: string }>(MEMBERS, [request().organisation.id]);
  return new Map(
    rows.map(({ email, user_id }) => {
      const who = person(user_id);
      return [email, { user_id, person: who, requests: who.bookings }];
    }),
  );
}

function add(requests: readonly (ImportedRequest & { id: string })[]): void {
  if (requests.length === 0) return;
  enqueue(ADD, [request().organisation.id, JSON.stringify(requests)]);
}

/** Resolves a word to a type's key: the key itself, or a label in any language that is unique to one type. Other words pass unchanged. */
function typeKeys(types: readonly LeaveType[]): (word: string) => string {
  const keys = new Set(types.map(({ key }) => key));
  const labelled = types.flatMap(({ key, label_i18n: label }) =>
    [...new Set(Object.values(label).map(bare))].map((name) => ({ name, key })),
  );
  const byLabel = Map.groupBy(labelled, ({ name }) => name);
  return (word) => {
    const [one, other] = byLabel.get(bare(word)) ?? [];
    return keys.has(word) || !one || other ? word : one.key;
  };
}

/** A stored request in its export shape. */
type Exported = Record<string, string | null> & { id: string };

/** The fields in which a file differs from a stored request, as errors: imports create requests and never change them. */
function differences(row: Values, stored: Exported): Refused {
  const isSame = (field: string, value: unknown) =>
    field === "id" || isCut(value) || stored[field] === value || (field === "hours" && Number(stored[field]) === Number(value));
  const changed = Object.entries(row).filter(([field, value]) => !isSame(field, value));
  return Object.fromEntries(changed.map(([field]) => [field, "impex.errors.unknown_column"]));
}

/** The stored requests that the ids in a file resolve to. */
async function storedRequests(rows: readonly Values[]): Promise<Map<string, Exported>> {
  const given = [...new Set(rows.flatMap(({ id }) => (id as string | undefined) ?? []))];
  if (given.length === 0) return new Map();
  const found = await query<Exported>(ROWS, [request().organisation.id, askedIds("leave_request", given)]);
  return knownIds(
    "leave_request",
    given,
    found.map((row) => ({ ...row, is_visible: true })),
  ).byId as Map<string, never>;
}

/** Locks the leave of the members that the file names, so that others can still book theirs. */
async function lockPeopleOf(rows: ImportRows): Promise<void> {
  const emails = new Set(
    await Array.fromAsync(rows, ({ email }) =>
      String(email ?? "")
        .trim()
        .toLowerCase(),
    ),
  );
  const members = await query<{ email: string; user_id: string }>(MEMBERS, [request().organisation.id]);
  lockPeople(members.flatMap(({ email, user_id }) => (emails.has(email.toLowerCase()) ? user_id : [])));
}

/** Reads all rows by the rules and stores the valid ones in one statement; notifies no one (people §16, "Historic import"). */
async function open(given: ImportRows): Promise<Opened> {
  await lockPeopleOf(given);
  const sources = await loadSources({ users: "all", ledger: true });
  const keyOf = typeKeys(sources.types);
  const rows = await Array.fromAsync(
    given,
    (row): Values => ({ ...row, leave_type_key: keyOf(String(row["leave_type_key"] ?? "").trim()) }),
  );
  const stored = await storedRequests(rows);
  const refused = new Map<number, Refused>();
  const known = new Set<number>();
  const idsOfFile = Map.groupBy(rows.keys(), (index) => rows[index]?.["id"] as string | undefined);
  for (const [index, row] of rows.entries()) {
    const id = row["id"] as string | undefined;
    if (id === undefined) continue;
    const before = stored.get(id);
    if (before) known.add(index);
    const wrong = (idsOfFile.get(id)?.length ?? 0) > 1 ? { id: "errors.duplicate" } : before ? differences(row, before) : {};
    if (Object.keys(wrong).length > 0) refused.set(index, wrong);
  }
  const fresh = [...rows.keys()].filter((index) => !known.has(index) && !refused.has(index));
  const { requests, errors } = readHistoricRequests(
    fresh.map((index) => rows[index] as ImportRow),
    {
      members: await membersOf(sources),
      types: new Map(sources.types.map((type) => [type.key, type])),
      holidays: await expectedHolidays(sources, sources.today, lastOfYear(YEARS.last)),
    },
  );
  for (const { row, column, error } of errors) {
    const index = fresh[row - 1] as number;
    refused.set(index, { ...refused.get(index), [column]: error });
  }
  const accepted = fresh.filter((index) => !refused.has(index));
  return {
    write: async (index) => refused.get(index) ?? (known.has(index) ? "unchanged" : "created"),
    async finish() {
      add(requests.map((one, place) => ({ id: idOf(rows[accepted[place] as number] as Values), ...one })));
      return new Map();
    },
    words: {
      leave_type_key: sources.types.flatMap(({ key, label_i18n: label }) => [...new Set([key, ...Object.values(label)])]),
    },
  };
}

const idOf = ({ id }: Values): string => (id === undefined ? newId() : rememberedId("leave_request", id as string));

/** The members and types that a file may name; without either there is no leave to book. */
async function known(): Promise<KnownColumns> {
  const { types } = await loadSources({ users: "all", ledger: false });
  const rows = await query<{ email: string }>(MEMBERS, [request().organisation.id]);
  const emails = new Set(rows.map(({ email }) => email.toLowerCase()));
  const [keyOf, keys] = [typeKeys(types), new Set(types.map(({ key }) => key))];
  return {
    email: { has: (word) => emails.has(word.toLowerCase()), isEssential: true },
    leave_type_key: { has: (word) => keys.has(keyOf(word)), isEssential: true },
  };
}

/** Historic leave requests of existing people and types. */
export const leaveRequest: ImpexEntity = {
  name: "leave_request",
  plural: "leave-requests",
  read: "leave.request.read",
  write: "leave.request.write:any",
  fields: FIELDS,
  firstUse: () => loadSources({ users: [], ledger: false }),
  matching:
    "email is a member's, leave_type_key a type's, inactive ones too. hours is the agreed number, computed if empty; an empty status is approved. Every row creates a new request, except that a row with a known id must match the stored one; a row that overlaps live leave of the person is refused. No notifications are sent.",
  known: { columns: ["email", "leave_type_key"], open: known },
  open,
  filters: requestFilters,
  everything: { all_users: true },
  async ids({ updated_since, user_id, all_users, year, status }) {
    const person = listedPerson(user_id as string | undefined, all_users === true);
    return ids({ updated_since: updated_since as string | undefined, filters: { user_id: person ?? undefined, year, status } });
  },
  rows: (wanted) => query<Values>(ROWS, [request().organisation.id, wanted]),
};
