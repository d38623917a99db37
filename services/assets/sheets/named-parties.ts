import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImportRows } from "../../../core/impex/entity.ts";
import { bare } from "../../../core/impex/field.ts";
import { askedIds, knownIds } from "../../../core/impex/identity.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { clientWord, NamedClients } from "../../../mixins/named/named-clients.ts";
import { visibleContact } from "../parties/parties.ts";
import type { PartyType, SentParty } from "../parties/party-schemas.ts";

/** The names of the party kinds in cells, in English, Dutch and German. */
const TYPES: Readonly<Record<PartyType, readonly string[]>> = {
  agency: ["agency", "bureau", "agentur"],
  company: ["company", "client", "klant", "bedrijf", "kunde"],
  employee: ["employee", "medewerker", "collega", "mitarbeiter"],
  contact: ["contact", "contactpersoon", "kontakt", "ansprechpartner"],
};
const TYPE_OF = new Map(
  Object.entries(TYPES).flatMap(([type, words]) => words.map((word) => [word, type as PartyType] as const)),
);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const MEMBERS = statement(`select a.id, a.email from unnest($2::text[]) w(email) join accounts a on lower(a.email) = w.email
  join memberships m on m.organisation_id = $1 and m.account_id = a.id`);
const contacts = forStaffAndClients((clients) =>
  statement(`select k.id, k.email_key as email from contacts k where k.organisation_id = $1
    and (k.email_key = any($2::text[]) or k.id = any($3::uuid[])) and ($4::uuid[] is null or ${visibleContact(clients, "$4::uuid[]")})
    order by k.id for key share`),
);

/** Splits a cell into kind and word: `company: K-1`, `agency`, `jan@bakker.example`. */
function partsOf(cell: string): { type: PartyType | undefined; word: string } {
  const [before = "", ...after] = cell.split(":");
  const type = TYPE_OF.get(bare(before));
  return type === undefined ? { type, word: cell.trim() } : { type, word: after.join(":").trim() };
}

type FoundParty = SentParty | { error: string };
const only = (ids: ReadonlySet<string> | undefined, type: PartyType): FoundParty => {
  const [one, other] = ids ?? [];
  if (one === undefined) return { error: "impex.errors.unresolved_reference" };
  return other === undefined ? { type, id: one } : { error: "impex.errors.ambiguous_match" };
};

/**
 * The parties named by the cells of a file: `agency`, `company` (the record's own client) or `company: number`, `employee: address`,
 * `contact: address`. Without a kind, an address means a colleague, else a contact; any other word means a client.
 */
export class NamedParties {
  readonly #clients: NamedClients;
  readonly #members = new Map<string, Set<string>>();
  readonly #contacts = new Map<string, Set<string>>();

  private constructor(clients: NamedClients) {
    this.#clients = clients;
  }

  /** Looks up all parties in three statements. @param columns the party columns */
  static async open(rows: ImportRows, columns: readonly string[]): Promise<NamedParties> {
    const words = new Set<string>();
    for await (const row of rows)
      for (const column of columns) if (row[column] !== undefined) words.add(partsOf(row[column] as string).word);
    words.delete("");
    const addresses = [...words].filter((word) => word.includes("@")).map((word) => word.toLowerCase());
    const given = [...words].map((word) => word.toLowerCase()).filter((word) => UUID.test(word));
    const parties = new NamedParties(await NamedClients.open(words));
    if (addresses.length + given.length === 0) return parties;
    const { organisation, principal } = request();
    for (const { id, email } of await query<{ id: string; email: string }>(MEMBERS, [organisation.id, addresses]))
      add(parties.#members, email.toLowerCase(), id);
    const asked = [organisation.id, addresses, askedIds("contact", given), principal?.selection ?? null];
    const found = await query<{ id: string; email: string | null }>(contacts(), asked);
    for (const { id, email } of found) if (email !== null) add(parties.#contacts, email, id);
    const visible = found.map(({ id }) => ({ id, is_visible: true }));
    for (const [id, row] of knownIds("contact", given, visible).byId) add(parties.#contacts, id, row.id);
    return parties;
  }

  /** The party of a cell, or its error. */
  of(cell: string): FoundParty {
    const { type, word } = partsOf(cell);
    const address = word.toLowerCase();
    if (type === "agency") return word === "" ? { type } : { error: "errors.validation" };
    if (type === "company" && word === "") return { type };
    if (type === "employee" || (type === undefined && this.#members.has(address)))
      return only(this.#members.get(address), "employee");
    if (type === "contact" || (type === undefined && word.includes("@"))) return only(this.#contacts.get(address), "contact");
    const client = this.#clients.of(word);
    return "error" in client ? client : { type: "company", id: client.id };
  }

  /** The parties of a row by body field, or the errors by column. */
  ofRow(row: Values, columns: readonly string[]): { values: Values; refused: Record<string, string> } {
    const [values, refused]: [Values, Record<string, string>] = [{}, {}];
    for (const column of columns) {
      if (row[column] === undefined) continue;
      const found = this.of(row[column] as string);
      if ("error" in found) refused[column] = found.error;
      else values[column] = found;
    }
    return { values, refused };
  }
}

function add(map: Map<string, Set<string>>, key: string, id: string): void {
  const ids = map.get(key);
  if (ids) ids.add(id);
  else map.set(key, new Set([id]));
}

/**
 * SQL of the unique export name of a party of row `t`; null if its record is deleted or hidden from the caller.
 * @param name the party's field
 * @param slot the sources of the caller's selection
 * @param clients whether the caller is a client login
 */
export const partyWord = (name: string, slot: string, clients: boolean): string => `case t.${name}_type
    when 'agency' then 'agency'
    when 'company' then case when t.${name}_id is null then 'company' else 'company: ' || (select ${clientWord(slot)} from companies c
      where c.organisation_id = t.organisation_id and c.id = t.${name}_id and (${slot} is null or c.id in (select selected_companies(${slot})))) end
    when 'employee' then 'employee: ' || (select a.email from memberships m join accounts a on a.id = m.account_id
      where m.organisation_id = t.organisation_id and m.account_id = t.${name}_id)
    when 'contact' then 'contact: ' || (select case when k.email_key is null or exists (select 1 from contacts o
        where o.organisation_id = k.organisation_id and o.email_key = k.email_key and o.id <> k.id) then k.id::text else k.email end
      from contacts k where k.organisation_id = t.organisation_id and k.id = t.${name}_id
        and (${slot} is null or ${visibleContact(clients, slot)})) end as ${name}`;
