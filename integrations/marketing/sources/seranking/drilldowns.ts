import { queryOne } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { MarketingLinkRow } from "../../models.ts";
import { resolvedRankings } from "../../ranking-settings.ts";
import { listOf, numberIn, requireObject, textIn } from "../answer-shapes.ts";
import { type DrilldownRow, type SourceAccess, SourceFailure, type Span } from "../source.ts";
import type { SerankingClient } from "./client.ts";
import { positionsOf, rankedKeywords } from "./keywords.ts";
import { groupNames } from "./lookups.ts";
import { averagePosition } from "./positions.ts";

const MOST_KEYWORDS = 50;
const MOST_ISSUES = 10;

const RANKINGS = statement(`select
    (select c.rankings from marketing_company_settings c where c.organisation_id = $1 and c.company_id = $2) as client,
    (select s.rankings from marketing_settings s where s.organisation_id = $1) as organisation`);

/** The context of a drilldown. */
export interface Drilling {
  client: SerankingClient;
  access: SourceAccess;
  link: MarketingLinkRow;
  span: Span;
}

/** Keywords with their positions on the first and last day; `key` is the status of the change. */
export async function keywordRows({ client, access, link, span }: Drilling): Promise<DrilldownRow[]> {
  const stored = await access.transactions.read(() =>
    queryOne<Record<"client" | "organisation", Record<string, unknown> | null>>(RANKINGS, [
      request().organisation.id,
      link.company_id,
    ]),
  );
  const { max_position } = resolvedRankings(stored?.client, stored?.organisation);
  const keywords = await rankedKeywords(client, link, span, { max_position });
  return keywords.slice(0, MOST_KEYWORDS).map(({ keyword, engine, page, begin, end, change, status, volume }) => ({
    label: engine === null ? keyword : `${keyword} (${engine})`,
    key: status,
    href: page,
    metrics: { begin, end, change, ...(volume !== null && { volume }) },
  }));
}

/** Keyword groups with their current mean position and size, largest first. */
export async function groupRows({ client, link, span }: Drilling): Promise<DrilldownRow[]> {
  const tracked = await positionsOf(client, link, span);
  const names = await groupNames(client, link.external_id);
  const groups = Map.groupBy(tracked, ({ groupId }) => groupId ?? "");
  return [...groups.entries()]
    .map(([id, keywords]) => {
      const average = averagePosition(keywords.map(({ positions }) => positions.at(-1)?.position ?? 0));
      const count = new Set(keywords.map(({ id: keyword, keyword: name }) => keyword || name)).size;
      return {
        label: names.get(id) ?? id,
        key: id,
        href: null,
        metrics: { ...(average !== null && { avg_position: average }), keywords: count },
      };
    })
    .toSorted((one, other) => other.metrics.keywords - one.metrics.keywords || one.label.localeCompare(other.label, "en"));
}

interface Audit {
  id: string;
  siteId: string | null;
  updated: string;
  status: string;
}

const auditsIn = (answer: unknown): Audit[] =>
  listOf(requireObject(answer, "audits")["items"], "audits").flatMap((one) => {
    const id = textIn(one["id"]);
    if (id === null) return [];
    const [siteId, updated, status] = [textIn(one["site_id"]), textIn(one["last_update"]), textIn(one["status"])];
    return [{ id, siteId, updated: updated ?? "", status: (status ?? "").toLowerCase() }];
  });

const SEVERITY = ["error", "warning", "notice"];

/** The issue types in an audit report; null if the audit has not finished. */
function issuesIn(answer: unknown): DrilldownRow[] | null {
  const { is_finished, sections } = requireObject(answer, "audit");
  if (is_finished === false) return null;
  return listOf(sections, "sections")
    .flatMap(({ props }) => Object.values(requireObject(props ?? {}, "issues")).map((issue) => requireObject(issue, "issue")))
    .flatMap((issue) => {
      const [pages, name, status] = [
        numberIn(issue["value"]) ?? 0,
        textIn(issue["name"]) ?? textIn(issue["code"]),
        textIn(issue["status"]),
      ];
      if (pages <= 0 || name === null || status === null || !SEVERITY.includes(status)) return [];
      return [{ label: name, key: status, href: null, metrics: { pages } }];
    })
    .toSorted((one, other) => SEVERITY.indexOf(one.key) - SEVERITY.indexOf(other.key) || other.metrics.pages - one.metrics.pages)
    .slice(0, MOST_ISSUES);
}

/** Most reports that are opened in search of a finished audit. */
const MOST_AUDITS = 3;

/** The issues that a project's newest finished audit found; `key` is their severity. */
export async function auditRows({ client, link }: Drilling): Promise<DrilldownRow[]> {
  const audits = await client.ask("/site-audit/audits", { limit: 200 }, auditsIn);
  const own = audits
    .filter(({ siteId, status }) => siteId === link.external_id && !/run|progress|queue|fail|cancel|new/.test(status))
    .toSorted((one, other) => (one.updated < other.updated ? 1 : Number(one.updated > other.updated) * -1));
  for (const { id } of own.slice(0, MOST_AUDITS)) {
    const rows = await client.ask("/site-audit/audits/report", { audit_id: id }, issuesIn);
    if (rows) return rows;
  }
  return [];
}

const enginesIn = (answer: unknown) =>
  listOf(answer, "engines").flatMap((one) => {
    const id = textIn(one["id"]);
    return id === null ? [] : [{ id, name: textIn(one["base_name"]) ?? textIn(one["name"]) ?? id }];
  });

function presenceIn(answer: unknown): Record<string, number> {
  const { presence, stats } = requireObject(answer, "statistics");
  const shares = requireObject(presence ?? {}, "presence");
  const found = {
    mention_share: numberIn(shares["mention_percent_in_top"]),
    link_share: numberIn(shares["link_percent_in_top"]),
    prompts: numberIn(requireObject(stats ?? {}, "stats")["prompts_count"]),
  };
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, number] => entry[1] !== null));
}

/**
 * How often each language model mentions and links the site. A model whose statistics are refused is omitted; if all are refused, throws
 * the failure.
 */
export async function aiRows({ client, link, span }: Drilling): Promise<DrilldownRow[]> {
  const { external_id: site_id } = link;
  const engines = await client.ask("/project-management/airt/llm", { site_id }, enginesIn);
  let failure: SourceFailure | null = null;
  const rows = await Promise.all(
    engines.map(async ({ id, name }): Promise<DrilldownRow[]> => {
      const asked = { site_id, llm_id: id, from: span.from, to: span.to, top: 0 };
      try {
        const metrics = await client.ask("/project-management/airt/llm/statistics", asked, presenceIn);
        return [{ label: name, key: id, href: null, metrics }];
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        failure = error;
        return [];
      }
    }),
  );
  const all = rows.flat();
  if (all.length === 0 && failure) throw failure;
  return all.toSorted((one, other) => (other.metrics["mention_share"] ?? 0) - (one.metrics["mention_share"] ?? 0));
}
