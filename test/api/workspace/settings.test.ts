import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import { configureWorkspace, connected } from "../../support/workspace.ts";
import { invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

const PATH = "/workspace/settings";
const DEFAULTS = {
  client_id: null,
  client_secret_configured: false,
  env_client_configured: false,
  calendar_enabled: false,
  drive_enabled: false,
  mail_enabled: false,
  drive_shared_drive_id: null,
  drive_parent_folder_id: null,
  drive_template_folder_id: null,
  drive_auto_provision: false,
  automation_connection_user_id: null,
  mail_approval_mode: "approval_required",
  mail_thread_followup: "inherit_pending",
  mail_log_internal: false,
  weak_encryption_key: false,
};

describe("/workspace/settings (workspace §2.1)", () => {
  let world: WorkspaceWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startWorkspace();
  });
  beforeEach(async () => {
    world.google.reset();
    tenant = await world.service.tenant();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const put = (body: object, headers = {}) => tenant.owner.put(PATH, body, { headers });
  const stored = async () =>
    (await world.service.sql.query("select * from workspace_settings where organisation_id = $1", [tenant.organisation.id])).rows;
  const callback = () => `http://${tenant.host}:${world.service.port}/api/v1/workspace/oauth/callback`;

  it("are the defaults before they were first saved, with the address to register at Google", async () => {
    const { status, body } = await tenant.owner.get(PATH);
    expect([status, body]).to.deep.equal([200, { ...DEFAULTS, callback_url: body.callback_url }]);
    expect(new URL(body.callback_url).pathname).to.equal("/api/v1/workspace/oauth/callback");
    expect(new URL(body.callback_url).hostname).to.equal(tenant.host);
    expect(await stored()).to.have.length(0);
    expect(callback()).to.include(tenant.host);
  });

  it("are replaced as a whole but for the secret, which is in no answer", async () => {
    const all = {
      client_id: " client.example ",
      calendar_enabled: true,
      drive_enabled: true,
      mail_enabled: true,
      drive_shared_drive_id: "0AAshared",
      drive_parent_folder_id: "0AAparent",
      drive_template_folder_id: "0AAtemplate",
      drive_auto_provision: true,
      mail_approval_mode: "auto_approve",
      mail_thread_followup: "inherit_approve",
      mail_log_internal: true,
    };
    const first = await put({ ...all, client_secret: "GOCSPX-a-secret" });
    expect(first.body).to.deep.include({ ...all, client_id: "client.example", client_secret_configured: true });
    const second = await put({ client_id: "client.example", client_secret: "" });
    expect(second.body).to.deep.include({ ...DEFAULTS, client_id: "client.example", client_secret_configured: true });
    const third = await put({ client_id: "  ", client_secret: null, drive_parent_folder_id: " " });
    expect(third.body).to.deep.include({ ...DEFAULTS, client_secret_configured: true });
    const [row] = await stored();
    const trail = await trailOf(world.service.sql, "workspace_settings", row.id);
    expect(trail.map(({ action }) => action)).to.deep.equal(["created", "updated", "updated"]);
    for (const text of [first.text, second.text, third.text, JSON.stringify(row), JSON.stringify(trail)])
      expect(text).not.to.include("GOCSPX-a-secret");
    expect(row.client_secret).to.match(/^v1\./);
  });

  it("record that the secret changed, and nothing where nothing differs", async () => {
    await put({ client_id: "c", client_secret: "one" });
    await put({ client_id: "c" });
    await put({ client_id: "c", client_secret: "two" });
    const [row] = await stored();
    const trail = await trailOf(world.service.sql, "workspace_settings", row.id);
    expect(trail.map(({ action }) => action)).to.deep.equal(["created", "updated"]);
    expect(trail[1]?.payload).to.deep.equal({ changes: { client_secret: { from: "***", to: "***" } } });
  });

  it("compare If-Match, also before they were first saved", async () => {
    expect((await put({ client_id: "c" }, { "If-Match": '"7"' })).status).to.equal(412);
    const first = await put({ client_id: "c" }, { "If-Match": '"0"' });
    expect([first.status, first.headers.etag]).to.deep.equal([200, '"1"']);
    expect((await put({ client_id: "d" }, { "If-Match": '"0"' })).status).to.equal(412);
  });

  it("are one row after two first writes at once", async () => {
    const answers = await Promise.all([put({ client_id: "one" }), put({ client_id: "two" })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await stored()).to.have.length(1);
  });

  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["a client id of 513 characters", { client_id: "x".repeat(513) }, { client_id: "errors.validation" }],
    ["a secret of 1025 characters", { client_secret: "x".repeat(1025) }, { client_secret: "errors.validation" }],
    [
      "a shared drive of 129 characters",
      { drive_shared_drive_id: "x".repeat(129) },
      { drive_shared_drive_id: "errors.validation" },
    ],
    [
      "a parent folder of 129 characters",
      { drive_parent_folder_id: "x".repeat(129) },
      { drive_parent_folder_id: "errors.validation" },
    ],
    [
      "a template of 129 characters",
      { drive_template_folder_id: "x".repeat(129) },
      { drive_template_folder_id: "errors.validation" },
    ],
    ["an unknown approval mode", { mail_approval_mode: "never" }, { mail_approval_mode: "errors.validation" }],
    ["an unknown follow-up", { mail_thread_followup: "never" }, { mail_thread_followup: "errors.validation" }],
    ["a switch that is none", { calendar_enabled: "perhaps" }, { calendar_enabled: "errors.validation" }],
  ];
  for (const [what, body, fields] of refused)
    it(`refuse ${what}`, async () => expect(refusalOf(await put(body))).to.deep.equal(invalidOn(fields)));

  it("take an automation colleague with a connection alone, of this organisation", async () => {
    await configureWorkspace(world.google, tenant);
    const ann = await tenant.member("member");
    const automation = { automation_connection_user_id: ann.accountId };
    const fault = invalidOn({ automation_connection_user_id: "errors.workspace_not_connected" });
    expect(refusalOf(await put(automation))).to.deep.equal(fault);
    await connected(world.google, ann);
    expect((await put(automation)).body).to.deep.include(automation);
    tenant = await world.service.tenant();
    expect(refusalOf(await put(automation))).to.deep.equal(fault);
  });

  it("are the administrator's alone", async () => {
    const ann = await tenant.member("member");
    expect([(await ann.get(PATH)).status, (await ann.put(PATH, {})).status]).to.deep.equal([403, 403]);
    const admin = await tenant.member("admin");
    expect([(await admin.get(PATH)).status, (await admin.put(PATH, {})).status]).to.deep.equal([200, 200]);
  });
});

describe("the instance's OAuth client (workspace §2.1)", () => {
  let world: WorkspaceWorld;
  before(async () => {
    world = await startWorkspace({
      SERVICE_WORKSPACE_CLIENT_ID: "instance.example",
      SERVICE_WORKSPACE_CLIENT_SECRET: "GOCSPX-instance",
    });
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const clientAsked = async (tenant: Tenant) =>
    new URL((await tenant.owner.get("/workspace/oauth/connect")).headers.location ?? "").searchParams.get("client_id");

  it("applies to an organisation without its own, and for half of one", async () => {
    const tenant = await world.service.tenant();
    world.google.state.clients.push({ id: "instance.example", secret: "GOCSPX-instance" });
    expect((await tenant.owner.get("/workspace/settings")).body).to.deep.include({
      client_id: null,
      client_secret_configured: false,
      env_client_configured: true,
    });
    expect((await tenant.owner.get("/workspace/connections/me")).body.configured).to.equal(true);
    expect(await clientAsked(tenant)).to.equal("instance.example");
    await connected(world.google, tenant.owner);
    await tenant.owner.put("/workspace/settings", { client_id: "own.example" });
    expect(await clientAsked(tenant)).to.equal("instance.example");
    await tenant.owner.put("/workspace/settings", { client_id: "own.example", client_secret: "own" });
    expect(await clientAsked(tenant)).to.equal("own.example");
  });
});
