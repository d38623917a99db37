import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../core/impex/changes.ts";
import type { Outcome, Refused } from "../../../core/impex/entity.ts";
import { askedIds, type KnownIds, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { breathing } from "../../../core/threads/breath.ts";
import { visibleToClients, visibleToStaff } from "../contacts/contact.list.ts";
import { isNarrowClient } from "../contacts/contact-rows.ts";
import { ContactCreate, ContactUpdate } from "../contacts/contact-schemas.ts";
import { contactValues } from "../contacts/contact-values.ts";
import { addLinks, changeContact, claimEmailsOf, createContact, type Link, putLinks } from "../contacts/contact-writes.ts";
import { withOthers } from "../contacts/other-addresses.ts";
import type { Contact } from "../models.ts";

const VISIBLE = (slot: string, clientSlot: string) =>
  `(${slot}::uuid[] is null or case when ${clientSlot} then ${visibleToClients(`${slot}::uuid[]`)} else ${visibleToStaff(`${slot}::uuid[]`)} end)`;
const BY_EMAIL = statement(`select w.email as asked, t.id, ${VISIBLE("$3", "$4")} as visible from unnest($2::text[]) w(email)
  join contacts t on t.organisation_id = $1 and t.email_key = lower(w.email collate "und-x-icu")`);
const OF_COMPANIES = statement(`select l.company_id as scope, t.id, t.first_name, t.last_name from contact_links l
  join contacts t on t.organisation_id = l.organisation_id and t.id = l.contact_id
  where l.organisation_id = $1 and l.company_id = any($2::uuid[])`);
const OF_NO_COMPANY =
  statement(`select t.id, t.first_name, t.last_name from (select distinct first from unnest($2::text[]) w(first)) w
  join contacts t on t.organisation_id = $1 and not t.linked and t.first_name collate kantoor_text = w.first where not $3`);
const BY_ID = statement(`select t.id, t.email as number, ${VISIBLE("$3", "$4")} as is_visible from unnest($2::uuid[]) w(id)
  join contacts t on t.organisation_id = $1 and t.id = w.id`);
const LOCK = statement(
  "select t.id from unnest($2::uuid[]) w(id) join contacts t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t",
);
const ROWS = statement(`select t.id, t.first_name, t.last_name, t.job_title, t.email, t.phone, t.other_emails,
  t.other_phones, t.birthday, t.notes, t.custom from contacts t
  where t.organisation_id = $1 and t.id = any($2::uuid[])`);
const LINKS = statement(`select contact_id, company_id, contact_type_id, is_primary from contact_links
  where organisation_id = $1 and contact_id = any($2::uuid[])`);

/** A person in a file, once for all its rows. */
export interface Person {
  /** By contact field; custom values under `custom`, the file's id under `id`. */
  values: Values;
  /** Scopes to match the name in: ids of stored companies, or `NO_COMPANY`; empty for people of a company that is itself new. */
  scopes: readonly string[];
}

/** The people in a file; each is built on demand. */
export interface People {
  readonly length: number;
  at(index: number): Person;
}

/** A link of a person in the file; undefined fields stay unchanged. */
export interface LinkOfPerson {
  company_id: string;
  contact_type_id?: string | undefined;
  is_primary?: boolean | undefined;
}

type Candidate = { id: string; scope?: string; first_name: string; last_name: string | null };
type StoredIdentity = { id: string; number: string | null; is_visible: boolean };
type PersonMatch = Match<{ id: string }>;
type StoredContact = RowOf<typeof Contact>;
type StoredLink = { contact_id: string; company_id: string; contact_type_id: string | null; is_primary: boolean };

/** Of the further addresses and numbers of a contact and a file, the lists that the file adds to. */
const grown = (before: StoredContact, others: ReturnType<typeof withOthers>): Values =>
  Object.fromEntries(Object.entries(others).filter(([field, list]) => list.length > before[field as keyof typeof others].length));

/** The scope of people without a company. */
export const NO_COMPANY = "";
const inScope = (scope: string, first: unknown, last: unknown): string =>
  sameName(`${scope}\u0000${[first, last].filter(Boolean).join(" ")}`);
const COLUMN_OF = { id: "id", number: "email", name: "first_name" } as const;
const checkCreate: CheckFor<typeof ContactCreate> = compileBody(ContactCreate, true);
const checkUpdate: CheckFor<typeof ContactUpdate> = compileBody(ContactUpdate, false);

const bodyOf = ({ values: { id: _id, ...body } }: Person): Values => body;

/** The invalid fields of a person, without a database query; for a row that is refused anyway. */
export function problemsOf(person: Person): Refused {
  try {
    const body = bodyOf(person);
    checkUpdate(body);
    contactValues(body, null, request().organisation.country);
    return {};
  } catch (error) {
    return refusedBy(error);
  }
}

/** The identities of people in the file, and the scopes of their names. */
interface FileIdentities {
  ids: (string | undefined)[];
  emails: (string | undefined)[];
  /** The names of each person, in each scope. */
  names: (readonly string[] | undefined)[];
  companies: Set<string>;
  /** First names of people without a company. */
  alone: string[];
}

async function wantedOf(people: People): Promise<FileIdentities> {
  const wanted: FileIdentities = { ids: [], emails: [], names: [], companies: new Set(), alone: [] };
  for await (const index of breathing(Array(people.length).keys())) {
    const { values, scopes } = people.at(index);
    const first = values["first_name"] as string | undefined;
    wanted.ids.push(values["id"] as string | undefined);
    wanted.emails.push(values["email"] as string | undefined);
    wanted.names.push(first === undefined ? undefined : scopes.map((scope) => inScope(scope, first, values["last_name"])));
    for (const scope of scopes) if (scope !== NO_COMPANY) wanted.companies.add(scope);
    if (first !== undefined && scopes.includes(NO_COMPANY)) wanted.alone.push(first);
  }
  return wanted;
}

/** StoredContact contacts that people in the file may be. */
interface StoredContacts extends KnownIds<StoredIdentity> {
  /** By e-mail address in lower case. */
  byEmail: ReadonlyMap<string, readonly { id: string; visible: boolean }[]>;
  /** Contacts of the file's companies, and those without a company. */
  candidates: readonly Candidate[];
}

async function storedContacts({ ids, emails, companies, alone }: FileIdentities): Promise<StoredContacts> {
  const { organisation, principal } = request();
  const seen = [principal?.selection ?? null, isNarrowClient()];
  const given = [...new Set(ids.flatMap((id) => id ?? []))];
  const identified = await query<StoredIdentity>(BY_ID, [organisation.id, askedIds("contact", given), ...seen]);
  const { byId, hidden } = knownIds(
    "contact",
    given,
    identified.map((row) => ({ ...row, number: row.number?.toLowerCase() ?? null })),
  );
  const byEmail = await query<{ asked: string; id: string; visible: boolean }>(BY_EMAIL, [
    organisation.id,
    [...new Set(emails.flatMap((email) => email ?? []))],
    ...seen,
  ]);
  const candidates = [
    ...(await query<Candidate>(OF_COMPANIES, [organisation.id, [...companies]])),
    ...(await query<Candidate>(OF_NO_COMPANY, [organisation.id, alone, isNarrowClient()])),
  ];
  return { byId, hidden, byEmail: Map.groupBy(byEmail, ({ asked }) => asked.toLowerCase()), candidates };
}

/** People whose id or address belongs to a contact the caller cannot see, or whose address belongs to several contacts. */
function refusedBefore({ ids, emails }: FileIdentities, { byId, hidden, byEmail }: StoredContacts): Map<number, Refused> {
  const refused = new Map<number, Refused>();
  for (const [index, email] of emails.entries()) {
    const id = ids[index] ?? "";
    if (hidden.has(id)) refused.set(index, { id: "errors.not_found" });
    // The id identifies the person already; the write checks the address.
    if (byId.has(id)) continue;
    const found = email === undefined ? [] : (byEmail.get(email.toLowerCase()) ?? []);
    if (found.some(({ visible }) => !visible)) refused.set(index, { email: "errors.contact_email_exists" });
    else if (new Set(found.map((one) => one.id)).size > 1) refused.set(index, { email: "impex.errors.ambiguous_match" });
  }
  return refused;
}

async function matchesOf(
  { ids, emails, names }: FileIdentities,
  { byId, byEmail, candidates }: StoredContacts,
): Promise<PersonMatch[]> {
  const identities = emails.map((email, index) => ({ id: ids[index], number: email?.toLowerCase(), name: names[index] }));
  return matchRows<{ id: string; number?: string | null }>(identities, {
    byId,
    byNumber: new Map([...byEmail].map(([email, [first]]) => [email, { id: (first as { id: string }).id }])),
    byName: Map.groupBy(candidates, ({ scope = NO_COMPANY, first_name: first, last_name: last }) => inScope(scope, first, last)),
  });
}

/** Locks the matched contacts. A contact deleted between check and lock is created again. */
async function lockedMatches(matches: readonly PersonMatch[]): Promise<PersonMatch[]> {
  const changed = matches.flatMap((match) => ("change" in match ? match.change.id : []));
  const locked = new Set((await query<{ id: string }>(LOCK, [request().organisation.id, changed])).map(({ id }) => id));
  return matches.map((match) => ("change" in match && !locked.has(match.change.id) ? ({ create: true } as const) : match));
}

/**
 * Imports the people of a file. Matches them by id, then by e-mail address, else by name within a company or, for people without one, among
 * contacts without a company. Companies must be locked.
 */
export class PeopleImport {
  /** Number of people created. */
  created = 0;
  readonly #people: People;
  readonly #matches: readonly PersonMatch[];
  readonly #refused: ReadonlyMap<number, Refused>;
  /** The stored rows of the people to write next. */
  #rows: ReadonlyMap<string, StoredContact> = new Map();
  #links: ReadonlyMap<string, StoredLink> = new Map();
  /** People whose address this import wrote, by id. */
  readonly #addressed = new Map<string, number>();
  /** Links to write: `#puts` sets the primary flag from the file, `#adds` lets the company's state decide it. */
  readonly #puts: Link[] = [];
  readonly #adds: Link[] = [];
  /** The primary contacts that the file names, by company; they replace the stored ones. */
  readonly #claimed = new Map<string, string>();
  readonly #written = new Map<number, { id: string; outcome: Exclude<Outcome, Refused> }>();

  private constructor(people: People, matches: readonly PersonMatch[], refused: ReadonlyMap<number, Refused>) {
    this.#people = people;
    this.#matches = matches;
    this.#refused = refused;
  }

  /** Finds and locks the people in five statements, whatever their number. */
  static async open(people: People): Promise<PeopleImport> {
    const wanted = await wantedOf(people);
    const contacts = await storedContacts(wanted);
    const matches = await lockedMatches(await matchesOf(wanted, contacts));
    return new PeopleImport(people, matches, refusedBefore(wanted, contacts));
  }

  /** Indexes of people who become contacts although others have the same name. */
  get namesakes(): number[] {
    return namesakesAmong(this.#matches);
  }

  /** Reads the stored data of the people to write next. */
  async load(indexes: readonly number[]): Promise<void> {
    const ids = indexes.flatMap((index) => {
      const match = this.#matches[index] as PersonMatch;
      return "change" in match ? match.change.id : [];
    });
    const place = [request().organisation.id, ids];
    const rows = ids.length > 0 ? await query<StoredContact>(ROWS, place) : [];
    const links = ids.length > 0 ? await query<StoredLink>(LINKS, place) : [];
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#links = new Map(links.map((link) => [`${link.contact_id} ${link.company_id}`, link]));
  }

  /**
   * Writes a person, only once, and its links. @returns the outcome of both, or the errors by contact field
   * @throws 403, 404, 409, 422 for broken rules
   */
  async write(index: number, links: readonly LinkOfPerson[]): Promise<Outcome> {
    const refused = this.#refused.get(index);
    if (refused) return refused;
    const match = this.#matches[index] as PersonMatch;
    if ("refuse" in match) return { [COLUMN_OF[match.refuse]]: "errors.duplicate" };
    const before = this.#written.get(index);
    if (!before && "create" in match) return this.#create(index, links);
    const { id, outcome } = before ?? (await this.#change(index, this.#rows.get((match as { change: StoredContact }).change.id)));
    this.#written.set(index, { id, outcome });
    const linked = links.map((link) => this.#link(id, link));
    return linked.includes(true) ? "updated" : before ? "unchanged" : outcome;
  }

  async #create(index: number, links: readonly LinkOfPerson[]): Promise<Outcome> {
    const person = this.#people.at(index);
    const body: Values = { ...bodyOf(person), company_ids: links.map((link) => link.company_id) };
    checkCreate(body);
    const given = person.values["id"] as string | undefined;
    const id = await createContact(body, true, given === undefined ? undefined : rememberedId("contact", given));
    if (body["email"] !== undefined) this.#addressed.set(id, index);
    for (const link of links) this.#link(id, link);
    this.#written.set(index, { id, outcome: "created" });
    this.created += 1;
    return "created";
  }

  async #change(index: number, stored: StoredContact | undefined): Promise<{ id: string; outcome: "updated" | "unchanged" }> {
    const before = stored as StoredContact;
    const { custom: given, other_emails, other_phones, ...values } = bodyOf(this.#people.at(index));
    const custom = mergedCustom(
      before["custom"] as CustomValues,
      given as CustomValues | undefined,
      await activeDefinitions("contact"),
    );
    const others = withOthers({ ...before, ...values }, { other_emails, other_phones } as Partial<StoredContact>);
    const body: Values = {
      ...newValues(before, { ...values, ...grown(before, others) }),
      ...(custom && { custom }),
    };
    if (Object.keys(body).length === 0) return { id: before.id, outcome: "unchanged" };
    checkUpdate(body);
    const isChanged = await changeContact(before, body, true);
    if (isChanged && body["email"] !== undefined) this.#addressed.set(before.id, index);
    return { id: before.id, outcome: isChanged ? "updated" : "unchanged" };
  }

  /** Queues a link to create or change, if the file mentions it. Returns whether anything will change. */
  #link(id: string, { company_id: company, contact_type_id: type, is_primary: primary }: LinkOfPerson): boolean {
    const stored = this.#links.get(`${id} ${company}`);
    if (primary) this.#claimed.set(company, id);
    const link = {
      contact_id: id,
      company_id: company,
      contact_type_id: type ?? stored?.contact_type_id ?? null,
      is_primary: primary ?? stored?.is_primary ?? false,
    };
    if (!stored && primary === undefined) this.#adds.push(link);
    else if (link.is_primary !== stored?.is_primary || link.contact_type_id !== stored.contact_type_id) this.#puts.push(link);
    else return false;
    return true;
  }

  /** Writes all queued links, and claims the written addresses. Returns, by person, addresses that another contact already has. */
  async finish(): Promise<Map<number, Refused>> {
    const isReplaced = ({ contact_id: id, company_id: company }: Link) => (this.#claimed.get(company) ?? id) !== id;
    await putLinks(this.#puts.map((link) => (isReplaced(link) ? { ...link, is_primary: false } : link)));
    await addLinks(this.#adds);
    const taken = await claimEmailsOf([...this.#addressed.keys()]);
    return new Map(
      [...taken].flatMap((id) => {
        const index = this.#addressed.get(id);
        return index === undefined ? [] : [[index, { email: "errors.contact_email_exists" }] as const];
      }),
    );
  }
}
