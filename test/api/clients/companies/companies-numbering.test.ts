import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "./company-records.ts";

const SETTINGS = "/companies/settings";
const BACKFILL = `${SETTINGS}/backfill-client-numbers`;
const taken = [409, "conflict", { client_number: "errors.companies.client_number_taken" }];

describe("client numbers", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService("clock");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const put = (body: unknown) => tenant.owner.put(SETTINGS, body);
  const create = (values: Record<string, unknown> = {}) => tenant.owner.post("/companies", { name: "N", ...values });
  const numberOf = async (values: Record<string, unknown> = {}) => (await create(values)).body.client_number as string | null;
  /** Of the organisation's clock. */
  const year = new Intl.DateTimeFormat("sv", { timeZone: "Europe/Amsterdam", year: "numeric" }).format();

  /** Does `work` while this process believes that it is `now`. */
  async function at<T>(now: string, work: () => Promise<T>): Promise<T> {
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...given: [] | [string | number]) {
        super(given.length === 0 ? now : given[0]);
      }
    } as DateConstructor;
    try {
      return await work();
    } finally {
      globalThis.Date = RealDate;
    }
  }

  describe("GET /companies/settings", () => {
    it("gives the defaults on first touch, also to several at once", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.owner.get(SETTINGS)));
      for (const { status, body } of answers) {
        expect(status).to.equal(200);
        expect(body).to.deep.equal({
          client_number_format: "{seq:4}",
          client_number_next_seq: 1,
          client_number_reset_yearly: false,
          client_number_auto: true,
          client_number_seq_year: null,
        });
      }
      const { rows } = await service.sql.query("select 1 from company_settings where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.have.lengthOf(1);
    });

    it("knows the year of the last allocation", async () => {
      await create();
      const { body } = await tenant.owner.get(SETTINGS);
      expect(body).to.include({ client_number_seq_year: Number(year), client_number_next_seq: 2 });
    });

    it("needs companies.settings.manage, as PUT and backfill do", async () => {
      const member = await tenant.member("member");
      const answers = await Promise.all([member.get(SETTINGS), member.put(SETTINGS, {}), member.post(BACKFILL)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403]);
      const admin = await tenant.member("admin");
      expect((await admin.get(SETTINGS)).status).to.equal(200);
    });
  });

  describe("PUT /companies/settings", () => {
    it("changes only the sent fields, and ignores the year", async () => {
      const { status, body } = await put({ client_number_format: "C{seq}", client_number_seq_year: 1999, nonsense: 1 });
      expect(status).to.equal(200);
      expect(body).to.include({ client_number_format: "C{seq}", client_number_next_seq: 1, client_number_seq_year: null });
      expect((await put({ client_number_auto: false })).body).to.include({
        client_number_format: "C{seq}",
        client_number_auto: false,
      });
      expect((await put({ client_number_format: null, client_number_next_seq: 7 })).body).to.include({
        client_number_format: "C{seq}",
        client_number_next_seq: 7,
      });
    });

    for (const format of ["", "   ", "C", "{year}", "{seq}{seq}", "{seq}{month}", "{seq:}", "{seq:100}", "{seq:41}"])
      it(`refuses the format '${format}'`, async () => {
        const wrong = invalidOn({ client_number_format: "errors.companies.invalid_number_format" });
        expect(refusalOf(await put({ client_number_format: format }))).to.deep.equal(wrong);
      });

    it("checks the rendering with the sequence to be stored, for a change of either", async () => {
      const wrong = invalidOn({ client_number_format: "errors.companies.invalid_number_format" });
      const full = `${"x".repeat(39)}{seq}`;
      expect(refusalOf(await put({ client_number_format: full, client_number_next_seq: 10 }))).to.deep.equal(wrong);
      expect((await put({ client_number_format: full, client_number_next_seq: 9 })).status).to.equal(200);
      expect(refusalOf(await put({ client_number_next_seq: 10 }))).to.deep.equal(wrong);
      expect((await put({ client_number_format: "{seq}", client_number_next_seq: 10 })).status).to.equal(200);
      expect(refusalOf(await put({ client_number_format: full }))).to.deep.equal(wrong);
    });

    const rows: [body: Record<string, unknown>, fields: Record<string, string>][] = [
      [{ client_number_format: "x".repeat(61) }, { client_number_format: "errors.validation" }],
      [{ client_number_next_seq: 0 }, { client_number_next_seq: "errors.validation" }],
      [{ client_number_next_seq: 1.5 }, { client_number_next_seq: "errors.validation" }],
      [{ client_number_next_seq: "7" }, { client_number_next_seq: "errors.validation" }],
      [{ client_number_auto: "yes" }, { client_number_auto: "errors.validation" }],
    ];
    for (const [body, fields] of rows)
      it(`refuses ${JSON.stringify(body).slice(0, 50)}`, async () => {
        expect(refusalOf(await put(body))).to.deep.equal(invalidOn(fields));
      });

    it("honours If-Match", async () => {
      const { headers } = await tenant.owner.get(SETTINGS);
      const match = { headers: { "If-Match": headers["etag"] as string } };
      const both = await Promise.all([5, 6].map((next) => tenant.owner.put(SETTINGS, { client_number_next_seq: next }, match)));
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
    });
  });

  describe("on create", () => {
    it("are stored without the blanks around them, and refused when in use", async () => {
      expect(await numberOf({ client_number: " a - 1 " })).to.equal("a - 1");
      expect(await numberOf({ client_number: "A-1" })).to.equal("A-1");
      const answer = await create({ client_number: " A-1 " });
      expect(refusalOf(answer)).to.deep.equal(taken);
      expect(answer.body.error.message).to.equal("errors.companies.client_number_taken");
    });

    it("are allocated when not sent, null or blank", async () => {
      expect([await numberOf(), await numberOf({ client_number: null }), await numberOf({ client_number: " " })]).to.deep.equal([
        "0001",
        "0002",
        "0003",
      ]);
    });

    it("stay empty when numbering is not automatic", async () => {
      await put({ client_number_auto: false });
      expect(await numberOf()).to.equal(null);
      expect(await numberOf({ client_number: "7" })).to.equal("7");
      expect((await tenant.owner.get(SETTINGS)).body.client_number_next_seq).to.equal(1);
    });

    it("have no blanks around them when the format has", async () => {
      await put({ client_number_format: " K {seq} " });
      expect(await numberOf()).to.equal("K 1");
    });

    it("follow the format, padded and never cut", async () => {
      await put({ client_number_format: "K{yy}-{year}-{seq:3}", client_number_next_seq: 12345 });
      expect(await numberOf()).to.equal(`K${year.slice(2)}-${year}-12345`);
    });

    it("skip numbers that a rewound sequence already issued", async () => {
      for (let count = 0; count < 3; count++) await create();
      await create({ client_number: "0005" });
      await put({ client_number_next_seq: 1 });
      expect([await numberOf(), await numberOf()]).to.deep.equal(["0004", "0006"]);
      expect((await tenant.owner.get(SETTINGS)).body.client_number_next_seq).to.equal(7);
    });

    it("use the 1000th candidate, and are exhausted after it", async () => {
      await put({ client_number_format: "{seq}" });
      const insert = (from: number, to: number) =>
        service.sql.query(
          `insert into companies (id, organisation_id, name, client_number)
           select gen_random_uuid(), $1, 'Filler', n::text from generate_series($2::int, $3::int) n`,
          [tenant.organisation.id, from, to],
        );
      await insert(1, 999);
      expect(await numberOf()).to.equal("1000");
      await put({ client_number_next_seq: 1 });
      const answer = await create();
      expect(refusalOf(answer)).to.deep.equal([409, "conflict", null]);
      expect(answer.body.error.message).to.equal("errors.companies.client_number_exhausted");
      expect((await tenant.owner.get("/companies?limit=1")).body.total).to.equal(1000);
      expect((await tenant.owner.get(SETTINGS)).body.client_number_next_seq).to.equal(1);
    });

    it("are exhausted where the next one no longer fits 40 characters", async () => {
      const stem = "x".repeat(39);
      await put({ client_number_format: `${stem}{seq}`, client_number_next_seq: 9 });
      expect(await numberOf()).to.equal(`${stem}9`);
      expect((await create()).body.error.message).to.equal("errors.companies.client_number_exhausted");
    });

    it("belong to one organisation", async () => {
      const other = await service.tenant();
      await create({ client_number: "SAME" });
      expect((await other.company({ client_number: "SAME" }))["client_number"]).to.equal("SAME");
      expect((await other.company())["client_number"]).to.equal("0001");
    });
  });

  describe("over the years", () => {
    it("restart at 1 with the organisation's own year, not UTC's", async () => {
      await put({ client_number_reset_yearly: true, client_number_format: "{year}-{seq}" });
      expect(await at("2030-12-31T22:30:00Z", () => numberOf())).to.equal("2030-1");
      expect(await at("2030-12-31T22:59:59Z", () => numberOf())).to.equal("2030-2");
      expect(await at("2030-12-31T23:30:00Z", () => numberOf())).to.equal("2031-1");
      await service.sql.query("update organisations set timezone = 'America/New_York' where id = $1", [tenant.organisation.id]);
      expect(await at("2031-12-31T23:30:00Z", () => numberOf())).to.equal("2031-2");
      expect((await tenant.owner.get(SETTINGS)).body).to.include({ client_number_seq_year: 2031, client_number_next_seq: 3 });
    });

    it("go on without the reset, and before a first allocation", async () => {
      await put({ client_number_next_seq: 8 });
      expect(await at("2030-06-01T00:00:00Z", () => numberOf())).to.equal("0008");
      expect(await at("2031-06-01T00:00:00Z", () => numberOf())).to.equal("0009");
    });

    it("survive an unknown zone", async () => {
      await service.sql.query("update organisations set timezone = 'Nowhere/City' where id = $1", [tenant.organisation.id]);
      expect(await numberOf()).to.equal("0001");
    });
  });

  describe("on update", () => {
    it("may be re-sent, changed to a free one, and not to another company's", async () => {
      const [one, other] = [await tenant.company(), await tenant.company()];
      const patch = (client_number: string | null) => tenant.owner.patch(`/companies/${one.id}`, { client_number });
      expect((await patch("0001")).status).to.equal(200);
      expect((await patch("X")).body.client_number).to.equal("X");
      expect(refusalOf(await patch(other["client_number"] as string))).to.deep.equal(taken);
    });

    it("are cleared to null and not allocated again", async () => {
      const { id } = await tenant.company();
      for (const client_number of [null, " "]) {
        await tenant.owner.patch(`/companies/${id}`, { client_number: "X" });
        expect((await tenant.owner.patch(`/companies/${id}`, { client_number })).body.client_number).to.equal(null);
      }
    });

    it("are unique even against a company the caller cannot see", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [seen.id], [admin.membershipId]);
      const answer = await admin.patch(`/companies/${seen.id}`, { client_number: hidden["client_number"] });
      expect(refusalOf(answer)).to.deep.equal(taken);
    });
  });

  describe("at the same moment", () => {
    it("are 30 different ones for 30 creates", async () => {
      const numbers = await Promise.all(Array.from({ length: 30 }, () => numberOf()));
      const expected = Array.from({ length: 30 }, (_, index) => String(index + 1).padStart(4, "0"));
      expect([...numbers].sort()).to.deep.equal(expected);
    });

    it("go to one of two creates that ask for the same", async () => {
      const answers = await Promise.all([create({ client_number: "ONE" }), create({ client_number: "ONE" })]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      expect(refusalOf(answers.find(({ status }) => status === 409) as never)).to.deep.equal(taken);
    });

    it("go to one of a create and an update that ask for the same", async () => {
      const { id } = await tenant.company();
      const answers = await Promise.all([
        create({ client_number: "ONE" }),
        tenant.owner.patch(`/companies/${id}`, { client_number: "ONE" }),
      ]);
      expect(answers.filter(({ status }) => status === 409)).to.have.lengthOf(1);
    });

    it("never refuse a create without a number, for any typed numbers", async () => {
      const calls = Array.from({ length: 15 }, (_, index) => [
        numberOf(),
        numberOf({ client_number: String(index + 1).padStart(4, "0") }).then(() => "typed"),
      ]).flat();
      const numbers = (await Promise.all(calls)).filter((number) => number !== "typed");
      for (const number of numbers) expect(number).to.be.a("string");
      expect(new Set(numbers)).to.have.property("size", 15);
    });
  });
});
