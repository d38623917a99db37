import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, namesOf, refusalOf } from "./company-records.ts";

describe("GET /companies", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const list = (tenant: Tenant, query = "") => tenant.owner.get(`/companies?${query}`);
  const search = (tenant: Tenant, q: string, more = "") => list(tenant, `q=${encodeURIComponent(q)}${more}`);
  const made = async (companies: Record<string, unknown>[]): Promise<Tenant> => {
    const tenant = await service.tenant();
    for (const company of companies) await tenant.company(company);
    return tenant;
  };

  describe("pages", () => {
    let tenant: Tenant;
    before(async () => {
      tenant = await made([{ name: "A" }, { name: "B" }, { name: "C" }]);
      const other = await service.tenant();
      await other.company({ name: "Other" });
    });

    it("hold the caller's own organisation, 50 from 0 by default", async () => {
      const { status, body } = await list(tenant);
      expect(status).to.equal(200);
      expect(Object.keys(body).sort()).to.deep.equal(["items", "limit", "next_cursor", "offset", "total"]);
      expect(namesOf({ body } as never)).to.deep.equal(["A", "B", "C"]);
      expect([body.total, body.limit, body.offset]).to.deep.equal([3, 50, 0]);
      expect(body.items[0].hours).to.equal(null);
    });

    it("show a row exactly as it is read by id", async () => {
      const { items } = (await list(tenant)).body;
      expect((await tenant.owner.get(`/companies/${items[1].id}`)).body).to.deep.equal(items[1]);
    });

    it("past the end are empty with the true total", async () => {
      const { body } = await list(tenant, "offset=100&limit=2");
      expect(body).to.deep.equal({ items: [], total: 3, limit: 2, offset: 100, next_cursor: null });
    });

    it("without count give the number of their items as total", async () => {
      expect((await list(tenant, "count=false&limit=2")).body.total).to.equal(2);
      expect((await list(tenant, "count=0&offset=2")).body.total).to.equal(1);
      expect((await search(tenant, "b", "&count=false")).body.total).to.equal(1);
    });

    for (const query of [
      "limit=0",
      "limit=201",
      "limit=-1",
      "limit=x",
      "limit=",
      "limit=1.5",
      "offset=-1",
      "offset=x",
      "count=perhaps",
    ])
      it(`refuse ${query}`, async () => {
        expect(refusalOf(await list(tenant, query))).to.deep.equal(
          invalidOn({ [query.split("=")[0] as string]: "errors.validation" }),
        );
      });

    for (const parameter of ["q", "status"])
      it(`refuse ${parameter} over 200 characters, and take 200 of any kind`, async () => {
        const wrong = await list(tenant, `${parameter}=${"x".repeat(201)}`);
        expect(refusalOf(wrong)).to.deep.equal(invalidOn({ [parameter]: "errors.validation" }));
        expect((await list(tenant, `${parameter}=${encodeURIComponent("😀".repeat(200))}`)).body.total).to.equal(0);
      });

    it("take limit 1 and 200", async () => {
      expect((await list(tenant, "limit=1")).body.items).to.have.lengthOf(1);
      expect((await list(tenant, "limit=200")).body.limit).to.equal(200);
    });

    for (const sort of ["city", "-city", "name,status", "-", "--name", "NAME", "name; drop", "hours"])
      it(`refuse to sort by ${sort} with 400`, async () => {
        const wrong = [400, "invalid_sort", { sort: "errors.invalid_sort" }];
        expect(refusalOf(await list(tenant, `sort=${encodeURIComponent(sort)}`))).to.deep.equal(wrong);
        expect(refusalOf(await search(tenant, "a", `&sort=${encodeURIComponent(sort)}`))).to.deep.equal(wrong);
      });

    it("keep the default order for an empty sort", async () => {
      expect(namesOf(await list(tenant, "sort="))).to.deep.equal(["A", "B", "C"]);
      expect(namesOf(await list(tenant, "sort=-name"))).to.deep.equal(["C", "B", "A"]);
    });
  });

  describe("?status", () => {
    let tenant: Tenant;
    const every = ["lead", "onboarding", "active", "offboarding", "archived"];
    before(async () => {
      tenant = await made(every.map((status) => ({ name: status, status })));
    });

    const rows: [filter: string, names: string[]][] = [
      ["lead", ["lead"]],
      ["lead,archived", ["archived", "lead"]],
      [" lead , archived ", ["archived", "lead"]],
      [",lead,,", ["lead"]],
      ["lead,gone", ["lead"]],
      ["gone", []],
      ["LEAD", []],
      ["lead,lead", ["lead"]],
      ["", [...every].sort()],
      [" , ,", [...every].sort()],
      ["'; select 1", []],
    ];
    for (const [filter, names] of rows)
      it(`'${filter}' gives ${names.join(" and ") || "nothing"}`, async () => {
        const { body, status } = await list(tenant, `status=${encodeURIComponent(filter)}`);
        expect(status).to.equal(200);
        expect(namesOf({ body } as never)).to.deep.equal(names);
        expect(body.total).to.equal(names.length);
      });

    it("absent includes archived", async () => {
      expect((await list(tenant)).body.total).to.equal(5);
    });

    it("narrows a search as well", async () => {
      expect(namesOf(await search(tenant, "a", "&status=lead,active"))).to.deep.equal(["active", "lead"]);
    });
  });

  describe("?q", () => {
    let tenant: Tenant;
    before(async () => {
      tenant = await made([
        {
          name: "Alpha Works",
          legal_name: "Omega Holding",
          client_number: "K-77",
          website: "beta.test",
          city: "Gamma",
          notes: "delta",
        },
        { name: "Café Zürich", client_number: "2" },
        { name: "100% sure_thing \\o/", client_number: "3" },
        { name: "ÅNGSTRÖM ЖУК", client_number: "4" },
        { name: "Große Straße Łódź", client_number: "5" },
      ]);
    });

    const rows: [q: string, names: string[]][] = [
      ["alpha", ["Alpha Works"]],
      ["PHA WO", ["Alpha Works"]],
      ["omega", ["Alpha Works"]],
      ["k-77", ["Alpha Works"]],
      ["BETA.t", ["Alpha Works"]],
      ["  beta  ", ["Alpha Works"]],
      ["gamma", ["Alpha Works"]],
      ["delta", []],
      ["works omega", ["Alpha Works"]],
      ["GAMMA k-77 alpha beta omega", ["Alpha Works"]],
      ["works zurich", []],
      ["worksomega", []],
      ['"alpha works"', ["Alpha Works"]],
      ['"works alpha"', []],
      ['"works omega"', []],
      ['"alpha wor', ["Alpha Works"]],
      ['omega "a w"', ["Alpha Works"]],
      ['al"pha', []],
      ['"', []],
      ["o k", ["Alpha Works"]],
      ["CAFÉ zÜ", ["Café Zürich"]],
      ["cafe", ["Café Zürich"]],
      ["zurich CAFE", ["Café Zürich"]],
      ["cafe\u0301", ["Café Zürich"]],
      ["ångström жук", ["ÅNGSTRÖM ЖУК"]],
      ["жук angstrom", ["ÅNGSTRÖM ЖУК"]],
      ["strasse", ["Große Straße Łódź"]],
      ["lodz große", ["Große Straße Łódź"]],
      ["%", ["100% sure_thing \\o/"]],
      ["0% s", ["100% sure_thing \\o/"]],
      ["% %", ["100% sure_thing \\o/"]],
      ["e_t", ["100% sure_thing \\o/"]],
      ["eXt", []],
      ["\\o", ["100% sure_thing \\o/"]],
      ["\\", ["100% sure_thing \\o/"]],
      ["_", ["100% sure_thing \\o/"]],
      ["'", []],
      ["nothing like it", []],
    ];
    for (const [q, names] of rows)
      it(`'${q}' finds ${names.join() || "nothing"}`, async () => {
        const { body } = await search(tenant, q);
        expect(namesOf({ body } as never)).to.deep.equal(names);
        expect(body.total).to.equal(names.length);
      });

    it("blank filters nothing", async () => {
      for (const q of ["", "   "]) expect((await search(tenant, q)).body.total).to.equal(5);
    });

    it("never reaches from one field into the next", async () => {
      expect(namesOf(await search(tenant, "works\u001fomega"))).to.deep.equal([]);
    });

    it("keeps the order by name, and sorts and pages like the list", async () => {
      const tenant = await made(["c x", "a x", "b x", "d"].map((name) => ({ name })));
      expect(namesOf(await search(tenant, "x"))).to.deep.equal(["a x", "b x", "c x"]);
      expect(namesOf(await search(tenant, "x", "&sort=-name&limit=2"))).to.deep.equal(["c x", "b x"]);
      const second = await search(tenant, "x", "&sort=created_at&limit=1&offset=1");
      expect([namesOf(second), second.body.total]).to.deep.equal([["a x"], 3]);
    });
  });

  describe("?updated_since", () => {
    let tenant: Tenant;
    const stamp = (name: string, at: string) =>
      service.sql.query("update companies set updated_at = $2 where name = $1", [name, at]);
    const since = async (at: string, more = "") => namesOf(await list(tenant, `updated_since=${at}${more}`));
    before(async () => {
      tenant = await made(["S1", "S2", "S3"].map((name) => ({ name })));
      await stamp("S1", "2026-03-01T10:00:00Z");
      await stamp("S2", "2026-03-01T11:00:00Z");
      await stamp("S3", "2026-03-01T12:00:00Z");
    });

    it("gives what changed at or after the instant, and counts it so", async () => {
      expect(await since("2026-03-01T11:00:00Z")).to.deep.equal(["S2", "S3"]);
      expect(await since("2026-03-01T11:00:00.001Z")).to.deep.equal(["S3"]);
      expect((await list(tenant, "updated_since=2026-03-01T11:00:00Z&limit=1")).body.total).to.equal(2);
    });

    it("reads an instant without offset as UTC, and a plus that became a space", async () => {
      expect(await since("2026-03-01T11:00:00")).to.deep.equal(["S2", "S3"]);
      expect(await since("2026-03-01T12:00:00+01:00")).to.deep.equal(["S2", "S3"]);
      expect(await since("2026-03-01T12:00:00%2B01:00")).to.deep.equal(["S2", "S3"]);
      expect(await since("2026-03-01T10:00:00-01:00")).to.deep.equal(["S2", "S3"]);
    });

    it("narrows a search and a status", async () => {
      expect(await since("2026-03-01T11:00:00Z", "&q=s")).to.deep.equal(["S2", "S3"]);
      expect(await since("2026-03-01T11:00:00Z", "&status=lead")).to.deep.equal([]);
    });

    for (const wrong of ["yesterday", "", "2026-02-30T00:00:00Z", "2026-03-01", "2026-03-01T25:00:00Z"])
      it(`refuses '${wrong}'`, async () => {
        expect(refusalOf(await list(tenant, `updated_since=${wrong}`))).to.deep.equal(
          invalidOn({ updated_since: "errors.validation" }),
        );
      });

    it("shows a company whose roster changed", async () => {
      const { id } = await tenant.company({ name: "S4" });
      await stamp("S4", "2026-01-01T00:00:00Z");
      expect(await since("2026-03-01T12:00:00Z")).to.deep.equal(["S3"]);
      await tenant.owner.patch(`/companies/${id}`, { assignees: [{ user_id: tenant.owner.accountId }] });
      expect(await since("2026-03-01T12:00:00Z")).to.deep.equal(["S3", "S4"]);
    });
  });
});
