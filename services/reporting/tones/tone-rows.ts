import { localeOf } from "../../../core/config/defaults.ts";
import { newId } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { ReportTone } from "../models.ts";
import { HOUSE_KEY, HOUSE_TONE } from "./house-tone.ts";
import { toneKey } from "./tone-key.ts";
import { ReportToneRead } from "./tone-schemas.ts";

const shown = projection({ model: ReportTone, schema: ReportToneRead });
export const tones = rowsOf({
  model: ReportTone,
  projection: shown,
  whole: {
    order: "t.position, t.name, t.id",
    also: "exists (select 1 from report_tones where organisation_id = $1) as any",
  },
});

// Of two concurrent first reads, the second waits for the first one's key and adds nothing.
const SEED = statement(`insert into report_tones (id, organisation_id, key, name, description, instructions, banned_phrases,
    preferred_phrases, is_default)
  select $2, $1, $3, $4, $5, $6, $7::text[], $8::text[], true
   where not exists (select 1 from report_tones where organisation_id = $1)
  on conflict do nothing`);
const KEYS = statement("select key from report_tones where organisation_id = $1");
const ACTIVE = statement("select count(*)::int as count from report_tones where organisation_id = $1 and active");
const CLEAR = statement(`update report_tones set is_default = false, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and is_default and id <> $2`);

/**
 * Gives an organisation without any tone the built-in one in its language, as the default. From then on it is the organisation's own.
 * Requires an action or job that writes; the first read and the first run call it (workspace-reporting §1.1).
 */
export async function seedHouseTone(): Promise<void> {
  const { id, locale } = request().organisation;
  const { name, description, instructions, banned_phrases, preferred_phrases } = HOUSE_TONE[localeOf(locale)];
  await query(SEED, [id, newId(), HOUSE_KEY, name, description, instructions, banned_phrases, preferred_phrases]);
}

/**
 * The tones by position and name as JSON text; an organisation without any first gets the built-in one.
 * @param since only those changed at or after this instant
 */
export async function listedTones(since: string | undefined): Promise<string> {
  const list = () => queryOne<{ any: boolean; items: string }>(...tones.allBound({ updated_since: since }));
  const found = await list();
  if (found?.any) return found.items;
  await inOwnTransaction(seedHouseTone);
  return (await list())?.items ?? "[]";
}

/** The key of a new tone. Call {@link takeTurns} first. */
export async function freeKey(name: string): Promise<string> {
  const taken = await query<{ key: string }>(KEYS, [request().organisation.id]);
  return toneKey(name, new Set(taken.map(({ key }) => key)));
}

export const activeTones = async (): Promise<number> =>
  (await queryOne<{ count: number }>(ACTIVE, [request().organisation.id]))?.count ?? 0;

/** Clears the default from every other tone. */
export const clearDefaultTone = (exceptId: string): void => enqueue(CLEAR, [request().organisation.id, exceptId]);
