import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { refused, unfit } from "../../../support/answers.ts";
import type { Tenant } from "../../../support/service.ts";
import { type AgreementService, sharedAgreementService } from "../../money/agreements/agreement-records.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { makeDomain } from "./domain-records.ts";

const PATH = "/domains/tld-prices";

describe("the prices of TLDs (assets §3)", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-06-10");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const put = (tld: string, amount: number | string, valid_from?: string) =>
    tenant.owner.post(PATH, { tld, amount, ...(valid_from !== undefined && { valid_from }) });
  const price = async (tld: string, amount: number | string, valid_from?: string): Promise<Body> =>
    bodyOf(await put(tld, amount, valid_from));
  const groups = async (): Promise<Body[]> => bodyOf(await tenant.owner.get(PATH));
  const group = async (tld: string): Promise<Body> => (await groups()).find((one) => one.tld === tld);
  const raise = (body: object, door = "") => tenant.owner.post(`${PATH}/price-increase${door}`, body);
  const raised = async (body: object, door = ""): Promise<Body[]> => bodyOf(await raise(body, door)).items;

  describe("POST", () => {
    it("begins today unless said otherwise, and corrects the row of its day in place", async () => {
      const first = await price(" .NL. ", 9.95);
      expect(first).to.deep.equal({ id: first.id, tld: "nl", amount: "9.95", currency: "EUR", valid_from: "2026-06-10" });
      const again = await price("nl", "10.25");
      expect(again).to.deep.equal({ ...first, amount: "10.25" });
      expect((await price("nl", 11, "2026-06-11")).id).not.to.equal(first.id);
      expect((await group("nl")).history).to.deep.equal([again]);
    });

    it("keeps the currency of a row it corrects, and takes the organisation's for another", async () => {
      const { id } = await price("nl", 1, "2026-01-01");
      await service.sql.query("update tld_prices set currency = 'USD' where id = $1", [id]);
      expect((await price("nl", 2, "2026-01-01")).currency).to.equal("USD");
      expect((await price("nl", 2, "2026-02-01")).currency).to.equal("EUR");
    });

    it("refuses an invalid TLD, and an invalid price", async () => {
      for (const tld of ["n_l", "-nl", "...", "a".repeat(129)])
        expect(refused(await put(tld, 1)), tld).to.deep.equal(unfit({ tld: "errors.validation" }));
      for (const amount of [-1, "1e3", "10000000000"])
        expect(refused(await put("nl", amount))).to.deep.equal(unfit({ amount: "errors.validation" }));
    });
  });

  it("are increased in the currency that they are increased from, also on a day that has a row of another", async () => {
    await price("nl", 10, "2026-01-01");
    const { id } = await price("nl", 12, "2026-09-01");
    await service.sql.query("update tld_prices set currency = 'USD' where id = $1", [id]);
    const [item] = await raised({ mode: "percent", value: 10, valid_from: "2026-09-01" });
    expect(item).to.include({ currency: "EUR", current_amount: "10.00", new_amount: "11.00" });
    expect((await group("nl")).upcoming).to.deep.equal([
      { id, tld: "nl", amount: "11.00", currency: "EUR", valid_from: "2026-09-01" },
    ]);
  });

  it("are listed with `updated_since` where a price was set or corrected, each with all its prices", async () => {
    await price("com", 8);
    await price("nl", 9, "2025-01-01");
    await price("nl", 10);
    await makeDomain(tenant, { name: "unpriced.be" });
    await service.sql.query("update tld_prices set updated_at = '2026-01-01T10:00:00Z' where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    const since = async (at: string): Promise<string[]> => {
      const answer = await tenant.owner.get(`${PATH}?updated_since=${at}`);
      expect(answer.headers["updated-until"]).to.be.a("string");
      return bodyOf(answer).map(({ tld, history }: Body) => `${tld} ${history.length}`);
    };
    expect(await since("2026-01-01T10:00:00Z")).to.deep.equal(["com 1", "nl 2"]);
    expect(await since("2026-01-01T10:00:00.001Z")).to.deep.equal([]);
    await price("nl", 11, "2025-01-01");
    expect(await since("2026-01-01T10:00:00.001Z")).to.deep.equal(["nl 2"]);
    expect(refused(await tenant.owner.get(`${PATH}?updated_since=yesterday`))).to.deep.equal(
      unfit({ updated_since: "errors.validation" }),
    );
  });

  it("are listed by TLD: current, coming and past prices, and TLDs of domains without any", async () => {
    const rows = [
      await price("nl", 8, "2025-01-01"),
      await price("nl", 9.95, "2026-06-10"),
      await price("nl", 11, "2026-08-01"),
      await price("nl", 10, "2026-07-01"),
    ];
    const company_id = (await tenant.company()).id;
    for (const name of ["a.nl", "b.nl", "winkel.museum"]) await makeDomain(tenant, { name, company_id });
    await makeDomain(tenant, { name: "c.nl", company_id, status: "inactive", price_override: 3 });
    await price("aero", 90, "2027-01-01");
    const [old, current, second, soonest] = rows;
    expect(await groups()).to.deep.equal([
      {
        tld: "aero",
        currency: "EUR",
        domain_count: 0,
        current: null,
        upcoming: [(await group("aero")).upcoming[0]],
        history: [],
      },
      { tld: "museum", currency: "EUR", domain_count: 1, current: null, upcoming: [], history: [] },
      { tld: "nl", currency: "EUR", domain_count: 3, current, upcoming: [soonest, second], history: [current, old] },
    ]);
  });

  it("count the domains that a restricted caller sees, and name no TLD of the others", async () => {
    const [seen, hidden] = [await makeDomain(tenant, { name: "a.nl" }), await makeDomain(tenant, { name: "b.geheim" })];
    const member = await tenant.member("admin");
    await tenant.group("own", [seen.company_id], [member.membershipId as string]);
    expect(bodyOf(await member.get(PATH)).map(({ tld, domain_count }: Body) => [tld, domain_count])).to.deep.equal([["nl", 1]]);
    expect(hidden.tld).to.equal("geheim");
  });

  it("show on a domain the one that counts today; its own goes first, in the currency of the TLD", async () => {
    // The database's own today: a list asks it there.
    const today = (await service.sql.query("select current_date::text as today")).rows[0].today;
    await price("shop", 31, addDays(today, -30));
    await price("shop", 35.25, addDays(today, 2));
    const shown = async (values: object) => {
      const { resolved_price, resolved_currency } = await makeDomain(tenant, values);
      return [resolved_price, resolved_currency];
    };
    expect(await shown({ name: "a.shop" })).to.deep.equal(["31.00", "EUR"]);
    expect(await shown({ name: "b.shop", price_override: 18.4 })).to.deep.equal(["18.40", "EUR"]);
    expect(await shown({ name: "winkel.museum" })).to.deep.equal([null, null]);
    expect(await shown({ name: "b.museum", price_override: 60 })).to.deep.equal(["60.00", "EUR"]);
  });

  it("are deleted one by one", async () => {
    const { id } = await price("nl", 9.95);
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(404);
    expect(await groups()).to.deep.equal([]);
    const foreign = await service.tenant();
    const row = bodyOf(await foreign.owner.post(PATH, { tld: "nl", amount: 1 }));
    expect((await tenant.owner.delete(`${PATH}/${row.id}`)).status).to.equal(404);
  });

  describe("an increase", () => {
    it("run again on its day replaces and never compounds (assets §13.3)", async () => {
      await price("nl", 9.95, "2026-01-01");
      const ten = { mode: "percent", value: 10, valid_from: "2026-09-01" };
      const item = { tld: "nl", currency: "EUR", current_amount: "9.95", new_amount: "10.95", domain_count: 0 };
      expect(await raised(ten, "/preview")).to.deep.equal([item]);
      expect((await group("nl")).upcoming).to.deep.equal([]);
      expect(await raised(ten)).to.deep.equal([item]);
      const [first] = (await group("nl")).upcoming;
      expect(await raised(ten)).to.deep.equal([item]);
      const upcoming = async () => (await group("nl")).upcoming.map(({ id, amount }: Body) => [id, amount]);
      expect(await upcoming()).to.deep.equal([[first.id, "10.95"]]);
      const four = { mode: "percent", value: 4, valid_from: "2026-09-01" };
      expect((await raised(four))[0].new_amount).to.equal("10.35");
      expect(await upcoming()).to.deep.equal([[first.id, "10.35"]]);
      const october = (await raised({ ...ten, valid_from: "2026-10-01" }))[0];
      expect([october.current_amount, october.new_amount]).to.deep.equal(["10.35", "11.39"]);
      expect((await raised(four))[0].new_amount).to.equal("10.35");
      expect((await upcoming()).map(([, amount]: string[]) => amount)).to.deep.equal(["10.35", "11.39"]);
    });

    for (const [base, mode, value, wanted] of [
      ["10.10", "percent", 5, "10.61"],
      ["1.00", "percent", "0.5", "1.01"],
      ["0.30", "amount", "-0.45", "0.00"],
      ["9.95", "set", "12.345", "12.35"],
      ["9.95", "set", -5, "0.00"],
    ] as const)
      it(`of ${base} by ${mode} ${value} is ${wanted} (assets §13.2)`, async () => {
        await price("nl", base, "2026-01-01");
        expect((await raised({ mode, value, valid_from: "2026-09-01" }))[0].new_amount).to.equal(wanted);
        expect((await group("nl")).upcoming[0].amount).to.equal(wanted);
      });

    it("starts from the row of its day if none is before, skips TLDs without either, and writes no unchanged row", async () => {
      await price("aa", 10, "2026-09-01");
      await price("bb", 10, "2026-10-01");
      await price("cc", 10, "2026-01-01");
      const items = await raised({ mode: "set", value: 10, valid_from: "2026-09-01" });
      expect(items.map(({ tld, current_amount }) => [tld, current_amount])).to.deep.equal([
        ["aa", "10.00"],
        ["cc", "10.00"],
      ]);
      expect((await group("cc")).upcoming).to.deep.equal([]);
      await raised({ mode: "percent", value: 50, valid_from: "2026-09-01", tld: "aa" });
      expect((await group("aa")).upcoming.map(({ amount }: Body) => amount)).to.deep.equal(["15.00"]);
    });

    it("names the currency of its base, and the domains it is the price of", async () => {
      const { id } = await price("nl", 10, "2026-01-01");
      await service.sql.query("update tld_prices set currency = 'USD' where id = $1", [id]);
      const company_id = (await tenant.company()).id;
      for (const values of [{}, { status: "parked" }, { status: "expired" }, { price_override: 3 }])
        await makeDomain(tenant, { name: `${randomUUID()}.nl`, company_id, ...values });
      const [item] = await raised({ mode: "amount", value: 1, valid_from: "2026-09-01", tld: " NL " });
      expect(item).to.include({ currency: "USD", domain_count: 2 });
      expect((await group("nl")).upcoming[0].currency).to.equal("USD");
    });

    it("is refused for a TLD without any price, and for values it cannot have", async () => {
      await makeDomain(tenant, { name: "winkel.museum" });
      const body = { mode: "percent", value: 5, valid_from: "2026-09-01" };
      expect(refused(await raise({ ...body, tld: "museum" }))).to.deep.equal([404, "not_found", "errors.not_found"]);
      expect(await raised(body)).to.deep.equal([]);
      for (const mode of ["percent", "amount", "set"])
        expect(refused(await raise({ ...body, mode, value: -100 }))).to.deep.equal(unfit({ value: "errors.validation" }));
      expect(refused(await raise({ ...body, tld: "n_l" }))).to.deep.equal(unfit({ tld: "errors.validation" }));
      await price("nl", "9999999999.99", "2026-01-01");
      expect(refused(await raise(body))).to.deep.equal(unfit({ value: "errors.validation" }));
    });
  });
});
