import { expect } from "chai";
import { type LookupTimeouts, lookUp } from "../../../services/assets/dns/lookup.ts";
import { readAddress } from "../../../services/assets/dns/name-server.ts";
import { dnskey, ns, ZoneServer } from "../../simulators/zones.ts";

const NAME = "zaak.example";
const NOTHING = { host: "127.0.0.1", port: 9 };
/** Longer than a test may take: what waits for them is red. */
const ENDLESS: LookupTimeouts = { first: 1_000_000, whole: 2_000_000 };
/** A first try that is soon over, and minutes for the next. */
const HASTY: LookupTimeouts = { first: 50, whole: 1_000_000 };

describe("a look into DNS", () => {
  const [first, second] = [new ZoneServer(), new ZoneServer()];
  before(() => Promise.all([first.start(), second.start()]));
  after(() => Promise.all([first.stop(), second.stop()]));
  beforeEach(() => {
    for (const server of [first, second]) {
      server.asked.length = 0;
      server.script = () => ({ answers: [ns(NAME, "ns1.host.example")] });
    }
  });

  const server = ({ port }: ZoneServer) => ({ host: "127.0.0.1", port });
  const look = (servers = [server(first)], timeouts = ENDLESS, signal = new AbortController().signal) =>
    lookUp(NAME, "NS", signal, servers, timeouts);
  const dataOf = async (...given: Parameters<typeof look>) => (await look(...given))?.answers?.map(({ data }) => data);

  it("sends one query, by UDP, and reports how long an answer may be", async () => {
    expect(await dataOf()).to.deep.equal(["ns1.host.example"]);
    expect(first.asked).to.deep.equal([{ name: NAME, type: "NS", class: "IN", by: "udp", extended: true } as object]);
  });

  it("queries by TCP for long answers", async () => {
    const keys = Array.from({ length: 30 }, () => dnskey(NAME, 200));
    first.script = () => ({ truncated: true, answers: keys });
    const reply = await lookUp(NAME, "DNSKEY", new AbortController().signal, [server(first)], ENDLESS);
    expect(reply?.answers).to.have.length(30);
    expect(first.asked.map(({ by }) => by)).to.deep.equal(["udp", "tcp"]);
  });

  it("asks a server that does not know EDNS without it", async () => {
    for (const rcode of ["FORMERR", "NOTIMP"] as const) {
      first.asked.length = 0;
      first.script = ({ extended }) => (extended ? { rcode } : { answers: [ns(NAME, "old.host.example")] });
      expect(await dataOf()).to.deep.equal(["old.host.example"]);
      expect(first.asked.map(({ extended }) => extended)).to.deep.equal([true, false]);
    }
  });

  it("ignores answers to other questions", async () => {
    first.script = () => [
      { wrongId: true, answers: [ns(NAME, "evil.example")] },
      { about: { type: "NS", name: "other.example" }, answers: [ns("other.example", "evil.example")] },
      { about: { type: "A", name: NAME } },
      { delay: 30, answers: [ns(NAME, "real.example")] },
    ];
    expect(await dataOf()).to.deep.equal(["real.example"]);
  });

  it("accepts a missing name as an answer, and asks no other server", async () => {
    first.script = () => ({ rcode: "NXDOMAIN" });
    expect((await look([server(first), server(second)]))?.rcode).to.equal("NXDOMAIN");
    expect(second.asked).to.have.length(0);
  });

  it("asks the next server where one fails, refuses, talks nonsense or is not there", async () => {
    for (const reply of [{ rcode: "SERVFAIL" }, { rcode: "REFUSED" }, { bytes: Buffer.from("nonsense") }] as const) {
      first.script = () => reply;
      expect(await dataOf([server(first), server(second)])).to.deep.equal(["ns1.host.example"]);
    }
    expect(await dataOf([NOTHING, server(second)])).to.deep.equal(["ns1.host.example"]);
  });

  it("returns the failure if all fail, and nothing without servers, at once", async () => {
    first.script = () => ({ rcode: "SERVFAIL" });
    const [failed, ...none] = await Promise.all([look([server(first), NOTHING]), look([NOTHING]), look([])]);
    expect(failed?.rcode).to.equal("SERVFAIL");
    expect(none).to.deep.equal([null, null]);
  });

  it("asks a silent server again, after the others", async () => {
    first.script = () => (first.asked.length === 1 ? null : { answers: [ns(NAME, "late.example")] });
    expect(await dataOf([server(first)], HASTY)).to.deep.equal(["late.example"]);
    first.asked.length = 0;
    first.script = () => null;
    expect(await dataOf([server(first), server(second)], HASTY)).to.deep.equal(["ns1.host.example"]);
  });

  it("ends after its time, and before where its caller ends it", async () => {
    first.script = () => null;
    const began = performance.now();
    expect(await look([server(first)], { first: 20, whole: 100 })).to.equal(null);
    expect(performance.now() - began).to.be.at.least(95);
    const controller = new AbortController();
    const ending = look([server(first)], ENDLESS, controller.signal);
    setTimeout(() => controller.abort(), 100);
    expect(await ending).to.equal(null);
  });

  it("reads where servers are", () => {
    expect(["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:5353"].map(readAddress)).to.deep.equal([
      { host: "192.0.2.1", port: 53 },
      { host: "192.0.2.1", port: 5353 },
      { host: "2001:db8::1", port: 53 },
      { host: "2001:db8::1", port: 53 },
      { host: "2001:db8::1", port: 5353 },
    ]);
  });
});
