import { keepsSearchText, type SearchedField, type Step, searchedText } from "../step.ts";

/**
 * A search requires every word, in any field, without accents (conventions §10). The searched texts lose theirs: a generated column becomes
 * one that a trigger fills, so that only rows with an accent or a new field are written, and neither a table nor an index is rebuilt. A node
 * of the previous version finds words typed without accents.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create extension if not exists unaccent with schema public;

      -- A text as a search compares it: without accents and ligatures, in lower case.
      create function folded(value text) returns text language sql stable parallel safe as $$
        select lower(public.unaccent('public.unaccent', normalize(value, NFKC)) collate "und-x-icu") $$;
      -- The words of a search, folded, the longest first.
      create function folded_words(words text[]) returns text[] language sql stable parallel safe as $$
        select array(select f.word from (select distinct public.folded(w) as word from unnest(words) w) f
          order by char_length(f.word) desc, f.word) $$;
      -- Patterns for LIKE of texts that hold these words.
      create function word_patterns(words text[]) returns text[] language sql immutable parallel safe as $$
        select array(select '%' || regexp_replace(w.word, '([\\\\%_])', '\\\\\\1', 'g') || '%'
          from unnest(words) with ordinality w(word, place) order by w.place) $$;
      revoke all on function folded(text), folded_words(text[]), word_patterns(text[]) from public;
      grant execute on function folded(text), folded_words(text[]), word_patterns(text[]) to ${application};
    `);
    const texts: [table: string, ...fields: SearchedField[]][] = [
      ["companies", "name", "legal_name", "client_number", "website", "city"],
      ["contacts", "first_name", "last_name", "email"],
      ["projects", "name"],
      ["tasks", "title"],
      ["interactions", "subject", "snippet", { column: "body_text", first: 4000 }],
      ["subscriptions", "name"],
      ["invoices", "number", "reference"],
      ["quotes", "number", "reference"],
      ["domains", "label", "name"],
      ["hostings", "name", "ip_address"],
    ];
    for (const [table, ...fields] of texts)
      await sql(`
        alter table ${table} alter column search_text drop expression, alter column search_text set default '';
        ${withoutTriggers(
          table,
          // Where only the separators differ, the row finds the same as it is.
          `update ${table} t set search_text = s.text from (select id, ${searchedText("r", fields)} as text from ${table} r) s
            where s.id = t.id and translate(s.text, E'\\x1f', '') <> translate(t.search_text, E'\\x1f', '');`,
        )}
        ${keepsSearchText(table, fields)}
      `);
    await sql(
      withoutTriggers(
        "websites",
        `update websites w set search_text = d.search_text from domains d
          where d.organisation_id = w.organisation_id and d.id = w.domain_id and d.search_text <> w.search_text;`,
      ),
    );
  },
};

/** A change of the text alone is not a change of the record: it moves no version and notifies no other table. */
const withoutTriggers = (table: string, change: string): string =>
  `alter table ${table} disable trigger user; ${change} alter table ${table} enable trigger user;`;

export default step;
