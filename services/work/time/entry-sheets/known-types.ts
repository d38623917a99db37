import { queueInsert } from "../../../../core/database/write.ts";
import { bare } from "../../../../core/impex/field.ts";
import { type KnownWords, keyOfWord, recordsOfWords } from "../../../../core/impex/known-words.ts";
import { request } from "../../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../../core/schema/validation.ts";
import { TimeEntryType } from "../models.ts";
import { TimeEntryTypeCreate } from "../types/entry-type-schemas.ts";

const check: CheckFor<typeof TimeEntryTypeCreate> = compileBody(TimeEntryTypeCreate, true);

/** The types of hours that a file may name. @param keys by their names, compared as headers are */
export function knownEntryTypes(types: readonly { key: string }[], keys: ReadonlyMap<string, string>): KnownWords {
  const known = new Set([...keys.keys(), ...types.map(({ key }) => bare(key))]);
  const taken = new Set(types.map(({ key }) => key));
  const { locale } = request().organisation;
  return {
    has: (word) => known.has(bare(word)),
    create: {
      needs: "time.entry_type.manage",
      make: (words) =>
        recordsOfWords(
          words,
          (word) => (taken.has(keyOfWord(word)) ? undefined : { key: keyOfWord(word), label_i18n: { [locale]: word } }),
          {
            check,
            store(body, word) {
              queueInsert(TimeEntryType, body);
              known.add(bare(word));
              taken.add(body.key);
            },
          },
        ),
    },
  };
}
