import type net from "node:net";
import tls from "node:tls";
import { expect } from "chai";
import sinon from "sinon";
import { runtime } from "../../../core/config/runtime.ts";
import { callOutside, guardedAgent, OutboundFailed } from "../../../core/outbound/call.ts";
import { connectChecked } from "../../../core/outbound/guard/connect.ts";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import { OutboundRefused, type Target } from "../../../core/outbound/guard/policy.ts";
import { endsBefore } from "../../support/effort.ts";
import { called, inside, names, open, outcome, outside, saved, useHosts } from "./hosts.ts";

/** A limit that no machine is too busy for, where the time is not what a test is about. */
const MINUTES = 120_000;

describe("the outbound guard, as an address is called (conventions §17)", () => {
  useHosts();

  describe("a call outside", () => {
    it("reaches the address that was checked and resolves once, though the name points inside a moment later", async () => {
      names.hold("rebind.example", { a: ["127.0.0.2"] }, { a: ["127.0.0.1"] });
      expect(await called(`http://rebind.example:${outside.port}/fine`)).to.equal(200);
      expect([outside.requests.length, inside.requests.length]).to.deep.equal([1, 0]);
      expect(names.asked).to.deep.equal(["A rebind.example", "AAAA rebind.example"]);
      expect(outside.requests[0]).to.match(new RegExp(`^GET /fine HTTP/1.1\r\nhost: rebind.example:${outside.port}\r\n`));
      expect(await called(`http://rebind.example:${outside.port}/fine`)).to.equal("private");
      expect(inside.requests).to.deep.equal([]);
    });

    it("is refused when the name was public as it was saved and is private when it is called", async () => {
      names.hold("later.example", { a: ["93.184.216.34"] }, { a: ["127.0.0.1"] });
      expect(await saved("http://later.example/")).to.equal("allowed");
      expect(await called(`http://later.example:${inside.port}/fine`)).to.equal("private");
      expect(inside.requests).to.deep.equal([]);
    });

    it("tries the other checked addresses when the first does not answer", async () => {
      names.hold("two.example", { a: ["127.0.0.3", "127.0.0.2"] });
      open("127.0.0.2/31");
      expect(await called(`http://two.example:${outside.port}/fine`)).to.equal(200);
    });

    it("never follows a redirect, wherever it points", async () => {
      for (const to of [
        "http://169.254.169.254/latest/",
        `http://127.0.0.1:${inside.port}/fine`,
        `${outside.origin}/fine`,
        "/fine",
      ]) {
        const answer = await callOutside("automation", `${outside.origin}/redirect?to=${encodeURIComponent(to)}`);
        expect([answer.status, answer.headers["location"]]).to.deep.equal([302, to]);
      }
      expect([outside.requests.length, inside.requests.length]).to.deep.equal([4, 0]);
    });

    for (const target of ["automation", "notification", "website", "sso", "ai", "provider"] as const)
      it(`never follows a redirect for ${target}`, async () => {
        expect(await called(`${outside.origin}/redirect?to=${encodeURIComponent(`${inside.origin}/fine`)}`, {}, target)).to.equal(
          302,
        );
        expect([outside.requests.length, inside.requests.length]).to.deep.equal([1, 0]);
      });

    const failures: [path: string, kind: string][] = [
      ["/reset", "unreachable"],
      ["/cut", "unreachable"],
      ["/garbage", "garbage"],
      ["/endless-head", "too_large"],
      ["/endless", "too_large"],
      ["/bomb", "too_large"],
      ["/double-bomb", "garbage"],
      ["/broken-gzip", "garbage"],
      ["/unknown-coding", "garbage"],
    ];
    for (const [path, kind] of failures)
      it(`ends well before its time with '${kind}' at ${path}`, async () => {
        expect(await endsBefore(MINUTES / 2, called(`${outside.origin}${path}`, { timeout: MINUTES }))).to.equal(kind);
      });

    for (const path of ["/silent", "/slow-head", "/trickle"])
      it(`ends when its time is over at ${path}, and leaves no connection`, async () => {
        const began = performance.now();
        expect(await endsBefore(9000, called(`${outside.origin}${path}`, { timeout: 400 }))).to.equal("timeout");
        expect(performance.now() - began).to.be.at.least(350);
        while (outside.open > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      });

    it("counts the answer before and after unpacking", async () => {
      const { body } = await callOutside("automation", `${outside.origin}/packed`, { mostBytes: 100 });
      expect(body.toString()).to.equal("unpacked");
      expect(await called(`${outside.origin}/packed`, { mostBytes: 7 })).to.equal("too_large");
      expect(await called(`${outside.origin}/bomb`, { mostBytes: 1 << 20 })).to.equal("too_large");
    });

    it("gives any status as an answer", async () => {
      expect(await called(`${outside.origin}/status?code=500`)).to.equal(500);
      expect(await called(`${outside.origin}/status?code=404`)).to.equal(404);
    });

    it("sends its input, and no credential of the caller", async () => {
      await callOutside("automation", `${outside.origin}/fine?a=1#part`, {
        method: "POST",
        headers: { "X-Hook": "1" },
        body: "{}",
      });
      const [request = ""] = outside.requests;
      expect(request).to.match(/^POST \/fine\?a=1 HTTP\/1\.1\r\n/);
      expect(request).to.match(/\r\nX-Hook: 1\r\n/i);
      expect(request).not.to.match(/\r\n(cookie|authorization|x-api-key|x-request-id|forwarded|x-forwarded-\w+):/i);
      const key = `kt_${"a".repeat(12)}_${"b".repeat(64)}`;
      for (const headers of [{ Cookie: "a=b; kantoor_session=1" }, { "x-api-key": key }, { Authorization: `Bearer ${key}` }]) {
        const error = await callOutside("automation", `${outside.origin}/fine`, { headers: headers as never }).catch(
          (thrown: Error) => thrown,
        );
        expect((error as Error).message).to.match(/credential/);
      }
      expect(outside.requests).to.have.length(1);
    });

    it("checks again at every connection an agent opens", async () => {
      names.hold("agent.example", { a: ["127.0.0.2"] }, { a: ["127.0.0.1"] });
      const agent = await guardedAgent("automation", MINUTES, { pipelining: 0 });
      const ask = () => agent.request({ origin: `http://agent.example:${outside.port}`, path: "/fine", method: "GET" });
      const { statusCode, body } = await ask();
      await body.dump();
      while (outside.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const error = await ask().catch((thrown: Error) => thrown);
      expect([statusCode, error]).to.satisfy(
        ([status, thrown]: unknown[]) => status === 200 && thrown instanceof OutboundRefused,
      );
      await agent.destroy();
    });

    it("sends TLS the name, not the address", async () => {
      const reported: string[] = [];
      const server = tls.createServer({
        SNICallback(name, done) {
          reported.push(name);
          done(new Error("no certificate"));
        },
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", () => resolve()));
      names.hold("secure.example", { a: ["127.0.0.2"] });
      const { port } = server.address() as net.AddressInfo;
      expect(await called(`https://secure.example:${port}/`)).to.equal("unreachable");
      expect(reported).to.deep.equal(["secure.example"]);
      await new Promise((resolve) => server.close(resolve));
    });
  });

  describe("a fetch that streams", () => {
    const stream = (target: Target = "automation", timeout = MINUTES, mostBytes = 1 << 20) =>
      guardedFetch(target, { timeout, mostBytes });

    it("gives an answer with its body, unpacked", async () => {
      const response = await stream()(`${outside.origin}/packed`, { method: "POST", body: "x", headers: { "X-A": "1" } });
      expect([response.status, await response.text(), response.headers.get("content-encoding")]).to.deep.equal([
        200,
        "unpacked",
        null,
      ]);
      expect(outside.requests[0]).to.match(/^POST \/packed .*x-a: 1.*\r\n\r\nx$/s);
      while (outside.open > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    });

    it("gives the beginning of a body before its end, and breaks off when the time is over", async () => {
      const deadline = new AbortController();
      const stub = sinon.stub(AbortSignal, "timeout").callThrough();
      stub.withArgs(MINUTES).returns(deadline.signal);
      try {
        const { body } = await stream()(`${outside.origin}/trickle`);
        const reader = (body ?? expect.fail("no body")).getReader();
        const { value } = await reader.read();
        expect(Buffer.from(value ?? []).toString()).to.equal("x");
        const rest = async () => {
          while (!(await reader.read()).done);
        };
        deadline.abort(new DOMException("the time is over", "TimeoutError"));
        expect(await rest().catch((error: Error) => error)).to.be.instanceOf(Error);
      } finally {
        stub.restore();
      }
    });

    it("breaks off a body that is too large", async () => {
      for (const path of ["/endless", "/bomb"]) {
        const response = await stream()(`${outside.origin}${path}`);
        expect(await response.text().catch((error: Error) => error), path).to.be.instanceOf(OutboundFailed);
      }
    });

    it("follows no redirect and reaches nothing that is closed", async () => {
      const response = await stream()(`${outside.origin}/redirect?to=${encodeURIComponent(`${inside.origin}/fine`)}`);
      expect([response.status, inside.requests.length]).to.deep.equal([302, 0]);
      expect(await outcome(stream()(`${inside.origin}/fine`))).to.equal("private");
      expect(await outcome(stream("ai")(`${inside.origin}/fine`))).to.equal(200);
      expect(await outcome(stream("ai")("http://169.254.169.254/"))).to.equal("private");
      expect(await outcome(stream("automation", 500)(`${outside.origin}/silent`))).to.equal("timeout");
    });
  });

  describe("a connection to a relay", () => {
    const relay = (host: string, port = outside.port, timeout = MINUTES) =>
      outcome(
        connectChecked("smtp", { host, port }, runtime().config, timeout).then((socket) => {
          const { remoteAddress } = socket;
          socket.destroy();
          return { status: remoteAddress };
        }),
      );

    it("goes to the address that was checked", async () => {
      names.hold("mail.example", { a: ["127.0.0.2"] }, { a: ["127.0.0.1"] });
      expect(await relay("mail.example")).to.equal("127.0.0.2");
      expect(await relay("mail.example")).to.equal("private");
      expect(names.asked.filter((one) => one.startsWith("A "))).to.have.length(2);
    });

    it("is refused to internal addresses in any spelling, and to invalid hosts", async () => {
      for (const host of ["127.0.0.1", "127.1", "0x7f.1", "::1", "[::1]", "::ffff:127.0.0.1", "localhost", "10.0.0.1"])
        expect(await relay(host), host).to.equal("private");
      for (const host of ["", "a b", "user@mail.example", "mail.example:25", "http://mail.example", "mail.example/x", "[::1]:25"])
        expect(await relay(host), host).to.equal("invalid");
      for (const port of [0, -1, 65536, 2.5]) expect(await relay("127.0.0.2", port), String(port)).to.equal("port");
      expect(await relay("nowhere.example")).to.equal("unresolved");
    });

    it("fails with the socket's own error if nobody listens", async () => {
      // A port below those that programs are given: nothing else can take it meanwhile.
      const connecting = connectChecked("smtp", { host: "127.0.0.2", port: 9 }, runtime().config);
      const error = await connecting.catch((thrown: Error) => thrown);
      expect((error as NodeJS.ErrnoException).code).to.equal("ECONNREFUSED");
    });

    it("gives up in time while the name server is silent", async () => {
      names.hold("silent.example", { silent: true });
      const began = performance.now();
      const connecting = connectChecked("smtp", { host: "silent.example", port: 25 }, runtime().config, 500);
      const error = await endsBefore(
        9000,
        connecting.catch((thrown: Error) => thrown),
      );
      expect(error).to.be.instanceOf(Error);
      expect(performance.now() - began).to.be.at.least(400);
    });
  });
});
