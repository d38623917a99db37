import { query } from "../../../core/database/query.ts";
import { addressesIn } from "../../../core/impex/files/lists.ts";
import { type KnownWords, wordsInBrackets } from "../../../core/impex/known-words.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Named } from "../../../mixins/named/named-clients.ts";

const MEMBERS = statement(`select a.id, a.email, a.full_name as name from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 order by a.id`);

/** Resolves members named in a file: by e-mail address, else by a full name that only one member has. */
export class NamedPeople {
  readonly #byEmail = new Map<string, string>();
  readonly #byName = new Map<string, string[]>();

  static async open(): Promise<NamedPeople> {
    const named = new NamedPeople();
    const rows = await query<{ id: string; email: string; name: string | null }>(MEMBERS, [request().organisation.id]);
    for (const { id, email, name } of rows) {
      named.#byEmail.set(email.toLowerCase(), id);
      const key = sameName(name?.trim() ?? "");
      if (key !== "") named.#byName.set(key, [...(named.#byName.get(key) ?? []), id]);
    }
    return named;
  }

  /** The words of a column of members: an address or a name each, also as `[a, b]`, `a, b` and `Name (handle)`. */
  get known(): KnownWords {
    const has = (word: string) => "id" in this.of(word);
    const plain = (word: string) => (has(word) ? word : word.replace(/\s*\([^()]*\)$/, ""));
    return {
      has,
      split(part) {
        const words = (addressesIn(part).length > 1 ? addressesIn(part) : wordsInBrackets(part)).map(plain);
        return words.some(has) || part.trim().startsWith("[") ? words : [part];
      },
    };
  }

  of(word: string): Named {
    const id = this.#byEmail.get(word.trim().toLowerCase());
    if (id !== undefined) return { id };
    const [only, other] = this.#byName.get(sameName(word.trim())) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}
