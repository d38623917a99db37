import { addDays, dateIn } from "../../../../core/calendar/calendar.ts";
import { type SourceCalls, SourceFailure } from "../source.ts";
import { brandRows, dayIn, overviewIn } from "./figures.ts";
import { rankmathSite } from "./site.ts";

/** Days before today that a span can end and still be read: the plugin only reports the present, and zones shift its day. */
const HORIZON = 2;

/** Reads the plugin on the client's site (marketing-ads §2.9). */
export const calls: SourceCalls = {
  async accounts(access) {
    const site = await rankmathSite(access);
    const { brands } = await site.ask("overview", {}, overviewIn).catch((error: unknown) => {
      // The picker reports only one kind of refused credential (marketing-ads §2.3).
      if (error instanceof SourceFailure && error.key === "marketing.rankmath_forbidden")
        throw new SourceFailure("marketing.rankmath_key_rejected", { cause: error });
      throw error;
    });
    return brands.map(({ id, name, url, locale }) => ({
      external_id: id,
      display_name: name ?? url ?? id,
      account_hint: url,
      config: { url, locale },
    }));
  },

  /** Returns the day of the last analysis at most, which can be outside the span. */
  async days(access, link, span) {
    const site = await rankmathSite(access);
    if (span.to < addDays(dateIn(site.zone, Date.now()), -HORIZON)) return { days: [], isUnread: true };
    const overview = await site.ask("overview", { refresh: "1" }, overviewIn);
    const brand = overview.brands.find(({ id }) => id.toLowerCase() === link.external_id.toLowerCase());
    if (!brand) throw new SourceFailure("marketing.rankmath_brand_not_found");
    const day = dayIn(overview, brand, site.zone);
    return { days: day ? [day] : [], ...(overview.isStale && { isUnread: true }) };
  },

  async drilldown(access, link, kind) {
    const site = await rankmathSite(access);
    const part = kind === "competitors" ? "insights" : "queries";
    return site.ask(`brands/${encodeURIComponent(link.external_id)}/${part}`, {}, (data) => brandRows(data, kind));
  },
};
