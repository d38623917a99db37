import { expect } from "chai";
import { SCOPE } from "../../../integrations/workspace/connections/consent.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { configureWorkspace, connect, connected, locationOf, type Workspace } from "../../support/workspace.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

const ME = "/workspace/connections/me";

describe("Connecting an account at Google (workspace §2.2)", () => {
  let world: WorkspaceWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  let ann: Caller;
  before(async () => {
    world = await startWorkspace();
  });
  beforeEach(async () => {
    world.google.reset();
    tenant = await world.service.tenant();
    workspace = await configureWorkspace(world.google, tenant);
    ann = await tenant.member("member");
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  it("sends the browser to the consent screen, and stores what it comes back with", async () => {
    const person = await connected(world.google, ann);
    const { body } = await ann.get(ME);
    expect(body.connection).to.deep.include({ user_id: ann.accountId, email: person.email, status: "active", last_error: null });
    expect(body.connection.scopes).to.include.members(["openid", SCOPE.calendar, SCOPE.drive]);
    expect(body).to.deep.include({ connected: true, configured: true, calendar_enabled: true, drive_enabled: true });
    expect(world.google.tokenCalls()).to.deep.equal(["authorization_code"]);
  });

  it("refuses to begin without an OAuth client: 409 workspace_not_configured", async () => {
    const other = await world.service.tenant();
    const { status, body } = await other.owner.get("/workspace/oauth/connect");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_configured"]);
  });

  it("redirects with workspace=error where the person refuses", async () => {
    const { landing } = await connect(world.google, ann, { refuses: true, query: "next=/home" });
    expect(landing).to.equal("/home?workspace=error");
    expect((await ann.get(ME)).body.connected).to.equal(false);
  });

  it("ends with 204, revokes the grant at Google, and once more with 204 where nothing is connected", async () => {
    await connected(world.google, ann);
    expect((await ann.post(`${ME}/disconnect`)).status).to.equal(204);
    expect(world.google.calls("oauth")).to.deep.equal(["POST /token", "POST /revoke"]);
    expect((await ann.post(`${ME}/disconnect`)).status).to.equal(204);
    expect((await ann.get(ME)).body).to.deep.include({ connected: false, connection: null });
  });

  it("puts the address of the consent screen together of nothing but what is switched on", async () => {
    await workspace.configure({ drive_enabled: false, mail_enabled: false });
    const sent = await ann.get("/workspace/oauth/connect?include_mail=true&include_analytics=true");
    const asked = new URL(locationOf(sent)).searchParams;
    expect(asked.get("scope")?.split(" ")).to.deep.equal(["openid", "email", SCOPE.calendar, SCOPE.analytics]);
  });
});
