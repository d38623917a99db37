import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

type Write = [method: "PUT" | "PATCH", path: string, bodies: [object, object]];

/** Records of which an organisation or a person has exactly one, so that their path has no id. */
const WRITES: Record<string, Write> = {
  "the organisation": ["PATCH", "/meta/tenant", [{ brand_name: "One" }, { brand_name: "Two" }]],
  "the caller": ["PATCH", "/meta/me", [{ full_name: "One" }, { full_name: "Two" }]],
  "the caller's preferences": ["PUT", "/prefs", [{ prefs: { a: 1 } }, { prefs: { a: 2 } }]],
  "the caller's navigation": [
    "PUT",
    "/nav/prefs",
    [{ items: [{ key: "tasks" }] }, { items: [{ key: "companies", hidden: true }] }],
  ],
  "the caller's notification preferences": [
    "PUT",
    "/notifications/preferences",
    [{ general: { due_soon_days: 2 } }, { general: { due_soon_days: 3 } }],
  ],
  "the organisation's notification preferences": [
    "PUT",
    "/notifications/preferences/defaults",
    [{ general: { due_soon_days: 2 } }, { general: { due_soon_days: 3 } }],
  ],
};

describe("records without an id in their path, with If-Match (conventions §11)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });

  for (const [what, [method, path, [first, second]]] of Object.entries(WRITES)) {
    const read = () => tenant.owner.get(path);
    const write = (body: object, tag: string | undefined) =>
      tenant.owner[method === "PUT" ? "put" : "patch"](path, body, { headers: { "If-Match": tag ?? "missing" } });

    it(`${what}: the tag of the read writes once, and the answer has the next one`, async () => {
      const { etag } = (await read()).headers;
      expect(etag).to.match(/^"[^"]+"$/);
      const written = await write(first, etag);
      expect(written.status, written.text).to.equal(200);
      const now = await read();
      expect(written.headers.etag).to.equal(now.headers.etag).and.not.to.equal(etag);
      expect((await write(second, etag)).status).to.equal(412);
      expect((await read()).text).to.equal(now.text);
      expect((await write(second, "*")).status).to.equal(200);
    });

    it(`${what}: of four writers with one tag exactly one wins, also before there is a row`, async () => {
      for (const bodies of [first, second]) {
        const { etag } = (await read()).headers;
        const answers = await Promise.all([1, 2, 3, 4].map(() => write(bodies, etag)));
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412, 412]);
      }
    });
  }

  it("a reset of the navigation needs the tag too", async () => {
    await tenant.owner.put("/nav/prefs", { items: [{ key: "tasks" }] });
    const { etag } = (await tenant.owner.get("/nav/prefs")).headers;
    const reset = (tag: string) => tenant.owner.delete("/nav/prefs", { headers: { "If-Match": tag } });
    expect([(await reset('"99"')).status, (await reset(etag as string)).status]).to.deep.equal([412, 204]);
  });

  it("what a caller follows has a tag", async () => {
    const record = { entity_type: "company", entity_id: (await tenant.company()).id };
    const read = () => tenant.owner.get(`/notifications/watch?${new URLSearchParams(record)}`);
    const write = (watching: boolean | null, tag: string) =>
      tenant.owner.put("/notifications/watch", { ...record, watching }, { headers: { "If-Match": tag } });
    const { etag = "" } = (await read()).headers;
    const answers = await Promise.all([1, 2, 3].map(() => write(true, etag)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412]);
    const now = (await read()).headers.etag as string;
    expect(answers.find(({ status }) => status === 200)?.headers.etag)
      .to.equal(now)
      .and.not.to.equal(etag);
    expect([(await write(false, etag)).status, (await write(false, now)).status, (await write(null, "*")).status]).to.deep.equal([
      412, 200, 200,
    ]);
  });
});
