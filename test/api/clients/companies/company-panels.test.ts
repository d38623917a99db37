import { expect } from "chai";
import { internal } from "../../../../core/declare/makers/internal.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { entryOf, projectOf } from "../../work/projects/project-records.ts";

const computed: string[] = [];

/** Panels and tiles of modules that come with later issues, in the shape they will have. */
const uptime = actor("uptime.contributions", {
  actions: {
    panel: internal({
      summary: "Monitors of a company",
      permission: "uptime.monitor.read",
      contributes: { panel: { entity: "company", key: "uptime.company", position: 70, prominence: "primary", size: "half" } },
      handler: (ctx) => {
        computed.push("uptime.panel");
        return { for: ctx.params.company_id };
      },
    }),
    early: internal({
      summary: "A panel at the place of another",
      permission: "uptime.monitor.read",
      contributes: { panel: { entity: "company", key: "activity.early", position: 70 } },
      handler: () => ({}),
    }),
    tile: internal({
      summary: "Late tile",
      permission: "uptime.monitor.read",
      contributes: { tile: { entity: "company", key: "uptime.late", position: 70 } },
      handler: (ctx) => ({ value: ctx.params.company_id, format: "text", tone: "warn" }),
    }),
    nothing: internal({
      summary: "A tile without content",
      permission: "uptime.monitor.read",
      contributes: { tile: { entity: "company", key: "uptime.nothing", position: 1 } },
      handler: () => null,
    }),
  },
});
const invoicing = actor("invoicing.contributions", {
  actions: {
    tile: internal({
      summary: "Credit",
      permission: "invoicing.invoice.read",
      contributes: { tile: { entity: "company", key: "invoicing.credit", position: 10 } },
      handler: () => {
        computed.push("invoicing.tile");
        return {
          value: "12.50",
          format: "money",
          currency: "EUR",
          tone: "bad",
          hint_key: "overdue",
          hint_params: { count: 2 },
          href: "/i",
        };
      },
    }),
  },
});
const trail = actor("activity.contributions", {
  actions: {
    panel: internal({
      summary: "The trail",
      permission: "activity.read",
      contributes: { panel: { entity: "company", key: "activity.latest", position: 90 } },
      handler: () => ({ items: [] }),
    }),
  },
});
const ZERO = {
  budget_hours: null,
  spent_hours: 0,
  billable_hours: 0,
  unapproved_hours: 0,
  remaining_hours: null,
  unbudgeted_hours: 0,
  project_count: 0,
  period: null,
};
const READ = "companies.company.read";

describe("what modules add to a company", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: { id: string };
  before(async () => {
    service = await startService({}, [uptime, invoicing, trail]);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = await tenant.company({ name: "Panelled", notes: "n" });
    computed.length = 0;
  });
  after(() => service.stop());

  const keys = ({ body }: { body: { key: string }[] }) => body.map(({ key }) => key);
  const panels = (caller: Caller = tenant.owner) => caller.get(`/companies/${company.id}/panels`);
  const summary = (caller: Caller = tenant.owner) => caller.get(`/companies/${company.id}/summary`);
  const holder = (...grants: string[]) => tenant.member("member", { grants });
  const disable = (module: string) =>
    service.sql.query("update organisations set enabled_modules = array_remove(enabled_modules, $2) where id = $1", [
      tenant.organisation.id,
      module,
    ]);

  describe("GET /companies/{company_id}/panels", () => {
    it("gives them by position, then key, the raw details first", async () => {
      const answer = await panels();
      expect(answer.status).to.equal(200);
      expect(keys(answer)).to.deep.equal([
        "companies.details",
        "contacts.company",
        "projects.company",
        "tasks.company",
        "interactions.company",
        "time.company",
        "marketing.overview",
        "reporting.reports",
        "workspace.folder",
        "subscriptions.company",
        "invoicing.company",
        "activity.early",
        "uptime.company",
        "websites.company",
        "domains.company",
        "activity.latest",
        "activity.trail",
      ]);
      expect(answer.body[0]).to.deep.equal({
        key: "companies.details",
        title_key: "panels.companies.details",
        position: 10,
        data: (await tenant.owner.get(`/companies/${company.id}`)).body,
        prominence: "primary",
        size: "full",
        empty: false,
      });
      expect(answer.body[0].data.legal_name).to.equal(null);
      expect(answer.body[12]).to.deep.equal({
        key: "uptime.company",
        title_key: "panels.uptime.company",
        position: 70,
        data: { for: company.id },
        prominence: "primary",
        size: "half",
        empty: false,
      });
      expect(answer.body[11]).to.include({ prominence: "register", size: "full", empty: true });
    });

    it("computes nothing the caller may not read", async () => {
      expect(keys(await panels(await holder(READ)))).to.deep.equal(["companies.details"]);
      expect(computed).to.deep.equal([]);
      expect(keys(await panels(await holder(READ, "activity.read")))).to.deep.equal([
        "companies.details",
        "activity.latest",
        "activity.trail",
      ]);
    });

    it("leaves out modules the organisation has disabled; the core cannot be", async () => {
      const work = ["projects", "tasks", "interactions", "time"];
      const optional = [
        ...work,
        "domains",
        "websites",
        "uptime",
        "contacts",
        "subscriptions",
        "invoicing",
        "reporting",
        "marketing",
        "workspace",
      ];
      for (const module of [...optional, "companies"]) await disable(module);
      expect(keys(await panels())).to.deep.equal(["companies.details", "activity.latest", "activity.trail"]);
      expect(computed).to.deep.equal([]);
    });

    it("needs the company's own permission", async () => {
      expect((await panels(await holder("uptime.monitor.read:any"))).status).to.equal(403);
    });
  });

  describe("GET /companies/{company_id}/summary", () => {
    it("gives the tiles with content by position, complete", async () => {
      const { status, body } = await summary();
      expect(status).to.equal(200);
      expect(body).to.deep.equal([
        {
          key: "invoicing.credit",
          label_key: "summary.invoicing.credit",
          value: "12.50",
          format: "money",
          currency: "EUR",
          tone: "bad",
          hint_key: "overdue",
          hint_params: { count: 2 },
          href: "/i",
          position: 10,
        },
        {
          key: "uptime.late",
          label_key: "summary.uptime.late",
          value: company.id,
          format: "text",
          currency: null,
          tone: "warn",
          hint_key: null,
          hint_params: {},
          href: null,
          position: 70,
        },
      ]);
    });

    it("computes nothing the caller may not read or the organisation has disabled", async () => {
      expect(keys(await summary(await holder(READ)))).to.deep.equal([]);
      expect(keys(await summary(await holder(READ, "uptime.monitor.read:any")))).to.deep.equal(["uptime.late"]);
      expect(computed).to.deep.equal([]);
      const own = await tenant.serviceAccount([READ, "invoicing.invoice.read:own"]);
      expect(keys(await summary(own))).to.deep.equal(["invoicing.credit"]);
      await disable("invoicing");
      expect(keys(await summary())).to.deep.equal(["uptime.late"]);
    });

    it("answers 404 for a company that is not there", async () => {
      for (const part of ["panels", "summary"]) {
        const answer = await tenant.owner.get(`/companies/00000000-0000-4000-8000-000000000000/${part}`);
        expect(answer.status).to.equal(404);
      }
    });
  });

  describe("GET /companies?hours=true", () => {
    /** A project of ten hours, of which one is spent. */
    const budgeted = async () => {
      const { id } = await projectOf(tenant, { company_id: company.id, budget_hours: 10 });
      await entryOf(service, tenant, { project_id: id, company_id: company.id, started_at: "2026-01-05T09:00:00Z" });
    };
    const hoursOf = async (caller: Caller, query = "hours=true") =>
      (await caller.get(`/companies?${query}`)).body.items.map(({ hours }: { hours: unknown }) => hours);

    it("is null when not asked for, and on a single company", async () => {
      expect(await hoursOf(tenant.owner, "")).to.deep.equal([null]);
      expect(await hoursOf(tenant.owner, "hours=false")).to.deep.equal([null]);
      expect((await tenant.owner.get(`/companies/${company.id}?hours=true`)).body.hours).to.equal(null);
    });

    it("is null, never zeros, without time.entry.read, and the list is not refused", async () => {
      await budgeted();
      expect(await hoursOf(await holder(READ))).to.deep.equal([null]);
      const [figures] = await hoursOf(await tenant.serviceAccount([READ, "time.entry.read:own"]));
      expect(figures).to.include({ budget_hours: 10, spent_hours: 1 });
    });

    it("is null for a client login with any permission, as on its projects", async () => {
      await budgeted();
      const client = await tenant.member("client");
      await tenant.group("Client", [company.id], [client.membershipId]);
      await service.sql.query(
        "insert into membership_roles select organisation_id, $2, id from roles where organisation_id = $1 and key = 'member'",
        [tenant.organisation.id, client.membershipId],
      );
      expect((await client.get("/projects?hours=true")).body.items[0].hours).to.equal(null);
      expect(await hoursOf(client)).to.deep.equal([null]);
    });

    it("is the zero row where there is nothing, and keeps the page", async () => {
      await budgeted();
      await tenant.company({ name: "Second" });
      await tenant.company({ name: "Third" });
      const [figures, ...others] = await hoursOf(tenant.owner);
      expect(figures).to.include({ budget_hours: 10, spent_hours: 1, project_count: 1 });
      expect(others).to.deep.equal([ZERO, ZERO]);
      const { body } = await tenant.owner.get("/companies?hours=true&limit=1&offset=1");
      expect([body.total, body.limit, body.offset, body.items.length]).to.deep.equal([3, 1, 1, 1]);
    });

    it("is the zero row for everyone if no module counts hours", async () => {
      await budgeted();
      await disable("time");
      expect(await hoursOf(tenant.owner)).to.deep.equal([ZERO]);
    });
  });
});

describe("a company without other modules' tiles", () => {
  it("is its details, no tile, and hours of zero", async () => {
    const service = await sharedService();
    try {
      const tenant = await service.tenant();
      const { id } = await tenant.company();
      const panels = await tenant.owner.get(`/companies/${id}/panels`);
      expect(panels.body[0].key).to.equal("companies.details");
      expect((await tenant.owner.get(`/companies/${id}/summary`)).body).to.deep.equal([]);
      expect((await tenant.owner.get("/companies?hours=true")).body.items[0].hours).to.deep.equal(ZERO);
    } finally {
      await service.stop();
    }
  });
});
