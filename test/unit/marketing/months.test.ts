import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import pg from "pg";
import { addDays, type IsoDate } from "../../../core/calendar/dates.ts";
import { namedSpan } from "../../../core/calendar/named-spans.ts";
import { spanRows } from "../../../integrations/marketing/periods/counted-spans.ts";
import { isPeriodMetric, spansOf } from "../../../integrations/marketing/reading/aggregates.ts";
import { metricsOfAll, WEIGHTED_IN_MONTHS } from "../../../integrations/marketing/reading/totals-of-all.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";
import type { MarketingSource } from "../../../integrations/marketing/sources/source.ts";
import step from "../../../migrations/before-0.3/0093-marketing-months.ts";
import { cases } from "../../support/cases.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/jobs.ts";

const all = [...sources.values()];
const TODAY = "2026-08-10";
/** Days of stored figures before today: two years and the edges of a third. */
const DAYS = 800;
const LATEST = 3;
const namesOf = (source: MarketingSource) => Object.keys(source.metrics).filter((name) => !isPeriodMetric(source, name));

/** SQL of a metric over days `d`, without the sums that months hold. */
function plainly({ metrics }: MarketingSource, name: string): string {
  const stored = metrics[name]?.mirrors ?? name;
  const { aggregation } = metrics[stored] as MarketingSource["metrics"][string];
  const value = `(d.metrics ->> '${stored}')::numeric`;
  if (aggregation === "sum") return `sum(${value})`;
  if (aggregation === "mean") return `avg(${value})`;
  const weight = `(d.metrics ->> '${(aggregation as { mean: string }).mean}')::numeric`;
  return `sum(${value} * ${weight}) / nullif(sum(${weight}) filter (where ${value} is not null), 0)`;
}
const plainFigures = (source: MarketingSource) =>
  `jsonb_build_object(${namesOf(source)
    .map((name) => `'${name}', round(coalesce(${plainly(source, name)}, 0), 4)`)
    .join(", ")})`;

/** Links of the organisation `$1`, each as late as its `config` says; the spans are `$2`. */
const LINKED = `with linked as materialized (select l.organisation_id, l.id, l.company_id, l.source, (l.config ->> 'behind')::int as behind
  from marketing_links l where l.organisation_id = $1 and l.active), ${spansOf("$2")}`;
const BY_DAYS = `${LINKED} select l.company_id, l.source, p.part,
    case l.source ${all.map((source) => `when '${source.key}' then ${plainFigures(source)}`).join(" ")} end as figures
  from linked l join spans p on p.behind = l.behind
  join marketing_days d on d.link_id = l.id and d.day between p.start_on and p.end_on group by l.company_id, l.source, p.part`;
const BY_MONTHS = `${LINKED} ${metricsOfAll(all, namesOf)}`;

/** The months of the organisation `$1` that have a day. */
const WITH_DAYS = `select distinct link_id, to_char(day, 'YYYY-MM-01') as month from marketing_days where organisation_id = $1
  order by link_id, month`;
const STORED = `select link_id, month::text as month, sums, days, weighted, weights from marketing_months where organisation_id = $1
  order by link_id, month`;

describe("the sums of months", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let organisation: string;
  before(async () => {
    database = await cloneDatabase();
    sql = await connected();
  });
  beforeEach(async () => {
    organisation = randomUUID();
    await sql.query("insert into organisations (id, slug, name) values ($1, $2, 'Months')", [organisation, `o${organisation}`]);
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.owner });
    await client.connect();
    return client;
  }
  async function client(): Promise<string> {
    const id = randomUUID();
    await sql.query("insert into companies (organisation_id, id, name) values ($1, $2, 'Client')", [organisation, id]);
    return id;
  }
  async function link(companyId: string, source: string, behind = 0): Promise<string> {
    const id = randomUUID();
    await sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name, config)
       values ($1, $2, $3, $4, $5, 'Link', jsonb_build_object('behind', $6::int))`,
      [id, organisation, companyId, source, id, behind],
    );
    return id;
  }
  /** Stores days as a synchronisation does: a day that is there is replaced. */
  const store = (linkId: string, days: Record<IsoDate, Record<string, unknown>>, by = sql) =>
    by.query(
      `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics)
       select l.organisation_id, l.id, l.company_id, l.source, e.key::date, e.value from marketing_links l, jsonb_each($2) e where l.id = $1
       on conflict (organisation_id, link_id, day) do update set metrics = excluded.metrics`,
      [linkId, JSON.stringify(days)],
    );
  /** Resolves once a transaction of this database waits for a lock. */
  const waitsForLock = () =>
    until(
      async () =>
        (await sql.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).rows
          .length > 0,
    );
  const stored = async () => (await sql.query(STORED, [organisation])).rows;

  /** Computes all months again, as the step did when it landed. */
  async function filledAgain(): Promise<unknown[]> {
    const sent: string[] = [];
    const collect = async (text: string) => {
      sent.push(text);
      return { rows: [] };
    };
    await step.up({ sql: collect, application: "kantoor_app" });
    await sql.query("delete from marketing_months where organisation_id = $1", [organisation]);
    await sql.query(sent.at(-1) as string);
    return stored();
  }

  /** A number of a source: whole, or with up to six decimals, 0 and negative ones too. */
  const figure = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -5, max: 100_000 }),
    fc.integer({ min: 1, max: 9_999_999 }).map((value) => value / 1_000_000),
  );
  const names = [...new Set(all.flatMap(({ metrics }) => Object.keys(metrics)))];
  const metricsOfDay = fc.dictionary(fc.constantFrom(...names, "undeclared"), figure, { maxKeys: names.length });
  const day = fc.integer({ min: 1, max: DAYS }).map((before) => addDays(TODAY, -before));
  const days = fc
    .array(fc.tuple(day, fc.integer({ min: 1, max: 70 }), fc.array(metricsOfDay, { minLength: 1, maxLength: 4 })), {
      maxLength: 6,
    })
    .map((runs) =>
      Object.fromEntries(
        runs.flatMap(([from, length, figures]) =>
          Array.from({ length }, (_, n) => [addDays(from, n), figures[n % figures.length] as Record<string, number>] as const),
        ),
      ),
    );
  const links = fc.array(
    fc.record({
      source: fc.constantFrom(...all.map(({ key }) => key)),
      isFirst: fc.boolean(),
      behind: fc.integer({ min: 0, max: LATEST }),
      days,
      again: days,
      gone: fc.option(fc.tuple(day, fc.integer({ min: 0, max: 90 })), { nil: undefined }),
      moved: fc.option(fc.tuple(day, fc.integer({ min: 1, max: 60 })), { nil: undefined }),
      isDeleted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const spans = fc.array(
    fc.record({
      token: fc.oneof(
        fc.constantFrom("365d", "400d", "month", "last_month", "quarter", "last_quarter", "2026-02", "2025-Q1", "2026-08"),
        fc.integer({ min: 1, max: 400 }).map((length) => `${length}d`),
      ),
      mode: fc.constantFrom("year" as const, "previous" as const),
      today: fc.integer({ min: 0, max: 200 }).map((before) => addDays(TODAY, -before)),
    }),
    { minLength: 4, maxLength: 8 },
  );

  it("give every metric of every span the value that its days have, whatever happened to them", async () => {
    await fc.assert(
      fc.asyncProperty(links, spans, async (made, asked) => {
        const clients = [await client(), await client()] as const;
        for (const { source, isFirst, behind, days: first, again, gone, moved, isDeleted } of made) {
          const id = await link(clients[isFirst ? 0 : 1], source, behind);
          await store(id, first);
          await store(id, again);
          if (gone)
            await sql.query("delete from marketing_days where link_id = $1 and day between $2 and $3", [
              id,
              gone[0],
              addDays(...gone),
            ]);
          if (moved)
            await sql.query(
              `update marketing_days d set day = day + $3::int where link_id = $1 and day = $2
                and not exists (select from marketing_days o where o.link_id = $1 and o.day = $2::date + $3::int)`,
              [id, ...moved],
            );
          if (isDeleted) await sql.query("delete from marketing_links where id = $1", [id]);
        }
        for (const { token, mode, today } of asked) {
          const rows = JSON.stringify(spanRows(namedSpan(token, today), mode, today, LATEST));
          const read = async (text: string) =>
            new Map(
              (await sql.query(text, [organisation, rows])).rows.map(
                (row) => [`${row.company_id} ${row.source} ${row.part}`, row.figures] as const,
              ),
            );
          expect(await read(BY_MONTHS), `${token} ${mode} on ${today}`).to.deep.equal(await read(BY_DAYS));
        }
        const kept = await stored();
        expect(kept.map(({ link_id, month }) => ({ link_id, month }))).to.deep.equal(
          (await sql.query(WITH_DAYS, [organisation])).rows,
        );
        expect(await filledAgain()).to.deep.equal(kept);
        await sql.query("delete from companies where organisation_id = $1", [organisation]);
        expect(await stored()).to.deep.equal([]);
      }),
      cases(Number(process.env["MONTHS_RUNS"] ?? 25), Number(process.env["MONTHS_RUNS"] ?? 10)),
    );
  });

  it("are of the days with the metric, and follow days that are replaced or deleted", async () => {
    const id = await link(await client(), "gsc");
    await store(id, {
      "2026-07-31": { clicks: 1 },
      "2026-08-01": { clicks: 2, impressions: 10, position: 4.5 },
      "2026-08-02": { clicks: 0.25, impressions: 30 },
      "2026-08-03": { position: 7 },
    });
    const july = { link_id: id, month: "2026-07-01", sums: { clicks: 1 }, days: { clicks: 1 }, weighted: {}, weights: {} };
    const august = {
      ...{ link_id: id, month: "2026-08-01" },
      sums: { clicks: 2.25, impressions: 40, position: 11.5 },
      days: { clicks: 2, impressions: 2, position: 2 },
      weighted: { position: 45 },
      weights: { position: 10 },
    };
    expect(await stored()).to.deep.equal([july, august]);
    await store(id, { "2026-08-03": { position: 7, impressions: 1 } });
    expect((await stored())[1]).to.deep.include({ weighted: { position: 52 }, weights: { position: 11 } });
    await sql.query("delete from marketing_days where link_id = $1 and day > '2026-08-01'", [id]);
    expect((await stored())[1].sums).to.deep.equal({ clicks: 2, impressions: 10, position: 4.5 });
    await sql.query("update marketing_days set day = '2026-07-30' where link_id = $1 and day = '2026-08-01'", [id]);
    expect(await stored()).to.deep.equal([
      {
        ...{ link_id: id, month: "2026-07-01" },
        sums: { clicks: 3, impressions: 10, position: 4.5 },
        days: { clicks: 2, impressions: 1, position: 1 },
        ...{ weighted: { position: 45 }, weights: { position: 10 } },
      },
    ]);
    await sql.query("delete from marketing_days where link_id = $1 and day = '2026-07-30'", [id]);
    await store(id, { "2026-08-01": {} });
    expect((await stored())[1]).to.deep.include({ sums: {}, days: {}, weighted: {}, weights: {} });
    await sql.query("delete from marketing_days where link_id = $1 and day = '2026-08-01'", [id]);
    expect(await stored()).to.deep.equal([july]);
  });

  it("count no figure that is not a number", async () => {
    const id = await link(await client(), "gsc");
    await store(id, {
      "2026-08-01": { clicks: null, position: 3, impressions: "many", ctr: { of: 1 } },
      "2026-08-02": { clicks: 1 },
    });
    expect(await stored()).to.deep.equal([
      {
        ...{ link_id: id, month: "2026-08-01" },
        sums: { clicks: 1, position: 3 },
        days: { clicks: 1, position: 1 },
        ...{ weighted: {}, weights: {} },
      },
    ]);
  });

  it("stay as they are when days are stored again with the same figures", async () => {
    const id = await link(await client(), "ga4");
    const version = async () => (await sql.query("select xmin, sums from marketing_months where link_id = $1", [id])).rows;
    await store(id, { "2026-08-01": { sessions: 3 }, "2026-08-02": { sessions: 4 } });
    const before = await version();
    await store(id, { "2026-08-01": { sessions: 3 }, "2026-08-02": { sessions: 4 } });
    expect(await version()).to.deep.equal(before);
    await store(id, { "2026-08-01": { sessions: 3 }, "2026-08-02": { sessions: 5 } });
    expect((await version()).map(({ sums }) => sums)).to.deep.equal([{ sessions: 8 }]);
  });

  it("have the days of two transactions that store at the same time", async () => {
    const id = await link(await client(), "ga4");
    const other = await connected();
    try {
      await sql.query("begin");
      await store(id, { "2026-08-01": { sessions: 3 } });
      await other.query("begin");
      const later = store(id, { "2026-08-02": { sessions: 4 } }, other);
      await waitsForLock();
      await sql.query("commit");
      await later;
      await other.query("commit");
    } finally {
      await other.end();
    }
    expect((await stored()).map(({ sums }) => sums)).to.deep.equal([{ sessions: 7 }]);
  });

  it("hold the sums of every weighted mean that reads over many clients may ask for, and of no other", async () => {
    const clientId = await client();
    for (const [key, means] of Object.entries(WEIGHTED_IN_MONTHS)) {
      const id = await link(clientId, key);
      const figures = Object.fromEntries(
        Object.entries(means).flatMap(([mean, weight]) => [
          [mean, 2],
          [weight, 3],
        ]),
      );
      await store(id, { "2026-08-01": figures });
      const { rows } = await sql.query("select weighted, weights from marketing_months where link_id = $1", [id]);
      const each = (value: number) => Object.fromEntries(Object.keys(means).map((mean) => [mean, value]));
      expect(rows, key).to.deep.equal([{ weighted: each(6), weights: each(3) }]);
    }
    const beacon: MarketingSource = {
      ...(sources.get("gads") as MarketingSource),
      key: "beacon",
      metrics: { pings: { aggregation: "sum" }, latency: { aggregation: { mean: "pings" } } },
    };
    expect(() => metricsOfAll([beacon], () => ["pings"])).not.to.throw();
    expect(() => metricsOfAll([beacon], () => ["latency"])).to.throw(TypeError, "no months are stored of beacon's latency");
  });
});
