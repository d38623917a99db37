import type { NamedRecord } from "../../core/database/named-record.ts";
import { query } from "../../core/database/query.ts";
import { askedIds, knownIds } from "../../core/impex/identity.ts";
import { sameName } from "../../core/impex/matching.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";

const SEEN = "($3::uuid[] is null or t.id in (select selected_companies($3::uuid[])))";
const BY_WORD = statement(`select t.id, t.client_number, t.name from companies t where t.organisation_id = $1 and ${SEEN}
  and (t.client_number = any($2::text[]) or t.name collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[]))
  order by t.id for key share`);

/** A client as other records refer to it. */
export const namedClient: NamedRecord = {
  table: "companies",
  name: "r.name",
  visible: (slot) => `t.id in (select selected_companies(${slot}))`,
};

/**
 * The name of client `c` in an export, unique among the clients that the caller sees: its number, name or id, in this order.
 * @param slot the sources of the caller's selection
 */
export const clientWord = (slot: string): string =>
  `coalesce(c.client_number, case when exists (select 1 from companies o
    where o.organisation_id = c.organisation_id and o.id <> c.id and (o.name collate kantoor_text = c.name or o.client_number = c.name)
      and (${slot} is null or o.id in (select selected_companies(${slot})))) then c.id::text else c.name end)`;

interface FoundClient {
  id: string;
  client_number: string | null;
  name: string;
}

/** The meaning of a word in a file: a record's id, or an error key. */
export type Named = { id: string } | { error: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The clients named by the words of a file: by number, id or unique name. They are locked until the import ends. */
export class NamedClients {
  readonly #byNumber = new Map<string, string>();
  readonly #byName = new Map<string, string[]>();
  readonly #byId = new Map<string, string>();

  /** Looks up all words in one statement. */
  static async open(words: ReadonlySet<string>): Promise<NamedClients> {
    const named = new NamedClients();
    if (words.size === 0) return named;
    const { organisation, principal } = request();
    const given = [...words].flatMap((word) => (UUID.test(word) ? word.toLowerCase() : []));
    const values = [organisation.id, [...words], principal?.selection ?? null, askedIds("company", given)];
    const found = await query<FoundClient>(BY_WORD, values);
    for (const { id, client_number, name } of found) {
      if (client_number !== null) named.#byNumber.set(client_number, id);
      named.#byName.set(sameName(name), [...(named.#byName.get(sameName(name)) ?? []), id]);
    }
    const visible = found.map(({ id }) => ({ id, is_visible: true }));
    for (const [id, row] of knownIds("company", given, visible).byId) named.#byId.set(id, row.id);
    return named;
  }

  of(word: string): Named {
    const id = this.#byNumber.get(word) ?? this.#byId.get(word.toLowerCase());
    if (id !== undefined) return { id };
    const [only, other] = this.#byName.get(sameName(word)) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}
