import { expect } from "chai";
import { readinessOf } from "../../../core/health/readiness.ts";
import { serveProbes } from "../../../operator/health-server.ts";
import { freePort } from "../../support/ports.ts";

describe("the server of a node's probes", () => {
  let close = async () => {};
  afterEach(() => close());

  /** Status and body of each request to a server with these parts. */
  const answers = async (parts: Parameters<typeof serveProbes> extends [unknown, ...infer R] ? R : never, requests: string[]) => {
    const port = await freePort();
    close = await serveProbes({ port, host: "127.0.0.1" }, ...parts);
    return Promise.all(
      requests.map(async (request) => {
        const [method, path] = request.split(" ") as [string, string];
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
        return [request, answer.status, await answer.text()];
      }),
    );
  };

  it("answers live and ready, to GET and HEAD with any query, and nothing else", async () => {
    const ready = async () => readinessOf(["schema"]);
    const requests = [
      "GET /health/live",
      "HEAD /health/live?x=1",
      "GET /health/ready",
      "POST /health/live",
      "GET /",
      "GET /metrics",
    ];
    expect(await answers([ready], requests)).to.deep.equal([
      ["GET /health/live", 200, '{"status":"ok"}'],
      ["HEAD /health/live?x=1", 200, ""],
      ["GET /health/ready", 503, '{"status":"degraded","missing":["schema"]}'],
      ["POST /health/live", 404, "{}"],
      ["GET /", 404, "{}"],
      ["GET /metrics", 404, "{}"],
    ]);
  });

  it("is not ready when the question fails, and reveals no reason", async () => {
    const ready = () => Promise.reject(new Error("password authentication failed for user kantoor_app"));
    expect(await answers([ready], ["GET /health/ready"])).to.deep.equal([["GET /health/ready", 503, '{"status":"degraded"}']]);
  });

  it("answers 503 elsewhere in the place of a gateway", async () => {
    const body = '{"status":"degraded","missing":["database"]}';
    const requests = ["GET /health/live", "GET /health/ready", "POST /api/v1/companies"];
    const waiting = readinessOf(["database"]);
    expect(await answers([async () => waiting, waiting], requests)).to.deep.equal([
      ["GET /health/live", 200, '{"status":"ok"}'],
      ["GET /health/ready", 503, body],
      ["POST /api/v1/companies", 503, body],
    ]);
  });
});
