import { expect } from "chai";
import { remoteMonitor, withoutCredentials } from "../../../integrations/uptime/kuma/remote-monitor.ts";
import type { UptimeMonitorRow, UptimeProfileRow } from "../../../integrations/uptime/models.ts";
import { hostNames } from "../../../integrations/uptime/monitors/host-names.ts";
import { BUILT_IN, type PartialSettings, resolvedSettings } from "../../../integrations/uptime/monitors/settings.ts";
import { driftOf } from "../../../integrations/uptime/sync/drift.ts";
import { storedMonitor } from "../../simulators/uptime-kuma/monitors.ts";

describe("settings of a monitor", () => {
  it("are built in: 60 s, 1 retry, 60 s between retries, no resend, 48 s, GET, 200-299, 10 redirects, expiry notice on", () => {
    expect(resolvedSettings(null, {})).to.deep.equal({
      interval_seconds: 60,
      retries: 1,
      retry_interval_seconds: 60,
      resend_interval: 0,
      timeout_seconds: 48,
      method: "GET",
      accepted_statuses: ["200-299"],
      max_redirects: 10,
      expiry_notification: true,
    });
  });

  const cases: [what: string, profile: PartialSettings | null, own: PartialSettings, expected: PartialSettings][] = [
    ["a profile comes before what is built in", { interval_seconds: 120 }, {}, { interval_seconds: 120, retries: 1 }],
    ["the monitor comes before its profile", { interval_seconds: 120 }, { interval_seconds: 30 }, { interval_seconds: 30 }],
    ["null leaves a value to what comes before", { retries: 4 }, { retries: null }, { retries: 4 }],
    [
      "zero and false are values",
      { retries: 4, expiry_notification: false },
      { retries: 0 },
      { retries: 0, expiry_notification: false },
    ],
    ["then clamped from below", { interval_seconds: 1 }, { retries: -3 }, { interval_seconds: 20, retries: 0 }],
    ["and from above", { interval_seconds: 100_000 }, { retries: 99 }, { interval_seconds: 86_400, retries: 10 }],
  ];
  for (const [what, profile, own, expected] of cases)
    it(what, () => expect(resolvedSettings(profile, own)).to.deep.include({ ...BUILT_IN, ...expected }));
});

describe("the host names of a target", () => {
  const cases: [target: string | null, names: string[]][] = [
    ["https://www.Shop.example.nl:8443/a?b=c#d", ["shop.example.nl", "example.nl"]],
    ["shop.example.nl", ["shop.example.nl", "example.nl"]],
    ["https://münchen.example./", ["xn--mnchen-3ya.example"]],
    ["https://192.0.2.1/", []],
    ["https://[2001:db8::1]/", []],
    ["localhost", []],
    ["", []],
    [null, []],
  ];
  for (const [target, names] of cases) it(`of '${target}' are '${names}'`, () => expect(hostNames(target)).to.deep.equal(names));
});

describe("the stored part of a monitor", () => {
  it("is our own fields, and none of the passwords and keys around it", () => {
    const raw = storedMonitor(4, { name: "Shop", type: "http", url: "https://u:secret@shop.example/x", parent: 3 });
    expect(remoteMonitor(raw)).to.deep.equal({
      id: 4,
      name: "Shop",
      type: "http",
      target: "https://shop.example/x",
      port: null,
      interval: 60,
      retries: 0,
      parent: 3,
      active: true,
    });
  });

  it("is empty for an invalid monitor", () => {
    for (const raw of [null, 3, "x", {}, { id: "x", type: "http" }, { id: 1 }]) expect(remoteMonitor(raw)).to.equal(null);
  });

  it("loses credentials of any address, also one that cannot be parsed", () => {
    expect(withoutCredentials("https://u:p@x.nl/a")).to.equal("https://x.nl/a");
    expect(withoutCredentials("https://u:p@x y/a")).to.equal("https://x y/a");
    expect(withoutCredentials("https://x.nl/@a")).to.equal("https://x.nl/@a");
  });
});

describe("drift", () => {
  const row = (values: object = {}) =>
    ({
      name: "Shop",
      monitor_type: "http",
      target: "https://shop.example/",
      port: null,
      interval_seconds: null,
      retries: null,
      adopted: false,
      ...values,
    }) as unknown as UptimeMonitorRow;
  const there = (values: object = {}) =>
    remoteMonitor(
      storedMonitor(1, { name: "Shop", type: "http", url: "https://shop.example/", maxretries: 1, ...values }),
    ) as never;

  const cases: [what: string, fields: string[], row: UptimeMonitorRow, remote: never][] = [
    ["is none where both are the same", [], row(), there()],
    [
      "names each field that differs",
      ["name", "interval_seconds", "retries"],
      row(),
      there({ name: "X", interval: 1, maxretries: 2 }),
    ],
    ["names the type with its target", ["monitor_type", "target"], row(), there({ type: "ping", hostname: "shop.example" })],
    ["is none of a monitor that was adopted", [], row({ adopted: true }), there({ name: "X", interval: 1 })],
    ["is none of one that was paused", [], row(), there({ active: false })],
    ["is none of what we do not own", [], row(), there({ description: "X", timeout: 5 })],
  ];
  for (const [what, fields, ours, remote] of cases) it(what, () => expect(driftOf(ours, null, remote)).to.deep.equal(fields));

  it("compares with the profile's result", () => {
    const profile = { interval_seconds: 300 } as unknown as UptimeProfileRow;
    expect(driftOf(row(), profile, there({ interval: 300 }))).to.deep.equal([]);
    expect(driftOf(row(), profile, there())).to.deep.equal(["interval_seconds"]);
  });
});
