import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Values } from "../../../core/database/write.ts";
import { type CheckFor, compileBody } from "../../../core/declare/schema.ts";
import { mergedCustom } from "../../../core/impex/custom.ts";
import type { Outcome, Refused } from "../../../core/impex/entity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { Contact } from "../models.ts";
import { visibleToClients, visibleToStaff } from "./contact.list.ts";
import { isNarrowClient } from "./contact-rows.ts";
import { ContactCreate, ContactUpdate } from "./contact-schemas.ts";
import { contactValues } from "./contact-values.ts";
import { addLinks, changeContact, claimEmailsOf, createContact, type Link, putLinks } from "./contact-writes.ts";

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
const LOCK = statement(
  `select ${columns(Contact, "t")} from contacts t where t.organisation_id = $1 and t.id = any($2::uuid[]) order by t.id for update`,
);
const LINKS = statement(`select contact_id, company_id, contact_type_id, is_primary from contact_links
  where organisation_id = $1 and contact_id = any($2::uuid[])`);

/** A person of a file, once, however many rows are about them. */
export interface Person {
  /** By field of a contact; custom values under `custom`. */
  values: Values;
  /** Where the name is looked for: ids of stored companies, or `NO_COMPANY`; nowhere for people of a company that is new itself. */
  scopes: readonly string[];
}

/** A link of a person as the file asks for it; what it does not say is undefined and stays. */
export interface LinkOfPerson {
  company_id: string;
  contact_type_id?: string | undefined;
  is_primary?: boolean | undefined;
}

type Candidate = { id: string; scope?: string; first_name: string; last_name: string | null };
type Stored = RowOf<typeof Contact>;
type StoredLink = { contact_id: string; company_id: string; contact_type_id: string | null; is_primary: boolean };

/** The scope of people who belong to no company. */
export const NO_COMPANY = "";
const inScope = (scope: string, first: unknown, last: unknown): string =>
  sameName(`${scope}\u0000${[first, last].filter(Boolean).join(" ")}`);
const checkCreate: CheckFor<typeof ContactCreate> = compileBody(ContactCreate, true);
const checkUpdate: CheckFor<typeof ContactUpdate> = compileBody(ContactUpdate, false);

/** What is wrong with the fields of a person, without asking the database; for a row that is refused anyway. */
export function problemsOf({ values }: Person): Refused {
  try {
    const body = { ...values };
    checkUpdate(body);
    contactValues(body, null, request().organisation.country);
    return {};
  } catch (error) {
    return refusedBy(error);
  }
}

/**
 * People of a file on their way into the organisation: matched on the e-mail address, else on the name within a company, else, for people
 * of no company, among those of no company. Companies must be locked.
 */
export class PeopleImport {
  readonly #people: readonly Person[];
  readonly #matches: readonly Match<Stored>[];
  readonly #refused: ReadonlyMap<number, Refused>;
  readonly #links: ReadonlyMap<string, StoredLink>;
  /** Ids of people whose address was written here. */
  readonly #addressed = new Map<string, number>();
  /** Links still to be made: with the primary flag as the file says, and where the company decides about it. */
  readonly #puts: Link[] = [];
  readonly #adds: Link[] = [];
  readonly #written = new Map<number, { id: string; outcome: Exclude<Outcome, Refused> }>();

  private constructor(
    people: readonly Person[],
    matches: readonly Match<Stored>[],
    refused: ReadonlyMap<number, Refused>,
    links: readonly StoredLink[],
  ) {
    this.#people = people;
    this.#matches = matches;
    this.#refused = refused;
    this.#links = new Map(links.map((link) => [`${link.contact_id} ${link.company_id}`, link]));
  }

  /** Finds and locks the people in five statements, however many they are. */
  static async open(people: readonly Person[]): Promise<PeopleImport> {
    const { organisation, principal } = request();
    const seen = [principal?.selection ?? null, isNarrowClient()];
    const emails = people.map(({ values }) => values["email"] as string | undefined);
    const companies = [...new Set(people.flatMap(({ scopes }) => scopes))].filter((scope) => scope !== NO_COMPANY);
    const alone = people.flatMap(({ values, scopes }) =>
      scopes.includes(NO_COMPANY) ? ((values["first_name"] as string) ?? []) : [],
    );
    const byEmail = await query<{ asked: string; id: string; visible: boolean }>(BY_EMAIL, [
      organisation.id,
      [...new Set(emails.flatMap((email) => email ?? []))],
      ...seen,
    ]);
    const candidates = [
      ...(await query<Candidate>(OF_COMPANIES, [organisation.id, companies])),
      ...(await query<Candidate>(OF_NO_COMPANY, [organisation.id, alone, isNarrowClient()])),
    ];
    const known = Map.groupBy(byEmail, ({ asked }) => asked.toLowerCase());
    const refused = new Map<number, Refused>();
    for (const [index, email] of emails.entries()) {
      const found = email === undefined ? [] : (known.get(email.toLowerCase()) ?? []);
      if (found.some(({ visible }) => !visible)) refused.set(index, { email: "errors.contact_email_exists" });
      else if (new Set(found.map(({ id }) => id)).size > 1) refused.set(index, { email: "impex.errors.ambiguous_match" });
    }
    const matches = matchRows<{ id: string }>(
      people.map(({ values, scopes }, index) => ({
        number: emails[index]?.toLowerCase(),
        name:
          values["first_name"] === undefined
            ? undefined
            : scopes.map((scope) => inScope(scope, values["first_name"], values["last_name"])),
      })),
      new Map([...known].map(([email, [first]]) => [email, first as { id: string }])),
      Map.groupBy(candidates, ({ scope = NO_COMPANY, first_name: first, last_name: last }) => inScope(scope, first, last)),
    );
    const ids = matches.flatMap((match) => ("change" in match ? match.change.id : []));
    const rows = new Map((await query<Stored>(LOCK, [organisation.id, ids])).map((row) => [row.id, row]));
    const links = await query<StoredLink>(LINKS, [organisation.id, ids]);
    const locked = matches.map((match): Match<Stored> => {
      if (!("change" in match)) return match;
      // Whoever went between the look and the lock is made anew.
      const row = rows.get(match.change.id);
      return row ? { change: row } : { create: true };
    });
    return new PeopleImport(people, locked, refused, links);
  }

  /**
   * Writes a person, the first time it is asked for, and links. @returns what became of both, or what is wrong by field of a contact
   * @throws 403, 404, 409, 422 of the rules
   */
  async write(index: number, links: readonly LinkOfPerson[]): Promise<Outcome> {
    const refused = this.#refused.get(index);
    if (refused) return refused;
    const match = this.#matches[index] as Match<Stored>;
    if ("refuse" in match) return { [match.refuse === "number" ? "email" : "first_name"]: "errors.duplicate" };
    const before = this.#written.get(index);
    if (!before && "create" in match) return this.#create(index, links);
    const { id, outcome } = before ?? (await this.#change(index, (match as { change: Stored }).change));
    this.#written.set(index, { id, outcome });
    const linked = links.map((link) => this.#link(id, link));
    return linked.includes(true) ? "updated" : before ? "unchanged" : outcome;
  }

  async #create(index: number, links: readonly LinkOfPerson[]): Promise<Outcome> {
    const body: Values = { ...(this.#people[index] as Person).values, company_ids: links.map((link) => link.company_id) };
    checkCreate(body);
    const id = await createContact(body, true);
    if (body["email"] !== undefined) this.#addressed.set(id, index);
    for (const link of links) this.#link(id, link);
    this.#written.set(index, { id, outcome: "created" });
    return "created";
  }

  async #change(index: number, before: Stored): Promise<{ id: string; outcome: "updated" | "unchanged" }> {
    const { custom: given, ...values } = (this.#people[index] as Person).values;
    const custom = mergedCustom(before.custom, given as CustomValues | undefined, await activeDefinitions("contact"));
    const body: Values = { ...values, ...(custom && { custom }) };
    checkUpdate(body);
    const isChanged = await changeContact(before, body, true);
    if (isChanged && body["email"] !== undefined && body["email"] !== before.email) this.#addressed.set(before.id, index);
    return { id: before.id, outcome: isChanged ? "updated" : "unchanged" };
  }

  /** Notes a link to make or change as far as the file says something about it. Gives whether anything will change. */
  #link(id: string, { company_id: company, contact_type_id: type, is_primary: primary }: LinkOfPerson): boolean {
    const stored = this.#links.get(`${id} ${company}`);
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

  /** Makes all links, and claims the addresses that were written. Gives, by person, those that somebody else has after all. */
  async finish(): Promise<Map<number, Refused>> {
    putLinks(this.#puts);
    addLinks(this.#adds);
    const taken = await claimEmailsOf([...this.#addressed.keys()]);
    return new Map(
      [...taken].flatMap((id) => {
        const index = this.#addressed.get(id);
        return index === undefined ? [] : [[index, { email: "errors.contact_email_exists" }] as const];
      }),
    );
  }
}
