import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, linesOf } from "../tasks/task-records.ts";

describe("links of a task", () => {
  let service: TestService;
  let tenant: Tenant;
  let task: string;
  let path: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    task = bodyOf(await tenant.owner.post("/tasks", { title: "Task" })).id;
    path = `/tasks/${task}/links`;
  });
  after(() => service.stop());

  const links = async (): Promise<Body[]> => bodyOf(await tenant.owner.get(`/tasks/${task}`)).links;
  const lines = () => linesOf(service, task);

  it("get a missing scheme, and are shown oldest first", async () => {
    const { status, body } = await tenant.owner.post(path, { url: "example.nl/plan", title: "Plan" });
    expect([status, body]).to.deep.equal([201, { id: body.id, url: "https://example.nl/plan", title: "Plan" }]);
    bodyOf(await tenant.owner.post(path, { url: "mailto:kees@example.nl" }));
    expect((await links()).map(({ url, title }) => [url, title])).to.deep.equal([
      ["https://example.nl/plan", "Plan"],
      ["mailto:kees@example.nl", null],
    ]);
  });

  for (const url of [
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\tscript:alert(1)",
    "\u0001data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
  ])
    it(`refuse ${JSON.stringify(url)} on url`, async () => {
      expectRefusal(await tenant.owner.post(path, { url }), 422, "validation", { url: "errors.validation" });
      expect(await links()).to.deep.equal([]);
    });

  it("refuse before they say whether the task is there", async () => {
    const elsewhere = (await service.tenant()).owner;
    expect((await elsewhere.post(path, { url: "file:x" })).status).to.equal(422);
    expect((await elsewhere.post(path, { url: "example.nl" })).status).to.equal(404);
  });

  it("report their title, or else their address, when they are removed", async () => {
    const first = bodyOf(await tenant.owner.post(path, { url: "example.nl", title: "Site" }));
    const second = bodyOf(await tenant.owner.post(path, { url: "example.nl/x" }));
    for (const { id } of [first, second]) expect((await tenant.owner.delete(`${path}/${id}`)).status).to.equal(204);
    expect((await lines()).slice(1)).to.deep.equal([
      ["link_deleted", { title: "Site" }],
      ["link_deleted", { title: "https://example.nl/x" }],
    ]);
  });

  it("are 404 below another task, and 403 for a member who is not on the roster", async () => {
    const { id } = bodyOf(await tenant.owner.post(path, { url: "example.nl" }));
    const other = bodyOf(await tenant.owner.post("/tasks", { title: "Other" })).id;
    expectRefusal(await tenant.owner.delete(`/tasks/${other}/links/${id}`), 404, "not_found");
    expectRefusal(await (await tenant.member("member")).delete(`${path}/${id}`), 403, "forbidden");
    expectRefusal(await tenant.owner.delete(`${path}/${id}`, { headers: { "If-Match": '"9"' } }), 412, "precondition_failed");
    expect(await links()).to.have.length(1);
  });
});
