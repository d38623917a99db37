import { once } from "node:events";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { statement } from "../../../core/sql/statement.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { noteAnswer } from "../../support/run/seen.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

/** A connection of its own on which a request is written part by part. */
class Sender {
  readonly #socket: net.Socket;
  #text = "";
  /** Ends when the server has closed the connection. */
  readonly closed: Promise<unknown>;

  constructor(port: number) {
    this.#socket = net.connect(port, "127.0.0.1");
    this.#socket.setEncoding("utf8").on("data", (part) => (this.#text += part));
    this.#socket.on("error", () => {});
    // A connection that is reset is closed as well: `once` would refuse it for its error.
    this.closed = new Promise((resolve) => this.#socket.once("close", resolve));
  }

  send(...lines: string[]): void {
    this.#socket.write(lines.join("\r\n"));
  }

  /** Status and body of the answer, as soon as it is there; the request may still be on its way. */
  async answer(): Promise<{ status: number; body: string; head: string }> {
    for (;;) {
      const [head = "", body] = this.#text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body !== undefined && Buffer.byteLength(body) >= length) {
        const status = Number(head.split(" ")[1]);
        if (/content-type: application\/json/i.test(head)) noteAnswer(status, JSON.parse(body));
        return { status, body, head };
      }
      await once(this.#socket, "data");
    }
  }

  hangUp(): void {
    this.#socket.resetAndDestroy();
  }
}

describe("a request whose body has not come", () => {
  let service: TestService;
  let tenant: Tenant;
  const logged: unknown[] = [];
  before(async () => {
    service = await startService({ SERVICE_BODY_LIMIT: "65536" });
    tenant = await service.tenant();
    const logger = service.node.broker.getLocalService("api")?.logger as { error(...line: unknown[]): void };
    logger.error = (...line) => void logged.push(line);
  });
  after(() => service.stop());

  const unfinished = (target: string, host: string, ...headers: string[]) => {
    const sender = new Sender(service.port);
    sender.send(`POST ${target} HTTP/1.1`, `Host: ${host}`, "Content-Length: 1000", ...headers, "", '{"name": "ha');
    return sender;
  };
  const JSON_TYPE = "Content-Type: application/json";
  const MULTIPART = "Content-Type: multipart/form-data; boundary=x";

  for (const [target, type] of [
    ["/api/v1/companies", JSON_TYPE],
    ["/api/v1/auth/login", "Content-Type: application/x-www-form-urlencoded"],
    ["/api/v1/auth/register", JSON_TYPE],
    ["/api/v1/files?entity_type=company", MULTIPART],
  ] as const)
    it(`is answered on its head where the host is unknown: ${target}`, async () => {
      const sender = unfinished(target, "nobody.kantoor.test", type);
      const { status, body } = await sender.answer();
      expect([status, JSON.parse(body).error.code]).to.deep.equal([404, "unknown_host"]);
      sender.hangUp();
    });

  it("is answered on its head for a page of an unknown host, and without a credential", async () => {
    const page = unfinished("/login", "nobody.kantoor.test", "Content-Type: application/x-www-form-urlencoded");
    expect((await page.answer()).status).to.equal(404);
    const anonymous = unfinished("/api/v1/companies", tenant.host, JSON_TYPE);
    expect((await anonymous.answer()).status).to.equal(401);
    for (const sender of [page, anonymous]) sender.hangUp();
  });

  it("is answered when it is larger than the limit, even while its sender goes on", async () => {
    const sender = new Sender(service.port);
    const key = `X-API-Key: ${tenant.owner.key}`;
    sender.send("POST /api/v1/companies HTTP/1.1", `Host: ${tenant.host}`, key, JSON_TYPE, "Transfer-Encoding: chunked", "", "");
    for (let part = 0; part < 9; part++) sender.send("2000", "n".repeat(8192), "");
    expect((await sender.answer()).status).to.equal(413);
    sender.hangUp();
  });

  it("is not our error when its sender hangs up, for any operation", async () => {
    const key = `X-API-Key: ${tenant.owner.key}`;
    const half = ["--x", 'Content-Disposition: form-data; name="file"; filename="a.txt"', "", "half"];
    for (let round = 0; round < 10; round++) {
      const senders = [
        unfinished("/api/v1/companies", tenant.host, key, JSON_TYPE),
        unfinished(`/api/v1/files?entity_type=company`, tenant.host, key, MULTIPART, "", ...half),
        unfinished("/login", tenant.host, "Content-Type: application/x-www-form-urlencoded"),
      ];
      await delay(20);
      for (const sender of senders) sender.hangUp();
    }
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    await delay(100);
    expect(logged).to.deep.equal([]);
  });
});

describe("a request with two hosts", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  for (const [what, ...hosts] of [
    ["different", "Host: nobody.kantoor.test", "host: OURS"],
    ["the known one first", "Host: OURS", "HOST: nobody.kantoor.test"],
    ["twice the same", "Host: OURS", "Host: OURS"],
  ] as const)
    it(`is 400 in the envelope: ${what}`, async () => {
      for (const target of ["/api/v1/companies", "/health/ready", "/login", "/api/openapi.json"]) {
        const sender = new Sender(service.port);
        const key = `X-API-Key: ${tenant.owner.key}`;
        sender.send(`GET ${target} HTTP/1.1`, ...hosts.map((line) => line.replace("OURS", tenant.host)), key, "", "");
        const { status, body } = await sender.answer();
        sender.hangUp();
        expect([target, status]).to.deep.equal([target, 400]);
        expect(JSON.parse(body)).to.deep.equal({ error: { code: "bad_request", message: "errors.bad_request" } });
      }
    });
});

describe("bytes that are not a request", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const [what, lines, status, error] of [
    [
      "more headers than a head may have",
      ["GET /api/v1/companies HTTP/1.1", `X-Long: ${"x".repeat(100_000)}`, "", ""],
      431,
      { code: "request_header_fields_too_large", message: "errors.validation" },
    ],
    ["no HTTP at all", ["EHLO kantoor.test", "", ""], 400, { code: "bad_request", message: "errors.bad_request" }],
  ] as const)
    it(`are refused in the envelope: ${what}`, async () => {
      const sender = new Sender(service.port);
      sender.send(...lines);
      const answer = await sender.answer();
      sender.hangUp();
      expect([answer.status, JSON.parse(answer.body)]).to.deep.equal([status, { error }]);
    });
});

describe("SERVICE_REQUEST_TIMEOUT_MS", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_REQUEST_TIMEOUT_MS: "1500" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** Sends a byte now and then until the server has closed the connection. */
  const dribble = async (sender: Sender) => {
    const ticking = setInterval(() => sender.send(" "), 50);
    await sender.closed;
    clearInterval(ticking);
  };

  for (const [what, target, ...headers] of [
    ["JSON", "/api/v1/companies", "Content-Type: application/json"],
    ["a file", "/api/v1/files?entity_type=company", "Content-Type: multipart/form-data; boundary=x"],
  ] as const)
    it(`ends the wait for a slow body with 408 and the connection with it: ${what}`, async () => {
      const sender = new Sender(service.port);
      const key = `X-API-Key: ${tenant.owner.key}`;
      sender.send(`POST ${target} HTTP/1.1`, `Host: ${tenant.host}`, key, ...headers, "Content-Length: 100000", "", "");
      const [{ status, body, head }] = await Promise.all([sender.answer(), dribble(sender)]);
      expect([status, JSON.parse(body).error.code]).to.deep.equal([408, "request_timeout"]);
      expect(head).to.match(/x-request-id: /i);
    });

  it("ends a connection whose body comes on after the answer, without a second answer", async () => {
    const sender = new Sender(service.port);
    sender.send("POST /api/v1/nowhere HTTP/1.1", `Host: ${tenant.host}`, "Content-Length: 100000", "", "");
    const [{ status, body }] = await Promise.all([sender.answer(), dribble(sender)]);
    expect([status, body]).to.deep.equal([404, '{"error":{"code":"not_found","message":"errors.not_found"}}']);
  });

  it("ends a head that never ends with 408", async () => {
    const sender = new Sender(service.port);
    sender.send("GET /api/v1/companies HTTP/1.1", `Host: ${tenant.host}`, "X-Slow: ");
    const [{ status }] = await Promise.all([sender.answer(), dribble(sender)]);
    expect(status).to.equal(408);
  });
});

describe("a statement", () => {
  for (const [request, longest, wait] of [
    ["90000", "90s", "30s"],
    ["1000", "30s", "10s"],
  ] as const)
    it(`takes ${longest} at most and waits ${wait} for a lock where a request may take ${request} ms`, async () => {
      const service = await startService({ SERVICE_REQUEST_TIMEOUT_MS: request });
      try {
        expect(await queryUnbound(statement("show statement_timeout"))).to.deep.equal([{ statement_timeout: longest }]);
        expect(await queryUnbound(statement("show lock_timeout"))).to.deep.equal([{ lock_timeout: wait }]);
      } finally {
        await service.stop();
      }
    });
});
