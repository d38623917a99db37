import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { ServiceSchema } from "moleculer";
import { filesOf } from "../../../bin/new/chapters.ts";
import type { Step } from "../../../migrations/step.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "../../simulators/simulator.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Beacon, as the example of the documents expects it. */
class Beacon extends Simulator {
  readonly sites = new Map<string, { name: string; url: string }>();

  protected answer({ method, path: place, headers, body }: Received): Reply {
    if (method !== "POST" || place !== "/v1/sites") throw new Misunderstood(`${method} ${place}`);
    if (headers["authorization"] !== "Bearer a token of Beacon") return { status: 401, body: "{}" };
    const key = headers["idempotency-key"] as string;
    this.sites.set(key, JSON.parse(String(body)));
    return {
      status: 201,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id: `site-${this.sites.size}` }),
    };
  }
}

describe("the integration in docs/jobs-and-integrations.md", () => {
  const beacon = new Beacon();
  let folder: string;
  let service: TestService;
  let tenant: Tenant;
  let code: string[];

  const load = async <T>(name: string, text: string, from: string): Promise<T> => {
    const file = path.join(folder, name);
    const absolute = text.replace(
      /from "(\.[^"]+)"/g,
      (_, place) => `from "${pathToFileURL(path.join(ROOT, from, place)).href}"`,
    );
    await writeFile(file, absolute);
    return (await import(pathToFileURL(file).href)).default;
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-example-"));
    await beacon.start();
    const files = filesOf("## Jobs and integrations");
    code = files.map(({ text }) => text);
    const [migration, , declared] = files.map(({ text }) => text) as [string, string, string];
    const actor = declared
      .replace("https://api.beacon.example", beacon.origin)
      .replace("first: 2_000", "first: 50")
      // The module that declares it has no folder in this repository.
      .replace('permission: "beacon.account.manage"', 'open: "its module is not here"');
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" }, [
      await load<ServiceSchema>("beacon.service.ts", actor, "integrations/beacon"),
    ]);
    const step = await load<Step>("beacon-step.ts", migration, "migrations");
    await step.up({ sql: (text) => service.sql.query(text), application: "kantoor_app" });
    tenant = await service.tenant();
    expect((await tenant.owner.post("/beacon/account", { token: "a token of Beacon" })).status).to.equal(204);
  });
  after(async () => {
    await service.stop();
    await beacon.stop();
    await rm(folder, { recursive: true });
  });

  const sites = async () => (await service.sql.query("select site_id, last_error from beacon_sites")).rows;

  it("takes less than 120 lines", () => {
    expect(code.join("").split("\n").length).to.be.below(120);
  });

  it("keeps the token sealed", async () => {
    const { rows } = await service.sql.query("select token from beacon_accounts");
    expect(rows).to.have.length(1);
    expect(String(rows[0].token)).not.to.contain("a token of Beacon");
  });

  it("registers a new client's website, though Beacon fails at first", async () => {
    beacon.fail({ kind: "reply", status: 503 }, { kind: "reply", status: 503 });
    await tenant.company({ name: "Acme", website: "https://acme.example" });
    await until(async () => (await sites()).some(({ site_id: id }) => id !== null));
    await settled(service);
    expect(await sites()).to.deep.equal([{ site_id: "site-1", last_error: null }]);
    expect([...beacon.sites.values()]).to.deep.equal([{ name: "Acme", url: "https://acme.example" }]);
    expect(beacon.complaints).to.deep.equal([]);
  });
});
