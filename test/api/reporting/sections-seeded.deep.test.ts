import { expect } from "chai";
import { eachDay } from "../../../core/calendar/dates.ts";
import type { ReportTotal } from "../../../core/declare/report-sections.ts";
import { pagesOf } from "../../../mixins/documents/printing/pages.ts";
import { pdfOf } from "../../../mixins/documents/printing/pdf.ts";
import { inventedNumber } from "../../../services/reporting/prose/invented-numbers.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import { reportHtml } from "../../../services/reporting/rendering/report-document.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import type { Tenant } from "../../support/service.ts";
import { LOOK } from "../../unit/reporting/seeded-snapshot.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";
import { numbersIn, textsOfPage, textsOfPdf } from "./printed-texts.ts";
import { ok, type Row } from "./reporting-world.ts";
import { askedFor, type Gathering, gathered, valuesOf } from "./sections-world.ts";

const TODAY = "2026-08-10";
const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const SYNCED = { last_synced_at: "2026-08-10T04:45:00Z" };
/** Makes no call to a source if the client's tab has no drilldowns. */
const WITHOUT_DRILLDOWNS = { sources: { ga4: { drilldowns: [] }, gsc: { drilldowns: [] } } };
/** How many clients have seeded figures, and of every how many the PDF is read. 500 and 1 before a release. */
const CLIENTS = Number(process.env["REPORTING_FIGURES_CLIENTS"] ?? 120);
const EVERY = Number(process.env["REPORTING_FIGURES_PDF_EVERY"] ?? 20);

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/**
 * Checks that the page of these sections has no number that they do not hold.
 * @returns how many of its texts have numbers, and the page
 */
async function checkPage(sections: Snapshot["sections"], company: string): Promise<[number, string]> {
  const { span, compared, audience, locale } = askedFor({ company, span: SPAN });
  const snapshot: Snapshot = { locale, audience, client: "Atelier", span, compared, sections };
  const standing = standingNumbers(snapshot);
  const html = await reportHtml({ data_snapshot: snapshot, look: LOOK, narrative: {} });
  // The ticks of a chart's axes are a scale, not figures: amounts at the side, days below.
  const texts = textsOfPage(html.replace(/<text (?:x="56"|x="[\d.]+" y="200")[^>]*>[^<]*<\/text>/g, "")).filter((text) =>
    /\d/.test(text),
  );
  for (const text of texts) expect(inventedNumber(text, standing), `${text} of ${company}`).to.equal(null);
  return [texts.length, html];
}

describe("sections of seeded clients (workspace-reporting §1.6)", function () {
  this.timeout(1_800_000);
  let world: StoredWorld;
  let tenant: Tenant;
  before(async () => {
    world = await storedWorld(TODAY);
    tenant = await world.tenant();
  });
  after(() => world.stop());

  const settings = (values: object, client: string) => tenant.owner.put(`/marketing/companies/${client}/settings`, values);
  const nothing = async (key: string, { company }: Pick<Gathering, "company">) =>
    (await gathered(tenant, `marketing.${key}`, { company, span: SPAN })).data;

  it(`equal the answers of marketing for ${CLIENTS} clients, and the page and PDF that they print have no other number`, async () => {
    const random = numbers(34);
    const chance = (most: number) => random() < most;
    const some = (most: number) => Math.floor(random() * most);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, async () => (await tenant.company()).id as string));
    const excluded = new Map<string, string[]>();
    for (const client of clients) {
      const ids: string[] = [];
      for (const source of ["ga4", "ga4", "gsc", "gsc", "seranking"]) {
        if (chance(0.4)) continue;
        const id = await world.link(tenant, client, source, { ...SYNCED, display_name: `${source} ${ids.length}` });
        ids.push(id);
        const days = [...eachDay(SPAN.from, SPAN.to), ...eachDay("2025-07-01", "2025-07-31")].filter(() => chance(0.3));
        const metrics = (): Record<string, number> => {
          if (source === "ga4")
            return {
              ...{ sessions: some(50), newUsers: some(9), keyEvents: some(4) / 2, totalRevenue: some(9999) / 100 },
              engagementRate: some(10_000) / 10_000,
            };
          if (source === "gsc")
            return { clicks: some(9), impressions: some(90), ctr: some(1000) / 1000, position: some(900) / 10 };
          return {
            avg_position: 1 + some(900) / 100,
            top3: some(3),
            top10: some(9),
            top30: some(20),
            keywords_ranking: some(30),
          };
        };
        await world.days(id, Object.fromEntries(days.map((day) => [day, metrics()])));
        if (source !== "ga4") continue;
        await world.value(id, "totalUsers", SPAN.from, SPAN.to, some(500));
        await world.value(id, "totalUsers", "2025-07-01", "2025-07-31", some(500));
      }
      const exclude = ids.filter(() => chance(0.1));
      excluded.set(client, exclude);
      const layout = { sources: { ...WITHOUT_DRILLDOWNS.sources, ...(chance(0.1) && { gsc: { hidden: true } }) } };
      const report = { split: chance(0.5) ? "per_website" : "combined", exclude };
      await ok(settings({ layout, show_key_events: chance(0.8), report, rankings: { source: "seranking" } }, client));
    }
    await world.sql.query(
      `insert into marketing_answers (organisation_id, cache_key, answer)
        select organisation_id, 'rankings ' || id || ' 2026-07-01 2026-07-31 2025-07-01 2025-07-31 25 10 25', '[]' from marketing_links
        where organisation_id = $1 and source = 'seranking'`,
      [tenant.organisation.id],
    );
    const overview = (await ok(tenant.owner.get("/marketing/overview?period=2026-07")))["rows"] as Row[];
    const seen = { printed: 0, empty: 0, parts: 0, merged: 0, numbers: 0, pdfs: 0 };
    const check = (totals: readonly ReportTotal[], kpis: Row, names: readonly string[], about: string) => {
      const values = valuesOf(totals);
      const fraction = new Set(["engagementRate", "ctr"]);
      for (const name of names.filter((one) => kpis[one] !== undefined)) {
        const { current, previous } = kpis[name];
        const scale = (value: number) => Number((fraction.has(name) ? value * 100 : value).toFixed(6));
        const [value, before] = values[name] ?? [0, 0];
        expect([value ?? 0, before ?? 0], `${name} ${about}`).to.deep.equal([scale(current), scale(previous)]);
      }
      expect(
        Object.keys(values).every((name) => kpis[name] !== undefined),
        about,
      ).to.equal(true);
    };
    for (const [at, client] of clients.entries()) {
      const { sources } = await ok(tenant.owner.get(`/marketing/companies/${client}/metrics?period=2026-07`));
      const sections: Snapshot["sections"][number][] = [];
      for (const [key, source, names] of [
        ["traffic_channels", "ga4", ["sessions", "totalUsers", "newUsers", "engagementRate"]],
        ["conversions", "ga4", ["keyEvents", "totalRevenue"]],
        ["search_console", "gsc", ["clicks", "impressions", "ctr", "position"]],
        ["rankings", "seranking", ["avg_position", "top3", "top10", "top30", "keywords_ranking"]],
      ] as const) {
        const links = (sources as Row[]).filter(
          (one) => one["source"] === source && !one["hidden"] && !excluded.get(client)?.includes(one["link_id"]),
        );
        const about = `of ${key} of ${client}`;
        const data = await nothing(key, { company: client });
        if (data === null) {
          seen.empty += 1;
          const measured = key === "traffic_channels" ? ["sessions"] : key === "search_console" ? ["impressions"] : names;
          for (const { kpis } of links)
            for (const name of measured.filter((one) => kpis[one] !== undefined))
              expect([kpis[name].current, kpis[name].previous], about).to.deep.equal([0, 0]);
          continue;
        }
        seen.printed += 1;
        sections.push({ key: `marketing.${key}`, title: key, data });
        if (links.length === 1) check(data.totals, links[0]?.["kpis"], names, about);
        for (const part of data.parts ?? []) {
          seen.parts += 1;
          const own = links.find((one) => one["display_name"] === part.name);
          check(part.totals, own?.["kpis"], names, `${about}, ${part.name}`);
        }
        if (links.length < 2 || excluded.get(client)?.length) continue;
        seen.merged += 1;
        const { metrics } = overview.find((row) => row["company_id"] === client) as Row;
        const values = valuesOf(data.totals);
        for (const [name, column] of [
          ["sessions", "sessions"],
          ["keyEvents", "conversions"],
          ["clicks", "clicks"],
          ["position", "position"],
        ] as const)
          if (values[name])
            expect([values[name][0] ?? 0, values[name][1] ?? 0], `${name} ${about}`).to.deep.equal([
              metrics[column].current,
              metrics[column].previous,
            ]);
      }
      if (sections.length === 0) continue;
      const [count, html] = await checkPage(sections, client);
      seen.numbers += count;
      if (at % EVERY > 0) continue;
      const pdf = await pdfOf(html, "proof");
      const pageNumbers = Array.from({ length: pagesOf(pdf) }, (_, page) => `${page + 1}`);
      expect([...numbersIn(await textsOfPdf(pdf))], `the PDF of ${client}`).to.have.members([
        ...numbersIn([...textsOfPage(html), ...pageNumbers]),
      ]);
      seen.pdfs += 1;
    }
    expect(seen.printed).to.be.greaterThan(200);
    expect(seen.numbers).to.be.greaterThan(1000);
    expect(seen.pdfs, "PDFs").to.be.greaterThan(2);
    for (const kind of ["empty", "parts", "merged"] as const) expect(seen[kind], kind).to.be.greaterThan(30);
  });
});
