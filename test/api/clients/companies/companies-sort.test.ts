import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { namesOf } from "./company-records.ts";

describe("GET /companies?sort", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const sorted = async (tenant: Tenant, sort: string, more = "") =>
    namesOf(await tenant.owner.get(`/companies?sort=${sort}${more}`));
  /** The same through the list and through the search. */
  async function both(tenant: Tenant, sort: string): Promise<string[]> {
    const [listed, searched] = [await sorted(tenant, sort), await sorted(tenant, sort, "&q=x")];
    expect(searched, `search by ${sort}`).to.deep.equal(listed);
    return listed;
  }

  it("orders names as people do: accents count after letters, case not at all", async () => {
    const tenant = await service.tenant();
    const names = ["Zx", "Everest x", "estée x", "Estée Lauder x", "Essex Property Trust x", "éa x", "ESTEE x", "Ab x", "aa x"];
    for (const name of names) await tenant.company({ name });
    expect(await both(tenant, "name")).to.deep.equal([
      "aa x",
      "Ab x",
      "éa x",
      "Essex Property Trust x",
      "Estée Lauder x",
      "ESTEE x",
      "estée x",
      "Everest x",
      "Zx",
    ]);
  });

  it("orders ties of names by id, and reverses both", async () => {
    const tenant = await service.tenant();
    const ids: string[] = [];
    for (const name of ["same x", "SAME x", "Same x", "other x"]) ids.push((await tenant.company({ name })).id);
    expect(await both(tenant, "name")).to.deep.equal(["other x", "same x", "SAME x", "Same x"]);
    expect(await both(tenant, "-name")).to.deep.equal(["Same x", "SAME x", "same x", "other x"]);
    expect(ids).to.deep.equal([...ids].sort());
  });

  it("puts empty client numbers last in both directions, ties by name", async () => {
    const tenant = await service.tenant();
    await tenant.owner.put("/companies/settings", { client_number_auto: false });
    for (const [name, client_number] of [["c x"], ["b x", "B2"], ["a x"], ["d x", "a1"], ["e x", "10"]] as [string, string?][])
      await tenant.company({ name, client_number: client_number ?? null });
    expect(await both(tenant, "client_number")).to.deep.equal(["e x", "d x", "b x", "a x", "c x"]);
    expect(await both(tenant, "-client_number")).to.deep.equal(["b x", "d x", "e x", "a x", "c x"]);
  });

  it("orders by status with ties by name in both directions", async () => {
    const tenant = await service.tenant();
    for (const [name, status] of [
      ["b x", "lead"],
      ["a x", "lead"],
      ["c x", "archived"],
      ["d x", "active"],
    ])
      await tenant.company({ name, status });
    expect(await both(tenant, "status")).to.deep.equal(["d x", "c x", "a x", "b x"]);
    expect(await both(tenant, "-status")).to.deep.equal(["a x", "b x", "c x", "d x"]);
  });

  it("orders by creation and by change", async () => {
    const tenant = await service.tenant();
    const ids = new Map<string, string>();
    for (const name of ["b x", "c x", "a x"]) ids.set(name, (await tenant.company({ name })).id);
    await tenant.owner.patch(`/companies/${ids.get("b x")}`, { city: "Ede" });
    expect(await both(tenant, "created_at")).to.deep.equal(["b x", "c x", "a x"]);
    expect(await both(tenant, "-created_at")).to.deep.equal(["a x", "c x", "b x"]);
    expect(await both(tenant, "updated_at")).to.deep.equal(["c x", "a x", "b x"]);
    expect(await both(tenant, "-updated_at")).to.deep.equal(["b x", "a x", "c x"]);
    await service.sql.query("update companies set created_at = '2026-01-01' where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    for (const sort of ["created_at", "-created_at"]) expect(await both(tenant, sort)).to.deep.equal(["a x", "b x", "c x"]);
  });

  it("orders by the primary's full name, else e-mail, those without last in both directions", async () => {
    const tenant = await service.tenant();
    const [zed, eve, nameless] = [
      await tenant.member("member", { name: "Zed" }),
      await tenant.member("member", { name: "éve" }),
      await tenant.member("member", { name: "" }),
    ];
    const person = (caller: { accountId: string }) => ({ user_id: caller.accountId });
    await tenant.company({ name: "1 x", assignees: [person(zed), person(eve)] });
    await tenant.company({ name: "2 x", assignees: [person(eve), person(zed), person(nameless)] });
    await tenant.company({ name: "3 x", assignees: [person(nameless)] });
    await tenant.company({ name: "5 x" });
    const starless = await tenant.company({ name: "4 x", assignees: [person(eve)] });
    await tenant.owner.patch(`/companies/${starless.id}`, { responsible_user_id: null });
    await tenant.company({ name: "0 x", assignees: [person(zed)] });
    expect(nameless.email).to.match(/^member/);
    expect(await both(tenant, "assignee")).to.deep.equal(["2 x", "3 x", "0 x", "1 x", "4 x", "5 x"]);
    expect(await both(tenant, "-assignee")).to.deep.equal(["0 x", "1 x", "3 x", "2 x", "4 x", "5 x"]);
    const { body } = await tenant.owner.get("/companies?sort=assignee");
    expect(body.total).to.equal(6);
  });

  it("pages through 120 rows with equal keys without losing or repeating one", async () => {
    const tenant = await service.tenant();
    await service.sql.query(
      `insert into companies (id, organisation_id, name, created_at, updated_at)
       select gen_random_uuid(), $1, 'same x', '2026-01-01', '2026-01-01' from generate_series(1, 120)`,
      [tenant.organisation.id],
    );
    for (const sort of [
      "name",
      "-name",
      "client_number",
      "-client_number",
      "status",
      "-status",
      "created_at",
      "-updated_at",
      "assignee",
    ])
      for (const q of ["", "&q=same"]) {
        const pages = await Promise.all(
          [0, 50, 100].map((offset) => tenant.owner.get(`/companies?sort=${sort}&limit=50&offset=${offset}${q}`)),
        );
        const ids = pages.flatMap(({ body }) => body.items.map(({ id }: { id: string }) => id));
        expect(ids, `${sort}${q}`).to.have.lengthOf(120);
        const inOrder = [...ids].sort();
        expect(ids, `${sort}${q}`).to.deep.equal(sort === "-name" ? inOrder.reverse() : inOrder);
      }
  });

  it("serves every sort with every filter at once", async () => {
    const tenant = await service.tenant();
    await tenant.company({ name: "x", status: "lead", assignees: [{ user_id: tenant.owner.accountId }] });
    const filters = "status=lead&mine=true&updated_since=2026-01-01T00:00:00Z";
    for (const key of ["name", "client_number", "status", "created_at", "updated_at", "assignee"])
      for (const sort of [key, `-${key}`])
        for (const q of ["", "&q=x"]) expect(await sorted(tenant, sort, `&${filters}${q}`), `${sort}${q}`).to.deep.equal(["x"]);
  });
});
