import type { IsoDate } from "../../../core/calendar/dates.ts";
import type { Comparison } from "../../../core/calendar/named-spans.ts";
import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { feeding } from "../feeding.ts";
import type { AskedSpan } from "../periods/asked-span.ts";
import { spanRows } from "../periods/counted-spans.ts";
import { type Kpi, kpiOf } from "../periods/kpi.ts";
import { visibleClient } from "../settings/company-rows.ts";
import { HIDDEN } from "../settings/hidden.ts";
import type { Layout } from "../settings/layout.ts";
import { sources } from "../sources/registry.ts";
import type { MarketingSource } from "../sources/source.ts";
import { daysBehind, keyText, mostLate, spansOf } from "./aggregates.ts";
import { missingDays } from "./missing-days.ts";
import { metricsOfAll } from "./totals-of-all.ts";

/** A metric of many clients: its source and name. */
export interface Column {
  source: string;
  metric: string;
}

/** Links of clients that the caller sees; hidden ones only for callers who manage links (`$3`). */
const LINKS = `marketing_links l
  join companies c on c.organisation_id = l.organisation_id and c.id = l.company_id and ${visibleClient("$2")}
  left join marketing_company_settings s on s.organisation_id = l.organisation_id and s.company_id = l.company_id`;
const COUNTED = `l.organisation_id = $1 and ${feeding("l")} and ($3::boolean or (${HIDDEN}) is not true)`;

/** A client with at least one linked source. */
export interface LinkedClient {
  company_id: string;
  company_name: string;
  /** Keys of its linked sources in alphabetical order; hidden ones only for callers who manage links. */
  present: string[];
  /** `present` without hidden sources. */
  shown: string[];
  show_key_events: boolean;
  layout: Layout | null;
}

const CLIENTS =
  statement(`select c.id as company_id, c.name as company_name, array_agg(distinct l.source order by l.source) as present,
    coalesce(array_agg(distinct l.source) filter (where (${HIDDEN}) is not true), '{}') as shown,
    case when s.id is null then true else s.show_key_events end as show_key_events, s.layout
  from ${LINKS} where ${COUNTED} group by c.organisation_id, c.id, s.organisation_id, s.id
  order by c.name collate kantoor_text, c.id`);

const DEFAULT_COMPARE = statement("select default_compare from marketing_settings where organisation_id = $1");

const caller = () => {
  const { organisation, principal } = request();
  return [organisation.id, principal?.selection ?? null, mayCaller("marketing.link.manage")] as const;
};

/**
 * The visible clients with a linked source, by name, and the organisation's default comparison. A client's own comparison does not apply
 * when several clients are compared.
 */
export async function linkedClients(): Promise<{ clients: LinkedClient[]; defaultCompare: unknown }> {
  const [settings, clients] = await queryAll([DEFAULT_COMPARE, [request().organisation.id]], [CLIENTS, caller()]);
  return { clients: clients as unknown as LinkedClient[], defaultCompare: settings?.[0]?.["default_compare"] };
}

/** The statement that computes some metrics of all clients: one row per client, source and span. */
function totalsOf(columns: readonly Column[]): Statement {
  const used = [...sources.values()].filter(({ key }) => columns.some(({ source }) => source === key));
  const namesOf = ({ key }: MarketingSource) => columns.filter(({ source }) => source === key).map(({ metric }) => metric);
  return statement(`with linked as materialized (select l.organisation_id, l.id, l.company_id, l.source, l.read_days, ${daysBehind(used, "$5::date")} as behind
      from ${LINKS} where ${COUNTED} and (${HIDDEN}) is not true and l.source in (${used.map(keyText).join(", ")})), ${spansOf("$4")}
    ${metricsOfAll(used, namesOf)}
    union all select m.k0, m.k1, 'missing ' || m.part, to_jsonb(m.days) from (${missingDays(["l.company_id", "l.source"])}) m`);
}

type Part = "current" | "previous";

interface TotalRow {
  company_id: string;
  source: string;
  /** `missing` rows have the number of days that were never read. */
  part: Part | `missing ${Part}`;
  figures: Record<string, number> & number;
}

/** Computes some metrics of all visible clients, without hidden sources. */
export class CrossTotals {
  readonly #statement: Statement;

  constructor(columns: readonly Column[]) {
    this.#statement = totalsOf(columns);
  }

  /** @returns a lookup of a client's figure; 0 if it has none */
  async read(span: AskedSpan, mode: Comparison, today: IsoDate): Promise<(companyId: string, column: Column) => Kpi> {
    const spans = JSON.stringify(spanRows(span, mode, today, mostLate(sources.values())));
    const rows = await query<TotalRow>(this.#statement, [...caller(), spans, today]);
    const figures = new Map(rows.map((row) => [`${row.company_id} ${row.source} ${row.part}`, row.figures]));
    return (companyId, { source, metric }) => {
      const found = (part: TotalRow["part"]) => figures.get(`${companyId} ${source} ${part}`);
      const value = (part: Part) => found(part)?.[metric] ?? 0;
      const missing = { current: found("missing current") ?? 0, previous: found("missing previous") ?? 0 };
      const lowerIsBetter = sources.get(source)?.metrics[metric]?.lowerIsBetter ?? false;
      return kpiOf(value("current"), value("previous"), lowerIsBetter, missing);
    };
  }
}

/** A client's linked sources and their state. */
export interface ClientSources {
  company_id: string;
  company_name: string;
  sources: { source: string; links: number; state: string }[];
}

const LISTED = statement(`with found as materialized (select c.id, c.name, l.source, count(*)::int as links,
      case when bool_or(l.last_error is not null) then 'error' when bool_or(l.last_synced_at is null) then 'pending' else 'ok' end as state
    from ${LINKS} where ${COUNTED} group by c.id, c.name, l.source)
  select (select count(distinct f.id)::int from found f) as total, coalesce((select jsonb_agg(to_jsonb(p) - 'place' order by p.place) from (
    select f.id as company_id, f.name as company_name,
        jsonb_agg(jsonb_build_object('source', f.source, 'links', f.links, 'state', f.state) order by array_position($5::text[], f.source))
          as sources,
        row_number() over (order by f.name collate kantoor_text, f.id) as place
      from found f group by f.id, f.name order by f.name collate kantoor_text, f.id limit $4) p), '[]') as rows`);

/** The first `limit` visible clients with a linked source, by name, and their total number. */
export async function listedClients(limit: number): Promise<{ rows: ClientSources[]; total: number }> {
  const found = await queryOne<{ rows: ClientSources[]; total: number }>(LISTED, [...caller(), limit, [...sources.keys()]]);
  return found ?? { rows: [], total: 0 };
}
