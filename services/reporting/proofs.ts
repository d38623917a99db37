import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";
import type { FrozenLook } from "./rendering/look.ts";
import { chosenDesign } from "./rendering/render.ts";

/** The look of a document without a template. */
const LOOK: FrozenLook = {
  ...chosenDesign({ design: "standard", custom_html: null, custom_css: null }),
  brand: "Kantoor",
  logo: null,
  cover: null,
  accents: [],
  intro: null,
  footer: null,
  template: null,
  tone: null,
  made_on: "2026-03-05",
};

/** Fixtures for reports. Only tests load them. */
const proofs: DefineProofs = ({ insert, named, idOf, next, nobody, picture, textFile }) => {
  const tone = (place: Place) => insert(place, "report_tones", { key: `tone-${next()}`, name: named(place.token) });
  const template = (audience: string) => (place: Place) =>
    insert(place, "report_templates", { name: named(place.token), audience });
  const cover = async ({ tenant }: Place) => {
    const { body, headers } = picture();
    return idOf(await tenant.owner.post("/files?entity_type=branding", body, { headers }));
  };
  const SECTION = "marketing.traffic_channels";
  /** A report with figures, visible to the client. */
  const report = (place: Place) => {
    // Each report of one client and audience needs its own first day.
    const day = new Date(Date.UTC(2000, 0, 1 + next())).toISOString().slice(0, 10);
    const total = { key: "sessions", label: { nl: "Bezoeken", en: "Visits" }, kind: "count", value: 12, before: 10 };
    const sections = [{ key: SECTION, title: "Traffic", data: { totals: [total] } }];
    const span = { start: day, end: day };
    const about = { locale: "nl", audience: "client", client: place.token, span, compared: span };
    return insert(place, "reports", {
      company_id: place.companyId,
      company_name: named(place.token),
      audience: "client",
      status: "ready",
      locale: "nl",
      title: named(place.token),
      period_start: day,
      period_end: day,
      compare_start: day,
      compare_end: day,
      published_at: "2026-02-05T08:00:00Z",
      sections: JSON.stringify(sections.map(({ key, title }) => ({ key, title }))),
      narrative: JSON.stringify({ [SECTION]: place.token }),
      data_snapshot: JSON.stringify({ ...about, sections }),
      look: JSON.stringify(LOOK),
    });
  };
  const withDocument = async (place: Place, rows: Record<string, string>) => {
    const { body, headers } = textFile(place.token);
    const path = `/files?entity_type=company&entity_id=${place.companyId}`;
    const file = idOf(await place.tenant.owner.post(path, body, { headers }));
    await place.sql.query("update reports set pdf_file_id = $3 where organisation_id = $1 and id = $2", [
      place.tenant.organisation.id,
      rows["report_id"],
      file,
    ]);
  };
  const period = { period_start: "2026-01-01", period_end: "2026-01-31" };
  return {
    makers: {
      "/reporting report_id": { ofCompany: true, make: report },
      "/reporting tone_id": {
        ofCompany: false,
        // A second tone stays active, because the last one cannot be deleted.
        make: async (place) => {
          await tone(place);
          return tone(place);
        },
      },
      "/reporting template_id": { ofCompany: false, make: template("client") },
      "/reporting internal_template_id": { ofCompany: false, make: template("internal") },
      "/reporting cover_image_file_id": { ofCompany: false, make: cover },
    },
    values: {
      "/reporting locale": () => "nl",
      "/reporting default_locale": () => "nl",
      "/reporting design": () => "standard",
    },
    bodies: {
      "POST /reporting/reports/generate": async (place) => ({ company_id: place.companyId, ...period, audience: "internal" }),
      "POST /reporting/reports/generate-batch": async (place) => ({
        company_ids: [place.companyId],
        ...period,
        audience: "internal",
      }),
      "PUT /reporting/reports/{report_id}/narrative": async (place) => ({ narrative: { [SECTION]: place.token } }),
      "POST /reporting/reports/{report_id}/rewrite": async () => ({ section_key: SECTION }),
      "PUT /reporting/companies/{company_id}/profile": async (place) => {
        return {
          display_name: `The client ${next()}`,
          goals: "More visitors",
          locale: "nl",
          tone_id: await tone(place),
          template_id: await template("client")(place),
          internal_template_id: await template("internal")(place),
          recipients: [{ email: "client@example.com", name: "The client" }],
          schedule: { hour: 9 },
          sections: { "marketing.social": false },
        };
      },
      "POST /reporting/reports/{report_id}/send": async () => ({
        recipients: [{ email: "client@example.com", name: "The client" }],
        publish: true,
      }),
    },
    fixedLists: {
      "GET /reporting/templates/sections": "the declarations of enabled modules; no rows",
    },
    arranged: {
      "GET /reporting/reports/{report_id}/pdf": withDocument,
      // The document to mail.
      "POST /reporting/reports/{report_id}/send": withDocument,
      // A saved profile has a version that can be stale.
      "PUT /reporting/companies/{company_id}/profile": ({ sql, tenant }, rows) =>
        sql.query(
          "insert into report_profiles (id, organisation_id, company_id) values (gen_random_uuid(), $1, $2) on conflict do nothing",
          [tenant.organisation.id, rows["company_id"]],
        ),
    },
    lists: {
      reports: {
        statements: [
          // Not in period order: runs rewrite their rows again and again.
          `insert into reports (id, organisation_id, company_id, company_name, audience, status, locale, title, period_start, period_end,
              compare_start, compare_end, published_at, created_at, updated_at)
            select md5('reports ' || $2 || ' ' || s.n)::uuid, $1, c.ids[1 + s.n % cardinality(c.ids)], 'Client ' || s.n % 200,
                   (array['client','client','internal'])[1 + s.n / 200 % 3], 'ready', 'nl',
                   'Report ' || md5(s.n::text) || case when s.n = 4711 then ' zeldzaam' else '' end, date '2000-01-01' + s.n / 200,
                   date '2000-01-31' + s.n / 200, date '1999-01-01' + s.n / 200, date '1999-01-31' + s.n / 200,
                   case when s.n % 3 > 0 then now() end, timestamptz '2020-01-01' + s.n * interval '7 min',
                   timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
              from (select (g * 7919 % $2)::int from generate_series(1, $2::int) g) s(n),
                   (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
        ],
        filters: { company_id: nobody(), audience: "internal", internal: false, published: true },
        common: "client",
        rare: "zeldzaam",
        excepted: {},
      },
    },
  };
};
export default proofs;
