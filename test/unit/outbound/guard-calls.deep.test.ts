import { expect } from "chai";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import { endsBefore } from "../../support/effort.ts";
import { called, outside, useHosts } from "./hosts.ts";

describe("the time and memory of a guarded call (conventions §17)", () => {
  useHosts();

  it("waits 10 seconds at most by default", async () => {
    const began = performance.now();
    expect(await endsBefore(11_500, called(`${outside.origin}/trickle`))).to.equal("timeout");
    expect(performance.now() - began).to.be.at.least(9500);
  });

  it("unpacks no more than it may", async () => {
    const before = process.memoryUsage().rss;
    expect(await called(`${outside.origin}/bomb`, { mostBytes: 1 << 20 })).to.equal("too_large");
    expect(process.memoryUsage().rss - before).to.be.lessThan(60 << 20);
  });

  it("gives the beginning of a body before its end, and breaks off when the time is over", async () => {
    const began = performance.now();
    const { body } = await guardedFetch("automation", { timeout: 1500, mostBytes: 1 << 20 })(`${outside.origin}/trickle`);
    const reader = (body ?? expect.fail("no body")).getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value ?? []).toString()).to.equal("x");
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    expect(
      await endsBefore(
        9000,
        rest().catch((error: Error) => error),
      ),
    ).to.be.instanceOf(Error);
    expect(performance.now() - began).to.be.at.least(1400);
  });
});
