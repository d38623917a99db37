import { query } from "../../../core/database/query.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Named } from "../../../mixins/named-clients.ts";
import { visibleHosting } from "../hosting/hosting.list.ts";

const BY_WORD = statement(`select t.id, t.name from hostings t where t.organisation_id = $1
  and ($3::uuid[] is null or ${visibleHosting("$3::uuid[]")})
  and (t.name collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[])) order by t.id for key share`);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The hosting named by the words of a file, by id or unique name; locked until the import ends. */
export class NamedHosting {
  readonly #ids = new Map<string, Set<string>>();

  /** Looks up all words in one statement. */
  static async open(words: ReadonlySet<string>): Promise<NamedHosting> {
    const named = new NamedHosting();
    if (words.size === 0) return named;
    const { organisation, principal } = request();
    const given = [...words].filter((word) => UUID.test(word));
    const values = [organisation.id, [...words], principal?.selection ?? null, given];
    for (const { id, name } of await query<{ id: string; name: string }>(BY_WORD, values))
      for (const word of [id, sameName(name)]) named.#ids.set(word, (named.#ids.get(word) ?? new Set()).add(id));
    return named;
  }

  of(word: string): Named {
    const [only, other] = this.#ids.get(sameName(word)) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}
