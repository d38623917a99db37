import { query } from "../../../../core/database/query.ts";
import { sameName } from "../../../../core/impex/matching.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { Named } from "../../../../mixins/named-clients.ts";

const TYPES = statement(`select id, array[id::text, key] || array(select v from jsonb_each_text(label_i18n) l(k, v)) as words
  from subscription_types where organisation_id = $1 order by id for key share`);
const TEMPLATES = statement(`select id, array[id::text, name] as words from subscription_templates where organisation_id = $1
  order by id for key share`);

/** Resolves the names in a file to types and presets: a type by key or label, a preset by name, both by id. */
export class NamedPresets {
  readonly #words: Map<string, Set<string>>;

  private constructor(rows: readonly { id: string; words: readonly string[] }[]) {
    this.#words = new Map();
    for (const { id, words } of rows)
      for (const word of words.map(sameName)) this.#words.set(word, (this.#words.get(word) ?? new Set()).add(id));
  }

  /** Loads all of them in one statement: there are few. */
  static async open(kind: "type" | "template"): Promise<NamedPresets> {
    return new NamedPresets(await query(kind === "type" ? TYPES : TEMPLATES, [request().organisation.id]));
  }

  of(word: string): Named {
    const [only, other] = this.#words.get(sameName(word.trim())) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}
