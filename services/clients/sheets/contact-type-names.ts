import { query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { bare } from "../../../core/impex/field.ts";
import { type KnownWords, keyOfWord, recordsOfWords } from "../../../core/impex/known-words.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ContactTypeCreate } from "../contacts/contact-schemas.ts";
import { ContactType } from "../models.ts";

const TYPES = statement("select id, key, label_i18n from contact_types where organisation_id = $1 order by position, key");

/** Resolves contact types by the names in a file. */
export interface ContactTypeNames {
  /** Finds a type by its key, or by a label in any language that no other type has; undefined without a match. */
  typeNamed(name: string): string | undefined;
  /** The accepted names. */
  words: readonly string[];
}

const check: CheckFor<typeof ContactTypeCreate> = compileBody(ContactTypeCreate, true);

/** The types that a file of contacts may name. Each belongs to a company of the row, so one that is left out leaves a blank. */
export async function knownContactTypes(): Promise<KnownWords> {
  const { typeNamed } = await contactTypesByName();
  const made = new Set<string>();
  const { locale } = request().organisation;
  const has = (word: string) => typeNamed(word) !== undefined || made.has(bare(word));
  return {
    has,
    keepsPlaces: true,
    create: {
      needs: "contacts.type.manage",
      make: (words) =>
        recordsOfWords(
          words,
          (word) => (has(keyOfWord(word)) ? undefined : { key: keyOfWord(word), label_i18n: { [locale]: word } }),
          {
            check,
            store(body, word) {
              queueInsert(ContactType, body);
              made.add(bare(word)).add(bare(body.key));
            },
          },
        ),
    },
  };
}

export async function contactTypesByName(): Promise<ContactTypeNames> {
  const types = await query<{ id: string; key: string; label_i18n: Record<string, string> }>(TYPES, [request().organisation.id]);
  const byKey = new Map(types.map(({ id, key }) => [key, id]));
  const labelled = types.flatMap(({ id, label_i18n: label }) =>
    [...new Set(Object.values(label).map(bare))].map((name) => ({ name, id })),
  );
  const byLabel = Map.groupBy(labelled, ({ name }) => name);
  return {
    typeNamed(name) {
      const [one, other] = byLabel.get(bare(name)) ?? [];
      return byKey.get(name.trim().toLowerCase()) ?? (other === undefined ? one?.id : undefined);
    },
    words: types.flatMap(({ key, label_i18n: label }) => [...new Set([key, ...Object.values(label)])]),
  };
}
