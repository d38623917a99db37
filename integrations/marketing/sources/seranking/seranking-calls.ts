import { listOf, numberIn, textIn } from "../answer-shapes.ts";
import type { DrilldownRow, SourceAccount, SourceCalls } from "../source.ts";
import { serankingClient } from "./client.ts";
import { aiRows, auditRows, type Drilling, groupRows, keywordRows } from "./drilldowns.ts";
import { positionsOf, rankedKeywords } from "./keywords.ts";
import { figuresByDay } from "./positions.ts";

const KINDS: Readonly<Record<string, (drilling: Drilling) => Promise<DrilldownRow[]>>> = {
  keywords: keywordRows,
  keyword_groups: groupRows,
  audit: auditRows,
  ai_search: aiRows,
};

const accountsIn = (answer: unknown): SourceAccount[] =>
  listOf(answer, "sites").flatMap((site) => {
    const id = textIn(site["id"]);
    if (id === null) return [];
    const [title, url] = [textIn(site["title"]), textIn(site["name"])];
    return [
      {
        external_id: id,
        display_name: title ?? url ?? id,
        account_hint: url,
        config: { url, keyword_count: numberIn(site["keyword_count"]) },
      },
    ];
  });

/** Reads SE Ranking (marketing-ads §2.9). */
export const calls: SourceCalls = {
  async accounts(access) {
    return (await serankingClient(access)).ask("/project-management/sites", {}, accountsIn);
  },

  async days(access, link, span) {
    const keywords = await positionsOf(await serankingClient(access), link, span);
    return { days: figuresByDay(keywords).filter(({ day }) => span.from <= day && day <= span.to) };
  },

  async drilldown(access, link, kind, span) {
    const rows = KINDS[kind];
    if (!rows) throw new RangeError(`SE Ranking has no drilldown '${kind}'`);
    return rows({ client: await serankingClient(access), access, link, span });
  },

  async rankings(access, link, { current }, rules) {
    return rankedKeywords(await serankingClient(access), link, current, rules);
  },
};
