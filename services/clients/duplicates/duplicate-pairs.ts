import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";

/** How duplicates of one kind of record are found. */
export interface DuplicateSpec {
  kind: "company" | "contact";
  table: "companies" | "contacts";
  /** Points for each key that two records share. */
  weights: Readonly<Record<string, number>>;
  /** Points from which a pair is proposed. */
  least: number;
  /** Further reasons of pair `p` as SQL, of columns `field` and `value`, for pairs that share a name. */
  further?: string;
  /** Columns of a record in the answer. */
  shown: readonly string[];
  /** The condition of a restricted selection on alias `t`. */
  visible: (slot: string) => string;
}

/** The proposals of one kind of record, for callers with one kind of view. */
export interface Duplicates {
  /** The likeliest pairs that the caller sees, with their number. */
  propose(limit: number): Promise<JsonText>;
  /** Marks records as different from each other. @returns the number of pairs. @throws 404 unless the caller sees all */
  dismiss(ids: readonly string[]): Promise<number>;
}

/** A key of more records is a chain, a family or a switchboard: its pairs would hide all others. */
const MOST_SHARING = 10;

/**
 * The statement of the proposals: `$1` is the organisation, `$2` the sources of the selection, `$3` the number of pairs. It goes through all
 * keys once, in the order of their index, and looks up the few records of each shared key: an array in `members`, because a join could
 * read all keys again.
 */
export function proposals({ kind, table, weights, least, further, shown, visible }: DuplicateSpec): Statement {
  const [keys, id] = [`${kind}_match_keys`, `${kind}_id`];
  const points = Object.entries(weights)
    .map(([name, weight]) => `('${name}', ${weight})`)
    .join(", ");
  const seen = visible("$2::uuid[]");
  const record = (slot: string) => `(select json_build_object(${shown.map((name) => `'${name}', t.${name}`).join(", ")})
    from ${table} t where t.organisation_id = $1 and t.id = ${slot})`;
  const isSeen = (slot: string) => `exists (select from ${table} t where t.organisation_id = $1 and t.id = ${slot} and ${seen})`;
  const added = further ? `union all select r.field, r.value from (${further}) r where 'name' = any(p.fields)` : "";
  return statement(`with shared as materialized (
      select k.kind, k.key from ${keys} k where k.organisation_id = $1 group by k.kind, k.key having count(*) between 2 and ${MOST_SHARING}),
    members as (select s.kind, s.key, array(
      select k.${id} from ${keys} k where k.organisation_id = $1 and k.kind = s.kind and k.key = s.key) as ids from shared s),
    pairs as (
      select a.id as one_id, b.id as other_id, array_agg(m.kind) as fields, array_agg(m.key) as keys
        from members m cross join lateral unnest(m.ids) a(id) join lateral unnest(m.ids) b(id) on b.id > a.id group by 1, 2),
    scored as (
      select p.one_id, p.other_id, w.score, w.reasons from pairs p cross join lateral (
        select least(100, sum(f.weight) filter (where f.is_first)) as score,
               json_agg(json_build_object('field', f.field, 'value', f.value) order by f.weight desc, f.field, f.value) as reasons
          from (select r.field, r.value, v.weight, row_number() over (partition by r.field order by r.value) = 1 as is_first
                  from (select u.field, u.value from unnest(p.fields, p.keys) u(field, value) ${added}) r
                  join (values ${points}) v(field, weight) on v.field = r.field) f) w
       where w.score >= ${least} and not exists (select from ${kind}_distinct_pairs d
              where d.organisation_id = $1 and d.one_id = p.one_id and d.other_id = p.other_id)
         and ($2::uuid[] is null or ${isSeen("p.one_id")} and ${isSeen("p.other_id")})),
    page as (select one_id, other_id, score, reasons from scored order by score desc, one_id, other_id limit $3::int)
  select json_build_object('items', (select coalesce(json_agg(json_build_object(
      '${table}', json_build_array(${record("g.one_id")}, ${record("g.other_id")}), 'score', g.score, 'reasons', g.reasons)
      order by g.score desc, g.one_id, g.other_id), '[]') from page g), 'total', (select count(*) from scored))::text as body`);
}

/**
 * For the transaction of a list: where one organisation has most of the keys, PostgreSQL would otherwise read the whole table and sort or
 * hash it, although the index has the keys in their order.
 */
export const IN_ORDER = statement("select set_config('enable_seqscan', 'off', true)");

/** The pairs of some ids, the smaller id first. */
const PAIRS = "unnest($2::uuid[]) a(id) join unnest($2::uuid[]) b(id) on a.id < b.id order by a.id, b.id";
const ADD = {
  company: statement(`with added as (
      insert into company_distinct_pairs (organisation_id, one_id, other_id) select $1, a.id, b.id from ${PAIRS}
      on conflict (organisation_id, one_id, other_id) do nothing returning 1)
    select count(*)::int as count from added`),
  contact: statement(`with added as (
      insert into contact_distinct_pairs (organisation_id, one_id, other_id) select $1, a.id, b.id from ${PAIRS}
      on conflict (organisation_id, one_id, other_id) do nothing returning 1)
    select count(*)::int as count from added`),
};

/** Compiles the proposals of a kind of record. */
export function duplicatesOf(spec: DuplicateSpec): Duplicates {
  const { kind, table, visible } = spec;
  const propose = proposals(spec);
  const lock = statement(`select t.id from ${table} t where t.organisation_id = $1 and t.id = any($2::uuid[])
    and ($3::uuid[] is null or ${visible("$3::uuid[]")}) order by t.id for key share of t`);
  return {
    async propose(limit) {
      const { organisation, principal } = request();
      const values = [organisation.id, principal?.selection ?? null, limit];
      const [, [row]] = (await queryAll([IN_ORDER, []], [propose, values])) as [unknown, [{ body: string }]];
      return new JsonText(row.body);
    },
    async dismiss(ids) {
      const { organisation, principal } = request();
      const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
      const found = await query(lock, [organisation.id, wanted, principal?.selection ?? null]);
      if (found.length < wanted.length) throw notFound();
      return (await queryOne<{ count: number }>(ADD[kind], [organisation.id, wanted]))?.count ?? 0;
    },
  };
}
