import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { readDelivery } from "../../../integrations/uptime/hook/delivery.ts";
import { readBeat, readStatus, readTime } from "../../../integrations/uptime/kuma/heartbeat.ts";
import { checkAnswer, checkCall } from "../../simulators/uptime-kuma/checker.ts";

const NOW = Date.parse("2026-03-02T12:00:00Z");

describe("a heartbeat", () => {
  const times: [value: unknown, at: string][] = [
    ["2026-03-02 10:20:30.456", "2026-03-02T10:20:30.456Z"],
    ["2026-03-02T10:20:30Z", "2026-03-02T10:20:30.000Z"],
    ["2026-03-02 10:20:30+01:00", "2026-03-02T09:20:30.000Z"],
    ["2026-03-02 12:00:01", "2026-03-02T12:00:00.000Z"],
    ["yesterday", "2026-03-02T12:00:00.000Z"],
    [undefined, "2026-03-02T12:00:00.000Z"],
  ];
  for (const [value, at] of times) it(`of ${value} was at ${at}`, () => expect(readTime(value, NOW)).to.equal(at));

  it("has a status by number or word; anything else is pending", () => {
    const given = [0, 1, 2, 3, "0", "DOWN", " up ", 4, null, undefined, {}, "constructor", "toString"];
    const words = "down up pending maintenance down down up pending pending pending pending pending pending".split(" ");
    expect(given.map(readStatus)).to.deep.equal(words);
  });

  it("takes a list or object where a value belongs as none", () => {
    for (const value of [{ toString: null, valueOf: null }, [0], [["1"]], { toString: 1 }, true])
      expect(readBeat(1, { status: value, time: value, ping: value, msg: value }, NOW), JSON.stringify(value)).to.include({
        status: "pending",
        at: new Date(NOW).toISOString(),
        pingMs: null,
      });
  });

  it("keeps whole milliseconds, and a message without credentials", () => {
    const beat = readBeat(
      1,
      { status: 0, time: "2026-03-02 10:00:00", ping: 12.6, msg: "GET https://u:p@x.nl/?token=abc failed" },
      NOW,
    );
    expect(beat).to.include({ pingMs: 13, message: "GET https://***@x.nl/?*** failed" });
    for (const ping of [null, "", -1, "x", 1e12]) expect(readBeat(1, { ping }, NOW)?.pingMs).to.equal(null);
    expect(readBeat(1, null, NOW)).to.equal(null);
  });
});

describe("a delivery", () => {
  const read = (body: unknown, type = "application/json") =>
    readDelivery(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), type, NOW);

  it("is counted without the page that was saved with it", async () => {
    const heartbeat = { monitorID: 1, status: 1 };
    expect(await read({ heartbeat: { ...heartbeat, response: "x".repeat(500_000) }, monitor: { id: 1 } })).to.have.property(
      "beat",
    );
    expect(await read({ heartbeat: { ...heartbeat, msg: "x".repeat(66_000) }, monitor: { id: 1 } })).to.deep.equal({
      status: 413,
    });
  });

  it("is ignored if its monitor is null, and is invalid without the number of one", async () => {
    expect(await read({ heartbeat: null, monitor: null, msg: "Test" })).to.deep.equal({ status: 200 });
    for (const body of [{}, [], "text", null, { monitor: {} }, { monitor: { id: 0 } }, { monitorID: 2 ** 31 }, "{"])
      expect(await read(body), JSON.stringify(body)).to.deep.equal({ status: 400 });
    for (const form of ["multipart/form-data; boundary=x", "multipart/form-data", "application/x-www-form-urlencoded"])
      expect(await read("rubbish", form), form).to.deep.equal({ status: 400 });
  });
});

describe("the checker of the simulator", () => {
  const none = new Set<string>();
  it("finds the values that the server would reject", () => {
    expect(checkCall("add", [{ name: "x", type: "http", notificationIDList: {} }], none)).to.deep.equal([
      "add: accepted_statuscodes must be a list of text",
    ]);
    expect(checkCall("editMonitor", [{ id: 1, accepted_statuscodes: [] }], none)).to.deep.equal([
      "editMonitor: notificationIDList must be there",
    ]);
    expect(checkCall("add", [{ accepted_statuscodes: [], notificationIDList: {}, madeUp: 1 }], none)).to.deep.equal([
      "add: no field 'madeUp'",
    ]);
    expect(checkCall("login", [{ username: "a" }], none)).to.have.length(1);
    expect(checkCall("getMonitor", [], none)).to.deep.equal(["getMonitor: 0 arguments"]);
    expect(checkCall("getMonitorBeats", [1, 24], none)).to.deep.equal(["no event 'getMonitorBeats'"]);
  });

  it("finds answers that the server never gives", () => {
    expect(checkAnswer("add", { ok: true, msg: "successAdded", msgi18n: true, monitorID: 7 })).to.deep.equal([]);
    expect(checkAnswer("add", { ok: true, id: 7 })).to.have.length(1);
    expect(checkAnswer("loginByToken", { ok: true, token: "x" })).to.have.length(1);
  });
});

describe("socket.io-client", () => {
  it("is loaded by no import of a file, only when the first server is called", () => {
    const root = path.join(import.meta.dirname, "../../..");
    const importing = globSync("{core,mixins,services,integrations,operator,cli}/**/*.ts", { cwd: root }).filter((file) =>
      /^import (?!type )[^;]*from "(socket\.io-client|engine\.io-client|ws)"/m.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(importing).to.deep.equal([]);
  });
});
