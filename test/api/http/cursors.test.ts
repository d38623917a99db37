import { readFileSync } from "node:fs";
import { expect } from "chai";
import sinon from "sinon";
import { conditionsBehind, formOf, valuesOf } from "../../../core/database/lists/position.ts";
import type { Answer } from "../../support/http.ts";
import { delta } from "../../support/poller.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const HOUR = 3_600_000;
const INVALID = { cursor: "errors.cursor_invalid" };

describe("a cursor", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService("clock");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    for (const name of ["a", "b", "c", "d", "e", "f"]) await tenant.company({ name });
  });
  afterEach(() => sinon.restore());
  after(() => service.stop());

  const names = ({ body }: Answer): string[] => body.items.map(({ name }: { name: string }) => name);
  const behind = (caller: Caller, address: string, { body }: Answer): Promise<Answer> =>
    caller.get(`${address}&cursor=${encodeURIComponent(body.next_cursor)}`);
  const fieldsOf = ({ status, body }: Answer) => ({ status, fields: body.error?.fields });

  it("walks through a list, and the last page has none", async () => {
    const address = "/companies?limit=4&sort=-name";
    const first = await tenant.owner.get(address);
    expect(first.body).to.include({ total: 6, limit: 4, offset: 0 });
    expect(first.body.next_cursor).to.be.a("string");
    const last = await behind(tenant.owner, address, first);
    expect([names(first), names(last)]).to.deep.equal([
      ["f", "e", "d", "c"],
      ["b", "a"],
    ]);
    expect(last.body).to.include({ total: 6, offset: 0, next_cursor: null });
    expect((await tenant.owner.get("/companies?limit=6")).body.next_cursor).to.equal(null);
    expect((await tenant.owner.get("/companies?limit=3&offset=3")).body.next_cursor).to.equal(null);
  });

  it("goes on behind an offset, too, and costs no statement", async () => {
    const address = "/companies?limit=2&sort=name&count=false";
    const first = await tenant.owner.get(`${address}&offset=1`);
    const next = await behind(tenant.owner, address, first);
    expect([names(first), names(next)]).to.deep.equal([
      ["b", "c"],
      ["d", "e"],
    ]);
    expect(next.statements).to.equal(1);
  });

  it("shows a row that stays as it is exactly once, however others change", async () => {
    const address = "/companies?limit=2&sort=name";
    const first = await tenant.owner.get(address);
    const [a, b] = first.body.items;
    await tenant.owner.delete(`/companies/${a.id}`);
    await tenant.owner.patch(`/companies/${b.id}`, { name: "z" });
    await tenant.company({ name: "aa" });
    await tenant.company({ name: "cc" });
    const second = await behind(tenant.owner, address, first);
    const third = await behind(tenant.owner, address, second);
    const fourth = await behind(tenant.owner, address, third);
    expect([first, second, third, fourth].map(names)).to.deep.equal([
      ["a", "b"],
      ["c", "cc"],
      ["d", "e"],
      ["f", "z"],
    ]);
    expect(fourth.body.next_cursor).to.equal(null);
  });

  it("is bound to the organisation, the caller, the list and every other parameter", async () => {
    const address = "/companies?limit=2&sort=name&status=active";
    const { next_cursor } = (await tenant.owner.get(address)).body;
    const cursor = `cursor=${encodeURIComponent(next_cursor)}`;
    const [colleague, other] = [await tenant.member("owner"), await service.tenant()];
    expect((await tenant.owner.get(`${address}&${cursor}`)).status).to.equal(200);
    expect((await tenant.owner.get(`/companies?status=active&offset=0&limit=2&${cursor}&sort=name`)).status).to.equal(200);
    for (const [what, answer] of Object.entries({
      "another limit": await tenant.owner.get(`/companies?limit=3&sort=name&status=active&${cursor}`),
      "another order": await tenant.owner.get(`/companies?limit=2&sort=-name&status=active&${cursor}`),
      "no filter": await tenant.owner.get(`/companies?limit=2&sort=name&${cursor}`),
      "another filter": await tenant.owner.get(`/companies?limit=2&sort=name&status=lead&${cursor}`),
      "a search": await tenant.owner.get(`${address}&q=a&${cursor}`),
      "an offset": await tenant.owner.get(`${address}&offset=2&${cursor}`),
      "another list": await tenant.owner.get(`/domains?limit=2&sort=name&status=active&${cursor}`),
      "another caller": await colleague.get(`${address}&${cursor}`),
      "another organisation": await other.owner.get(`${address}&${cursor}`),
      "a changed character": await tenant.owner.get(`${address}&cursor=${next_cursor.slice(0, -2)}AA`),
      "no cursor at all": await tenant.owner.get(`${address}&cursor=x`),
    }))
      expect(fieldsOf(answer), what).to.deep.equal({ status: 422, fields: INVALID });
  });

  it("is good for 24 hours", async () => {
    const address = "/companies?limit=2&sort=name";
    const first = await tenant.owner.get(address);
    const now = Date.now();
    sinon.useFakeTimers({ now: now + 23 * HOUR, toFake: ["Date"] });
    expect((await behind(tenant.owner, address, first)).status).to.equal(200);
    sinon.restore();
    sinon.useFakeTimers({ now: now + 25 * HOUR, toFake: ["Date"] });
    expect(fieldsOf(await behind(tenant.owner, address, first))).to.deep.equal({ status: 422, fields: INVALID });
  });

  it("ends with what its caller may do and see", async () => {
    const address = "/companies?limit=2&sort=name";
    const member = await tenant.member("admin");
    const first = await member.get(address);
    await tenant.group("Few", [first.body.items[0].id], [member.membershipId]);
    const { status, body } = await behind(member, address, first);
    expect([status, body.error.code, body.error.message]).to.deep.equal([410, "gone", "errors.sync_too_old"]);
  });

  it("walks through changed rows in the order of their change, whatever `sort` says", async () => {
    const { id } = (await tenant.owner.get("/companies?q=b")).body.items[0];
    expect((await tenant.owner.patch(`/companies/${id}`, { city: "Utrecht" })).status).to.equal(200);
    const since = "updated_since=1970-01-01T00:00:00Z";
    const address = `/companies?limit=4&sort=-name&${since}`;
    const first = await tenant.owner.get(address);
    const last = await behind(tenant.owner, address, first);
    expect([names(first), names(last)]).to.deep.equal([
      ["a", "c", "d", "e"],
      ["f", "b"],
    ]);
    expect((await tenant.owner.get(`/companies?sort=nothing&${since}`)).status).to.equal(400);
  });

  it("comes to the end of a delta with the Updated-Until of its beginning, which no other page has", async () => {
    const since = "updated_since=1970-01-01T00:00:00Z";
    const until = ({ headers }: Answer) => headers["updated-until"];
    const address = `/companies?limit=4&${since}`;
    const first = await tenant.owner.get(address);
    const late = (await tenant.company({ name: "late" })) as { updated_at?: string };
    const last = await behind(tenant.owner, address, first);
    expect([until(first), first.body.next_cursor === null]).to.deep.equal([undefined, false]);
    expect(names(last)).to.deep.equal(["e", "f", "late"]);
    expect(Date.parse(until(last) as string)).to.be.lessThan(Date.parse(late.updated_at as string));
    expect(until(await tenant.owner.get(`${address}&offset=4`)), "the end behind an offset").to.equal(undefined);
    const skipped = await tenant.owner.get(`/companies?limit=2&${since}&offset=1`);
    expect(until(await behind(tenant.owner, `/companies?limit=2&${since}`, skipped)), "a walk from an offset").to.equal(
      undefined,
    );
    expect(until(await tenant.owner.get(`/companies?limit=200&${since}`)), "the whole delta").to.be.a("string");
  });

  it("walks through plain arrays in one page: they hold their whole delta", async () => {
    const { headers, body } = await tenant.owner.get("/roles?updated_since=1970-01-01T00:00:00Z");
    expect(body).to.be.an("array");
    expect(headers["updated-until"]).to.be.a("string");
  });

  it("is followed to the end by the code of the guide, which keeps a copy", async () => {
    const [, code = ""] = /```js\n([\s\S]*?)\n```/.exec(readFileSync("docs/copies.md", "utf8")) ?? [];
    const { round } = await import(`data:text/javascript,${encodeURIComponent(`${code}\nexport { round };`)}`);
    const get = async (address: string) => {
      const { status, headers, body, text } = await tenant.owner.get(address.replace("limit=200", "limit=4"));
      return {
        status,
        ok: status === 200,
        headers: new Headers(headers as Record<string, string>),
        json: () => body,
        text: () => text,
      };
    };
    const copy = new Map<string, { name: string; city: string }>();
    const until = await round(get, "/companies", "company", copy, "1970-01-01T00:00:00Z");
    const [id = "", ...others] = copy.keys();
    expect((await tenant.owner.patch(`/companies/${id}`, { city: "Utrecht" })).status).to.equal(200);
    for (const other of others) expect((await tenant.owner.delete(`/companies/${other}`)).status).to.equal(204);
    await tenant.company({ name: "new" });
    expect(await round(get, "/companies", "company", copy, until)).to.match(/Z$/);
    expect([...copy.values()].map(({ name }) => name).toSorted()).to.deep.equal(["a", "new"]);
    expect(copy.get(id)?.city).to.equal("Utrecht");
    const refused = await round(get, "/companies", "company", copy, "2020-01-01").catch(
      (error: { status: number }) => error.status,
    );
    expect(refused).to.equal(422);
  });

  it("loses no row where the one that was read changes or goes before the next page", async () => {
    for (const act of ["patch", "delete"] as const)
      for (const sort of ["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"]) {
        const fresh = await service.tenant();
        for (const name of ["a", "b", "c", "d"]) await fresh.company({ name });
        let left = 2;
        const read = async (path: string) => {
          const answer = await fresh.owner.get(path);
          const [row] = answer.body.items;
          if (left-- <= 0) return answer;
          if (act === "delete") await fresh.owner.delete(`/companies/${row.id}`);
          else expect((await fresh.owner.patch(`/companies/${row.id}`, { city: "Utrecht" })).status).to.equal(200);
          return answer;
        };
        const query = `&sort=${sort}`;
        const first = await delta(read, "/companies", "1970-01-01T00:00:00Z", { limit: 1, query });
        const second = await delta(read, "/companies", first.until, { limit: 1, query });
        const seen = new Set([...first.items, ...second.items].map((row) => (row as unknown as { name: string }).name));
        expect([...seen].toSorted(), `${act} by ${sort}`).to.deep.equal(["a", "b", "c", "d"]);
      }
  });
});

describe("the rows behind a position", () => {
  const part = (sql: string, descending = false, mayBeEmpty = false) => ({ sql, descending, mayBeEmpty });
  const parts = [part("k", false, true), part("m", true), part("id")];
  for (const [position, wanted] of [
    [
      ["1", "2", "3"],
      ["k = $4 and m = $5 and id > $6", "k = $4 and m < $5", "k > $4", "k is null"],
    ],
    [
      [null, "2", "3"],
      ["k is null and m = $4 and id > $5", "k is null and m < $4"],
    ],
  ] as const)
    it(`${JSON.stringify(position)} are ${wanted.join(" | ")}`, () => {
      expect(conditionsBehind({ parts }, position, 4)).to.deep.equal(wanted);
      expect(valuesOf(position)).to.have.length(formOf(position).replaceAll("-", "").length);
    });
});
