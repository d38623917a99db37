import http from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { KeyedWrites } from "../../simulators/keyed-writes.ts";
import { pageOf } from "../../simulators/pages.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "../../simulators/simulator.ts";
import { pushAll, shuffled } from "../../simulators/webhooks.ts";
import { until } from "../../support/jobs.ts";

/** A provider with one operation that keeps a count. */
class Counter extends Simulator {
  count = 0;
  protected answer({ method, path }: Received): Reply {
    if (method !== "POST" || path !== "/count") throw new Misunderstood("no such operation");
    this.count += 1;
    return { status: 200, body: { count: this.count, filler: "x".repeat(100) } };
  }
}

describe("a simulator", () => {
  const provider = new Counter();
  before(() => provider.start());
  after(() => provider.stop());
  beforeEach(() => {
    provider.reset();
    provider.count = 0;
  });
  const call = (path = "/count", signal?: AbortSignal) =>
    fetch(`${provider.origin}${path}`, { method: "POST", ...(signal && { signal }) }).then(async (response) => ({
      status: response.status,
      text: await response.text(),
      headers: response.headers,
    }));
  const failed = (call: Promise<unknown>) => call.then(() => false).catch(() => true);

  it("answers 400 to requests the provider would not understand, and records it", async () => {
    expect((await call("/elsewhere")).status).to.equal(400);
    expect(provider.complaints).to.deep.equal(["POST /elsewhere?: no such operation"]);
    expect(provider.count).to.equal(0);
  });

  const undone: Parameters<Simulator["fail"]>[0][] = [{ kind: "drop" }, { kind: "reset" }, { kind: "garbage" }, { kind: "hang" }];
  for (const fault of undone)
    it(`does nothing when it is to '${fault.kind}'`, async () => {
      provider.fail(fault);
      const caller = new AbortController();
      const calling = failed(call("/count", caller.signal));
      await until(() => provider.received.length === 1);
      if (fault.kind === "hang") caller.abort();
      expect(await calling).to.equal(true);
      expect(provider.count).to.equal(0);
      expect((await call()).status).to.equal(200);
    });

  it("answers 429 or 500 without doing anything", async () => {
    provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "7" } }, { kind: "reply", status: 500, body: "oops" });
    const [limited, broken] = [await call(), await call()];
    expect([limited.status, limited.headers.get("retry-after"), broken.status, broken.text]).to.deep.equal([
      429,
      "7",
      500,
      "oops",
    ]);
    expect(provider.count).to.equal(0);
  });

  it("does the request and loses the answer, or cuts it short", async () => {
    provider.fail({ kind: "lose" }, { kind: "truncate" });
    expect([await failed(call()), await failed(call())]).to.deep.equal([true, true]);
    expect(provider.count).to.equal(2);
  });

  it("answers late, in drops, without end, or with a bomb", async () => {
    provider.fail({ kind: "delay", ms: 100 }, { kind: "drip", ms: 5 }, { kind: "flood" }, { kind: "bomb", bytes: 1 << 20 });
    const began = performance.now();
    expect((await call()).status).to.equal(200);
    expect(performance.now() - began).to.be.greaterThan(95);
    expect(JSON.parse((await call()).text).count).to.equal(2);
    const caller = new AbortController();
    const flooded = failed(call("/count", caller.signal));
    await until(() => provider.received.length === 3);
    caller.abort();
    expect(await flooded).to.equal(true);
    const packed = await new Promise<Buffer>((resolve) => {
      http
        .request(`${provider.origin}/count`, { method: "POST" }, (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part)).on("end", () => resolve(Buffer.concat(parts)));
        })
        .end();
    });
    expect([packed.byteLength < 2000, gunzipSync(packed).byteLength]).to.deep.equal([true, 1 << 20]);
  });

  it("fails for matching requests until they are asked to stop", async () => {
    const heal = provider.failWhen(({ path }) => path === "/count", { kind: "reply", status: 503 });
    expect([(await call()).status, (await call()).status]).to.deep.equal([503, 503]);
    heal();
    expect((await call()).status).to.equal(200);
  });
});

describe("a simulator that takes idempotency keys", () => {
  const provider = new KeyedWrites();
  before(() => provider.start());
  after(() => provider.stop());
  beforeEach(() => provider.reset());
  const write = (key: string | null, name: string) =>
    fetch(`${provider.origin}/writes`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key !== null && { "Idempotency-Key": key }) },
      body: JSON.stringify({ name }),
    }).then(async (response) => ({ status: response.status, body: await response.json() }));

  it("writes once per key and answers the same again, also when the first answer was lost", async () => {
    provider.fail({ kind: "lose" });
    await write("k1", "a").catch(() => {});
    expect(await write("k1", "a")).to.deep.equal({ status: 201, body: { id: "1", name: "a" } });
    expect(await write("k2", "a")).to.deep.equal({ status: 201, body: { id: "2", name: "a" } });
    expect([...provider.writes]).to.deep.equal([
      ["k1", 1],
      ["k2", 1],
    ]);
    expect(provider.calls.get("k1")).to.equal(2);
    expect(provider.doubled).to.deep.equal([]);
  });

  it("complains about a key with another body, a missing key and another body's shape", async () => {
    await write("k1", "a");
    expect([(await write("k1", "b")).status, (await write(null, "a")).status]).to.deep.equal([400, 400]);
    expect(provider.complaints).to.have.length(2);
    expect(provider.rows).to.have.length(1);
  });

  it("would report a doubled write", async () => {
    await write("k1", "a");
    provider.ledger.forget();
    await write("k1", "a");
    expect(provider.doubled).to.deep.equal(["k1"]);
  });
});

describe("a simulator's pages", () => {
  const rows = Array.from({ length: 7 }, (_, n) => n);
  const page = (text: string, fault = {}) => pageOf(rows, new URLSearchParams(text), fault);

  it("follow page and per_page, and report the total", () => {
    expect(page("page=2&per_page=3")).to.deep.equal({
      result: [3, 4, 5],
      result_info: { page: 2, per_page: 3, count: 3, total_count: 7, total_pages: 3 },
    });
    expect(page("page=4&per_page=3").result).to.deep.equal([]);
    expect(() => page("page=0")).to.throw(Misunderstood);
  });

  it("have a ceiling, break off, or are always the first", () => {
    expect(page("per_page=50", { ceiling: 2 }).result_info).to.include({ per_page: 2, count: 2 });
    expect(page("per_page=50", { breakOff: 4 })).to.deep.nested.include({ "result_info.count": 4, "result_info.total_count": 7 });
    expect(page("page=2&per_page=3", { ignorePage: true }).result).to.deep.equal([0, 1, 2]);
  });
});

describe("a simulator's pushes", () => {
  it("arrive as often and in the order configured, the same for each seed", async () => {
    const got: string[] = [];
    const server = http.createServer((request, response) => {
      got.push(`${request.headers.host} ${request.url}`);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const service = { port: (server.address() as AddressInfo).port, host: "a.test" };
    const messages = ["/1", "/2", "/3", "/4"].map((path) => ({ path, body: "{}" }));
    expect(await pushAll(service, messages, { repeat: 2, shuffle: 5 })).to.deep.equal(Array(8).fill(204));
    const first = got.splice(0);
    expect(first.toSorted()).to.deep.equal(["1", "1", "2", "2", "3", "3", "4", "4"].map((n) => `a.test /${n}`));
    expect(first).not.to.deep.equal([...messages, ...messages].map(({ path }) => `a.test ${path}`));
    await pushAll(service, messages, { repeat: 2, shuffle: 5 });
    expect(got).to.deep.equal(first);
    expect(shuffled([1, 2, 3, 4, 5], 1)).to.deep.equal(shuffled([1, 2, 3, 4, 5], 1));
    server.close();
  });
});
