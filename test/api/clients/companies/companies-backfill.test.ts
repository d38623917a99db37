import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { refusalOf, trailOf } from "./company-records.ts";

const SETTINGS = "/companies/settings";
const BACKFILL = `${SETTINGS}/backfill-client-numbers`;

describe("client numbers of old companies", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const put = (body: unknown) => tenant.owner.put(SETTINGS, body);
  const create = (values: Record<string, unknown> = {}) => tenant.owner.post("/companies", { name: "N", ...values });

  describe("POST /companies/settings/backfill-client-numbers", () => {
    const unnumbered = async (names: string[]) => {
      await put({ client_number_auto: false });
      for (const name of names) await create({ name });
    };
    const numbers = async () =>
      Object.fromEntries(
        (await tenant.owner.get("/companies?limit=200")).body.items.map((item: { name: string; client_number: string }) => [
          item.name,
          item.client_number,
        ]),
      );

    it("numbers those without, oldest first, whatever auto says, and answers 0 the second time", async () => {
      await create({ name: "Z", client_number: "0002" });
      await unnumbered(["C", "B", "A"]);
      await service.sql.query("update companies set created_at = created_at + interval '1 day' where name = 'C'");
      const { status, body } = await tenant.owner.post(BACKFILL);
      expect([status, body]).to.deep.equal([200, { numbered: 3 }]);
      expect(await numbers()).to.deep.equal({ Z: "0002", B: "0001", A: "0003", C: "0004" });
      expect((await tenant.owner.post(BACKFILL)).body).to.deep.equal({ numbered: 0 });
      expect((await tenant.owner.get(SETTINGS)).body.client_number_next_seq).to.equal(5);
    });

    it("orders by id within one moment", async () => {
      await unnumbered(["B", "A", "C"]);
      await service.sql.query("update companies set created_at = '2026-01-01' where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      await tenant.owner.post(BACKFILL);
      expect(await numbers()).to.deep.equal({ B: "0001", A: "0002", C: "0003" });
    });

    it("numbers nothing when it cannot number all", async () => {
      await unnumbered(["A", "B"]);
      await put({ client_number_format: `${"x".repeat(39)}{seq}`, client_number_next_seq: 9 });
      const answer = await tenant.owner.post(BACKFILL);
      expect(refusalOf(answer)).to.deep.equal([409, "conflict", null]);
      expect(answer.body.error.message).to.equal("errors.companies.client_number_exhausted");
      expect(await numbers()).to.deep.equal({ A: null, B: null });
    });

    it("leaves no line in the trail, but moves the row on", async () => {
      await unnumbered(["A"]);
      const [before] = (await tenant.owner.get("/companies")).body.items;
      await tenant.owner.post(BACKFILL);
      const after = await tenant.owner.get(`/companies/${before.id}`);
      expect(after.headers["etag"]).to.equal('"2"');
      expect(after.body.updated_at > before.updated_at).to.equal(true);
      expect((await trailOf(service.sql, "company", before.id)).map(({ action }) => action)).to.deep.equal(["created"]);
    });

    it("numbers each company once when called twice at once", async () => {
      await unnumbered(["A", "B", "C"]);
      const both = await Promise.all([tenant.owner.post(BACKFILL), tenant.owner.post(BACKFILL)]);
      expect(both.map(({ body }) => body.numbered).sort()).to.deep.equal([0, 3]);
    });

    it("stays within the organisation", async () => {
      const other = await service.tenant();
      await other.owner.put(SETTINGS, { client_number_auto: false });
      await other.company({ name: "Other" });
      expect((await tenant.owner.post(BACKFILL)).body).to.deep.equal({ numbered: 0 });
      expect((await other.owner.get("/companies")).body.items[0].client_number).to.equal(null);
    });
  });
});
