import { query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { type KnownWords, recordsOfWords } from "../../../core/impex/known-words.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Named } from "../../../mixins/named/named-clients.ts";
import { Provider } from "../providers/models.ts";
import { ProviderCreate, type ProviderKind } from "../providers/provider-schemas.ts";

const check: CheckFor<typeof ProviderCreate> = compileBody(ProviderCreate, true);

const PROVIDERS = statement("select id, kind, name from providers where organisation_id = $1 order by id for key share");

/** The providers named by the words of a file, by name or id within their kind. */
export class NamedProviders {
  readonly #ids = new Map<string, Set<string>>();

  private constructor(rows: readonly { id: string; kind: string; name: string }[]) {
    for (const { id, kind, name } of rows)
      for (const word of [id, name]) {
        const key = `${kind} ${sameName(word)}`;
        this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(id));
      }
  }

  /** Loads all providers in one statement, because there are few, and locks them until the import ends. */
  static async open(): Promise<NamedProviders> {
    return new NamedProviders(await query(PROVIDERS, [request().organisation.id]));
  }

  /** The words of a column of providers of a kind. */
  known(kind: ProviderKind): KnownWords {
    const made = new Set<string>();
    return {
      has: (word) => "id" in this.of(kind, word) || made.has(sameName(word)),
      create: {
        needs: "settings.providers.manage",
        make: (words) =>
          recordsOfWords(words, (name) => (this.#isFree(kind, name) ? { kind, name } : undefined), {
            check,
            store(body) {
              queueInsert(Provider, body);
              made.add(sameName(body.name));
            },
          }),
      },
    };
  }

  /** Whether no provider has the name, not even several. */
  #isFree(kind: string, name: string): boolean {
    return !this.#ids.has(`${kind} ${sameName(name)}`);
  }

  of(kind: string, word: string): Named {
    const [only, other] = this.#ids.get(`${kind} ${sameName(word.trim())}`) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}

/**
 * The unique export name of a slot's provider: its name, or its id if another provider of its kind has that name.
 * @param reference SQL of its id on row `t`
 */
export const providerWord = (reference: string): string => `(select case when exists (select 1 from providers o
      where o.organisation_id = p.organisation_id and o.kind = p.kind and o.id <> p.id and o.name collate kantoor_text = p.name)
    then p.id::text else p.name end from providers p where p.organisation_id = t.organisation_id and p.id = ${reference})`;
