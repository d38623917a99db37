import { addDaysWithin, type IsoDate } from "../../../core/calendar/calendar.ts";
import { queryOutside } from "../../../core/database/query.ts";
import type { ActionContext } from "../../../core/declare/action.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { Ground } from "./grounding.ts";

/** A record in a prompt. */
interface Shown {
  id: string;
  name: string;
}

/** The records in a prompt, from those the caller sees. */
export interface Shortlist {
  companies: Shown[];
  projects: Shown[];
  tasks: Shown[];
  entryTypes: string[];
}

const MOST = { companies: 15, projects: 20, tasks: 20 } as const;
type Kind = keyof typeof MOST;
/** Words to search for, the longest first, and the most results for each. */
const MOST_WORDS = 6;
const EACH = 5;
const LAST_DAYS = 30;

// The caller's recent entries, the latest first, without hidden clients.
const RECENT = statement(`with recent as (
    select e.company_id, e.project_id, e.task_id, e.started_at from time_entries e
     where e.organisation_id = $1 and e.user_id = $2 and e.work_date >= $3::date
     order by e.started_at desc limit 200)
  select
    (select coalesce(json_agg(json_build_object('id', x.id, 'name', x.name) order by x.last desc), '[]') from (
      select c.id, c.name, max(r.started_at) as last from recent r join companies c on c.organisation_id = $1 and c.id = r.company_id
       where $4::uuid[] is null or c.id in (select selected_companies($4::uuid[]))
       group by c.id, c.name order by last desc limit 15) x) as companies,
    (select coalesce(json_agg(json_build_object('id', x.id, 'name', x.name) order by x.last desc), '[]') from (
      select p.id, p.name, max(r.started_at) as last from recent r join projects p on p.organisation_id = $1 and p.id = r.project_id
       where $4::uuid[] is null or p.company_id is null or p.company_id in (select selected_companies($4::uuid[]))
       group by p.id, p.name order by last desc limit 20) x) as projects,
    (select coalesce(json_agg(json_build_object('id', x.id, 'name', x.title) order by x.last desc), '[]') from (
      select t.id, t.title, max(r.started_at) as last from recent r join tasks t on t.organisation_id = $1 and t.id = r.task_id
       where $4::uuid[] is null or t.company_id is null or t.company_id in (select selected_companies($4::uuid[]))
       group by t.id, t.title order by last desc limit 20) x) as tasks`);

/** The words of a text that may name a record. */
export function wordsToMatch(text: string): string[] {
  const words = new Set(text.toLowerCase().match(/[\p{L}][\p{L}\p{N}&'-]{2,}/gu) ?? []);
  return [...words].sort((one, other) => other.length - one.length).slice(0, MOST_WORDS);
}

/** Rows of a list as the caller sees it; empty without permission. */
async function listed(
  ctx: ActionContext,
  action: string,
  params: object,
): Promise<{ id: string; name?: string; title?: string }[]> {
  try {
    return (await ctx.call<{ items: { id: string }[] }, object>(action, params)).items;
  } catch (error) {
    if (isApiError(error) && error.code === 403) return [];
    throw error;
  }
}

const LISTS: Record<Kind, string> = { companies: "companies.list", projects: "projects.list", tasks: "tasks.list" };
const KINDS = Object.keys(MOST) as Kind[];

/** Rows found by a word, per kind. */
async function found(ctx: ActionContext, word: string): Promise<Record<Kind, Shown[]>> {
  const rows = await Promise.all(
    KINDS.map((kind) => listed(ctx, LISTS[kind], { q: word, limit: EACH, offset: 0, count: false })),
  );
  const shown = rows.map((some) => some.map(({ id, name, title }) => ({ id, name: name ?? title ?? "" })));
  return Object.fromEntries(KINDS.map((kind, index) => [kind, shown[index]])) as Record<Kind, Shown[]>;
}

const firstOf = (kind: Kind, lists: readonly (readonly Shown[])[]): Shown[] =>
  [...new Map(lists.flat().map((one) => [one.id, one])).values()].slice(0, MOST[kind]);

async function activeTypes(ctx: ActionContext): Promise<string[]> {
  try {
    const types = await ctx.call<{ key: string }[], object>("time.entry-types.list", { include_inactive: false });
    return types.map(({ key }) => key);
  } catch (error) {
    if (isApiError(error) && error.code === 403) return [];
    throw error;
  }
}

/**
 * The records a model may choose from for a text: those its words match, and those the caller logged in the last 30 days, all visible to
 * the caller (platform §1.4).
 */
export async function shortlist(ctx: ActionContext, text: string, today: IsoDate): Promise<Shortlist> {
  const { organisation, principal } = request();
  const values = [organisation.id, principal?.accountId ?? null, addDaysWithin(today, -LAST_DAYS), principal?.selection ?? null];
  const recent = principal?.isClientLogin ? undefined : await queryOutside<Record<Kind, Shown[]>>(RECENT, values);
  const matches = await Promise.all(wordsToMatch(text).map((word) => found(ctx, word)));
  const of = (kind: Kind) => firstOf(kind, [...matches.map((match) => match[kind]), recent?.[kind] ?? []]);
  return { companies: of("companies"), projects: of("projects"), tasks: of("tasks"), entryTypes: await activeTypes(ctx) };
}

/** The results of a model's further look-up. */
export async function lookUp(ctx: ActionContext, query: string): Promise<Record<Kind, Shown[]>> {
  const matches = await Promise.all(wordsToMatch(shortened(query, 200)).map((word) => found(ctx, word)));
  return Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      firstOf(
        kind,
        matches.map((match) => match[kind]),
      ),
    ]),
  ) as Record<Kind, Shown[]>;
}

/** The ids in a prompt. */
export function groundOf(lists: readonly Partial<Shortlist>[]): Ground {
  const ids = (kind: Kind) => new Set(lists.flatMap((one) => one[kind] ?? []).map(({ id }) => id));
  return {
    companies: ids("companies"),
    projects: ids("projects"),
    tasks: ids("tasks"),
    entryTypes: new Set(lists.flatMap(({ entryTypes = [] }) => entryTypes)),
  };
}
