import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("stops the node");

let release = () => {};
let hasBegun = () => {};
const proof = actor("proof.stopping", {
  actions: {
    held: action({
      rest: "GET /proof/held",
      summary: "Waits until the test lets it go",
      permission: "companies.company.read",
      returns: Type.Object({ done: Type.Boolean() }),
      async handler() {
        const held = new Promise<void>((resolve) => (release = resolve));
        hasBegun();
        await held;
        return { done: true };
      },
    }),
  },
});

interface Heard {
  status: number | undefined;
  connection: string | undefined;
}

describe("a stopping node", () => {
  let service: TestService;
  let tenant: Tenant;
  const agent = new http.Agent({ keepAlive: true });
  const begin = async (delayed: string) => {
    service = await startService({ SERVICE_SHUTDOWN_DELAY_MS: delayed }, [proof]);
    tenant = await service.tenant();
  };
  afterEach(() => agent.destroy());

  const get = (path: string, own?: http.Agent): Promise<Heard> =>
    new Promise((resolve, reject) => {
      const headers = { Host: tenant.host, "X-API-Key": tenant.owner.key };
      http
        .get({ port: service.port, host: "127.0.0.1", path, headers, agent: own ?? false }, (response) => {
          response.resume().once("end", () => resolve({ status: response.statusCode, connection: response.headers.connection }));
        })
        .once("error", reject);
    });
  /** A request on a kept-alive connection, whose action has begun. */
  const held = async (): Promise<Promise<Heard>[]> => {
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const answer = get("/api/v1/proof/held", agent);
    await begun;
    return [answer];
  };

  it("ends the connection of a request that was under way with its answer, and waits no longer", async () => {
    await begin("0");
    const [answer] = await held();
    const stopped = service.stop();
    await delay(150);
    release();
    expect(await answer).to.deep.equal({ status: 200, connection: "close" });
    await stopped;
  });

  it("says for a while that it is not ready, and serves all the same", async () => {
    await begin("1500");
    expect((await get("/health/ready")).status).to.equal(200);
    const logged: unknown[] = [];
    const logger = service.node.broker.getLocalService("api")?.logger as { error(...line: unknown[]): void };
    logger.error = (...line) => void logged.push(line);
    const stopped = service.stop();
    await delay(50);
    for (const path of ["/health/ready", "/api/v1/health/ready"]) expect((await get(path)).status).to.equal(503);
    expect((await get("/health/live")).status, "the process lives until it ends").to.equal(200);
    expect(await get("/api/v1/companies", agent)).to.deep.equal({ status: 200, connection: "close" });
    await stopped;
    expect(logged, "a planned stop is no error").to.deep.equal([]);
  });
});
