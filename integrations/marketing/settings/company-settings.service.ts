import { isDeepStrictEqual } from "node:util";
import { type Comparison, rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resolvedReport } from "../../../mixins/report-sections/report-split.ts";
import { resource } from "../../../mixins/resource.ts";
import { CompanyMarketingSettings } from "../models.ts";
import { keywordSource, resolvedRankings } from "../ranking-settings.ts";
import { sources } from "../sources/registry.ts";
import { type BriefLink, type ClientRules, clientRules } from "./company-rows.ts";
import { keyEventsShown, type Layout, shownOf, withKeyEvents, withoutHidden } from "./layout.ts";
import { readLayout } from "./layout-input.ts";
import { merged } from "./merged.ts";
import { CompanySettingsRead, CompanySettingsUpdate } from "./settings-schemas.ts";

/** Version of settings that were never saved. */
const UNSAVED_VERSION = 0;

interface Values {
  show_key_events: boolean;
  layout: Layout | null;
  compare: Comparison | null;
  rankings: Record<string, unknown> | null;
  report: Record<string, unknown> | null;
}

type Rules = ClientRules & { links: BriefLink[] };

/** The settings that the caller may see: only callers who manage links see hidden sources. */
function shown(companyId: string, rules: Rules): JsonText {
  const isManager = mayCaller("marketing.link.manage");
  const visible = [...sources.values()].filter((source) => isManager || !shownOf(source, rules).hidden);
  const links = visible.flatMap(({ key }) => rules.links.filter(({ source }) => source === key));
  const linked = visible.flatMap(({ key }) => (links.some(({ source }) => source === key) ? [key] : []));
  const rankings = resolvedRankings(rules.rankings, rules.default_rankings);
  const body: Static<typeof CompanySettingsRead> = {
    company_id: companyId,
    show_key_events: keyEventsShown(sources.values(), rules),
    layout: (isManager ? rules.layout : withoutHidden(rules.layout)) as unknown as Record<string, unknown> | null,
    compare: rules.compare as Comparison | null,
    compare_resolved: rememberedComparison(rules.compare, rules.default_compare),
    rankings: rules.rankings,
    rankings_resolved: rankings,
    linked_sources: linked,
    keyword_source: keywordSource(rankings.source, new Set(linked)),
    report: rules.report,
    report_resolved: resolvedReport(rules.report, rules.default_report),
    links,
  };
  return new JsonText(JSON.stringify(body), rules.version ?? UNSAVED_VERSION);
}

/**
 * The settings after a write. First applies the key-event switch to curated tiles, then derives the stored switch from them.
 * @throws 422 for an invalid layout, and for excluded links that the client does not have
 */
function valuesOf(rules: Rules, sent: Static<typeof CompanySettingsUpdate>): Values {
  const { show_key_events, compare, rankings } = sent;
  // A link that was removed stays excluded, so the settings can be sent back as they were read.
  const own = new Set([...rules.links.map(({ id }) => id), ...resolvedReport(rules.report).exclude]);
  // Reports look links up by their stored spelling, which is in lower case.
  const exclude = sent.report?.exclude && [...new Set(sent.report.exclude.map((id) => id.toLowerCase()))];
  const report = exclude ? { ...sent.report, exclude } : sent.report;
  if (exclude?.some((id) => !own.has(id))) throw invalid({ exclude: "errors.validation" });
  const asSent = sent.layout === undefined ? rules.layout : readLayout(sources, sent.layout);
  const all = [...sources.values()];
  const layout = typeof show_key_events === "boolean" ? withKeyEvents(all, asSent, show_key_events) : asSent;
  const after = (stored: Record<string, unknown> | null, given: Record<string, unknown> | null | undefined) =>
    given === undefined ? stored : given === null ? null : merged(stored, given);
  return {
    show_key_events: keyEventsShown(all, { layout, show_key_events: show_key_events ?? rules.show_key_events }),
    layout,
    compare: compare === undefined ? (rules.compare as Comparison | null) : compare,
    rankings: after(rules.rankings, rankings),
    report: after(rules.report, report),
  };
}

/** Records the changes in the client's trail, one entry per setting. */
function record(companyId: string, before: ClientRules, after: Values, layoutSent: boolean): void {
  const line = (action: string, payload = {}) => trail("company", companyId, `marketing.${action}`, payload);
  const differs = (name: "layout" | "rankings" | "report") => !isDeepStrictEqual(before[name], after[name]);
  const isSwitched = before.show_key_events !== after.show_key_events;
  if (isSwitched) line(after.show_key_events ? "key_events_enabled" : "key_events_disabled");
  // The entry of the switch covers the tiles that it adds or removes.
  if ((layoutSent || !isSwitched) && differs("layout")) line("layout_changed");
  if (before.compare !== after.compare)
    line("compare_changed", { changes: { compare: { from: before.compare, to: after.compare } } });
  if (differs("rankings")) line("rankings_changed");
  if (differs("report")) line("report_changed");
}

function store(companyId: string, before: ClientRules, after: Values): boolean {
  const stored = Object.fromEntries(Object.keys(after).map((name) => [name, before[name as keyof Values]]));
  if (isDeepStrictEqual(stored, after)) return false;
  const values = { ...after, layout: after.layout as unknown as Record<string, unknown> | null };
  if (before.settings_id !== null) queueUpdate(CompanyMarketingSettings, before.settings_id, values);
  else {
    // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
    request().retryableConstraints.add("marketing_company_settings_organisation_id_company_id_key");
    queueInsert(CompanyMarketingSettings, { ...values, company_id: companyId });
  }
  return true;
}

/** How the figures of one client are shown (marketing-ads §2.5). */
export default resource("marketing.company-settings", {
  model: CompanyMarketingSettings,
  actions: {
    get: action({
      rest: "GET /marketing/companies/:company_id/settings",
      summary: "Read how the figures of a client are shown",
      permission: "marketing.metrics.read",
      returns: CompanySettingsRead,
      handler: async (ctx) => shown(ctx.params.company_id, await clientRules(ctx.params.company_id)),
    }),

    replace: action({
      rest: "PUT /marketing/companies/:company_id/settings",
      summary: "Change how the figures of a client are shown; omitted fields stay unchanged",
      permission: "marketing.link.manage",
      body: CompanySettingsUpdate,
      returns: CompanySettingsRead,
      async handler(ctx) {
        const { company_id, body } = ctx.params;
        const found = await clientRules(company_id);
        const isSaved = found.settings_id !== null && (await lock(CompanyMarketingSettings, found.settings_id)) !== undefined;
        const before = isSaved ? await clientRules(company_id) : found;
        requireMatch(before.version ?? UNSAVED_VERSION);
        const after = valuesOf(before, body);
        if (store(company_id, before, after)) record(company_id, before, after, body.layout !== undefined);
        return shown(company_id, await clientRules(company_id));
      },
    }),
  },
});
