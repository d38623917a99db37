import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf, refusalOf } from "./company-records.ts";

describe("assignees of a company", () => {
  let service: TestService;
  let tenant: Tenant;
  let [anna, bob, carl]: Caller[] = [];
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
    tenant = await service.tenant();
    [anna, bob, carl] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
  });
  after(() => service.stop());

  const one = (caller: Caller | undefined, is_primary?: boolean) => ({
    user_id: caller?.accountId,
    ...(is_primary !== undefined && { is_primary }),
  });
  /** `anna* bob` of an answer. */
  const read = (company: Record<string, unknown>): string =>
    (company["assignees"] as { user_id: string; is_primary: boolean }[])
      .map(({ user_id: id, is_primary: primary }) => {
        const name = id === anna?.accountId ? "anna" : id === bob?.accountId ? "bob" : "carl";
        return `${name}${primary ? "*" : ""}`;
      })
      .join(" ");
  const patch = (id: string, body: unknown) => tenant.owner.patch(`/companies/${id}`, body);

  it("come primary first, then in the order they were linked", async () => {
    const company = await tenant.company({ assignees: [one(carl), one(anna), one(bob, true)] });
    expect(read(company)).to.equal("bob* carl anna");
    expect(company["responsible_user_id"]).to.equal(bob?.accountId);
    expect(read((await patch(company.id, { assignees: [one(bob), one(anna, true), one(carl)] })).body)).to.equal(
      "anna* carl bob",
    );
  });

  it("are replaced whole, emptied by [], the first one primary without a claim", async () => {
    const { id } = await tenant.company({ assignees: [one(anna), one(bob)] });
    const replaced = (await patch(id, { assignees: [one(carl), one(bob)] })).body;
    expect(read(replaced)).to.equal("carl* bob");
    expect(replaced.responsible_user_id).to.equal(carl?.accountId);
    expect((await patch(id, { assignees: [] })).body).to.deep.include({ assignees: [], responsible_user_id: null });
  });

  it("collapse when repeated and keep a claim", async () => {
    const company = await tenant.company({ assignees: [one(anna), one(bob, true), one(anna), one(bob)] });
    expect(read(company)).to.equal("bob* anna");
  });

  it("refuse more than one primary with 400", async () => {
    const assignees = [one(anna, true), one(bob, true)];
    expect(refusalOf(await tenant.owner.post("/companies", { name: "P", assignees }))).to.deep.equal([
      400,
      "multiple_primary_assignees",
      null,
    ]);
    const company = await tenant.company({ assignees: [one(anna)] });
    expect((await patch(company.id, { assignees, city: "Ede" })).body.error.code).to.equal("multiple_primary_assignees");
    expect((await tenant.owner.get(`/companies/${company.id}`)).body).to.deep.equal(company);
  });

  it("refuse a non-member with 400, and nothing is written", async () => {
    const stranger = (await service.tenant()).owner.accountId;
    const before = (await tenant.owner.get("/companies?limit=1")).body.total;
    for (const body of [{ assignees: [one(anna), { user_id: stranger }] }, { responsible_user_id: stranger }]) {
      expect(refusalOf(await tenant.owner.post("/companies", { name: "S", ...body }))).to.deep.equal([
        400,
        "invalid_assignee",
        null,
      ]);
      const company = await tenant.company({ assignees: [one(anna)] });
      expect(refusalOf(await patch(company.id, { ...body, city: "Ede" }))).to.deep.equal([400, "invalid_assignee", null]);
      expect((await tenant.owner.get(`/companies/${company.id}`)).body).to.deep.equal(company);
    }
    expect((await tenant.owner.get("/companies?limit=1")).body.total).to.equal(before + 2);
  });

  it("keep a former member through other changes, and refuse to star one", async () => {
    const former = await tenant.member("member");
    const company = await tenant.company({ assignees: [one(anna), { user_id: former.accountId }] });
    expect((await tenant.owner.delete(`/members/${former.membershipId}`)).status).to.equal(204);
    const refused = [400, "invalid_assignee", null];
    expect(refusalOf(await patch(company.id, { responsible_user_id: former.accountId }))).to.deep.equal(refused);
    expect(refusalOf(await patch(company.id, { assignees: [{ user_id: former.accountId }] }))).to.deep.equal(refused);
    const kept = await patch(company.id, { assignees: [one(anna), { user_id: former.accountId }, one(bob)] });
    expect(kept.body.assignees).to.have.length(3);
    expect(kept.body.responsible_user_id).to.equal(anna?.accountId);
  });

  it("lose a deleted account, which touches the company", async () => {
    const gone = await tenant.member("member");
    const company = await tenant.company({ assignees: [one(gone)] });
    const read = () => tenant.owner.get(`/companies/${company.id}`);
    const { headers } = await read();
    await service.sql.query("delete from accounts where id = $1", [gone.accountId]);
    const after = await read();
    expect(after.body).to.deep.include({ assignees: [], responsible_user_id: null });
    expect(after.headers["etag"]).not.to.equal(headers["etag"]);
    expect(after.body.updated_at > (company["updated_at"] as string)).to.equal(true);
  });

  describe("responsible_user_id", () => {
    it("alone on create is one primary", async () => {
      const company = await tenant.company({ responsible_user_id: bob?.accountId });
      expect(read(company)).to.equal("bob*");
      expect(company["responsible_user_id"]).to.equal(bob?.accountId);
    });

    it("alone on PATCH moves the star, adds who is absent, and keeps the former primary", async () => {
      const { id } = await tenant.company({ assignees: [one(anna), one(bob)] });
      expect(read((await patch(id, { responsible_user_id: bob?.accountId })).body)).to.equal("bob* anna");
      expect(read((await patch(id, { responsible_user_id: carl?.accountId })).body)).to.equal("carl* anna bob");
    });

    it("null on PATCH demotes and promotes nobody", async () => {
      const { id } = await tenant.company({ assignees: [one(anna), one(bob)] });
      const { body } = await patch(id, { responsible_user_id: null });
      expect(read(body)).to.equal("anna bob");
      expect(body.responsible_user_id).to.equal(null);
    });

    it("gives way to assignees when both are sent", async () => {
      const both = { assignees: [one(anna)], responsible_user_id: bob?.accountId };
      expect(read(await tenant.company(both))).to.equal("anna*");
      const { id } = await tenant.company();
      expect(read((await patch(id, both)).body)).to.equal("anna*");
      expect(read((await patch(id, { assignees: [], responsible_user_id: bob?.accountId })).body)).to.equal("");
    });
  });

  it("have one primary in every race", async () => {
    const { id } = await tenant.company({ assignees: [one(anna), one(bob), one(carl)] });
    const people = Array.from({ length: 18 }, (_, index) => [anna, bob, carl][index % 3]?.accountId);
    const answers = await Promise.all(people.map((person) => patch(id, { responsible_user_id: person })));
    expect(answers.map(({ status }) => status)).to.deep.equal(people.map(() => 200));
    for (const [index, { body }] of answers.entries()) expect(body.responsible_user_id).to.equal(people[index]);
    const { rows } = await service.sql.query("select 1 from company_assignees where company_id = $1 and is_primary", [id]);
    expect(rows).to.have.lengthOf(1);
  });

  it("can have no second primary in the database either", async () => {
    const { id } = await tenant.company({ assignees: [one(anna), one(bob)] });
    const second = service.sql.query("update company_assignees set is_primary = true where company_id = $1", [id]);
    expect((await second.catch((error: Error) => error)) as unknown).to.have.property("code", "23505");
  });

  it("can be set by a service account, although it cannot be an assignee", async () => {
    const account = await tenant.serviceAccount(["companies.company.read", "companies.company.write"]);
    const made = await account.post("/companies", { name: "By machine", responsible_user_id: anna?.accountId });
    expect(made.status).to.equal(201);
    expect((await account.post("/companies", { name: "Its own", responsible_user_id: account.accountId })).status).to.equal(400);
  });

  describe("GET /companies?mine=true", () => {
    it("gives the companies whose roster holds the caller, starred or not", async () => {
      const mine = await service.tenant();
      const [me, she] = [mine.owner, await mine.member("member")];
      await mine.company({ name: "Starred", assignees: [one(me)] });
      await mine.company({ name: "Plain", assignees: [one(she), one(me)] });
      await mine.company({ name: "Hers", assignees: [one(she)] });
      await mine.company({ name: "Nobody's" });
      const names = async (caller: Caller, query: string) => (await caller.get(`/companies?${query}`)).body;
      const found = await names(me, "mine=true");
      expect(found.items.map(({ name }: { name: string }) => name)).to.deep.equal(["Plain", "Starred"]);
      expect(found.total).to.equal(2);
      expect((await names(me, "mine=true&q=arr")).items).to.have.lengthOf(1);
      expect((await names(me, "mine=false")).total).to.equal(4);
      expect((await names(she, "mine=1")).total).to.equal(2);
      const machine = await mine.serviceAccount(["companies.company.read"]);
      expect((await names(machine, "mine=true")).total).to.equal(0);
    });
  });

  it("notify only the added people, and nobody on create", async () => {
    const { id } = await tenant.company({ assignees: [one(anna)] });
    await patch(id, { assignees: [one(anna), one(bob), one(carl)] });
    await patch(id, { assignees: [one(carl), one(bob)] });
    await patch(id, { responsible_user_id: bob?.accountId });
    await patch(id, { responsible_user_id: anna?.accountId });
    const assigned = (await eventsOf(service.sql, id)).filter(({ event }) => event === "company.assigned");
    expect(assigned.map(({ payload }) => payload["recipients"])).to.deep.equal([
      [bob?.accountId, carl?.accountId],
      [anna?.accountId],
    ]);
  });
});
