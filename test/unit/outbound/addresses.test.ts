import { expect } from "chai";
import { type AddressKind, addressKind, isWithin } from "../../../core/outbound/guard/addresses.ts";
import { isAllowed, type PolicyConfig, type Target } from "../../../core/outbound/guard/policy.ts";

const KINDS: Record<AddressKind, string[]> = {
  public: [
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "169.253.255.255",
    "11.0.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
  ],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "fc00::1",
    "fdff:ffff::1",
    "fec0::1",
    "::ffff:10.0.0.1",
    "::ffff:a00:1",
    "::ffff:0:10.0.0.1",
    "::10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::c0a8:101",
    "2002:a00:1::1",
    "2002:c0a8:101::",
    "2001:0:a00:1::1",
    "2001:0:101:101:0:0:f5ff:fffe",
  ],
  loopback: [
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::127.0.0.1",
  ],
  link_local: ["169.254.0.1", "169.254.255.255", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.1.1"],
  metadata: [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "169.254.170.2",
  ],
  reserved: [
    "0.0.0.0",
    "0.1.2.3",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    "64:ff9b:1::a00:1",
    "5f00::1",
    "4000::1",
    "::ffff:0.0.0.0",
    "example.com",
    "",
    "1.2.3",
  ],
};

describe("the kinds of addresses", () => {
  for (const [kind, addresses] of Object.entries(KINDS))
    it(`${kind}: ${addresses.slice(0, 4).join(", ")} …`, () => {
      expect(addresses.filter((address) => addressKind(address) !== kind)).to.deep.equal([]);
    });

  it("lies within ranges of its own family, also when IPv4 is wrapped in IPv6", () => {
    expect(isWithin("10.1.2.3", ["10.1.0.0/16"])).to.equal(true);
    expect(isWithin("::ffff:10.1.2.3", ["10.1.0.0/16"])).to.equal(true);
    expect(isWithin("10.2.2.3", ["10.1.0.0/16", "::/0", "10.2.2.4"])).to.equal(false);
    expect(isWithin("fd12::1", ["10.0.0.0/8", "fd12::1"])).to.equal(true);
    expect(isWithin("fe80::1%eth0", ["fe80::/10"])).to.equal(true);
  });
});

const EXAMPLES: Record<AddressKind, string> = {
  public: "93.184.216.34",
  private: "10.0.0.1",
  loopback: "127.0.0.1",
  link_local: "169.254.1.1",
  metadata: "169.254.169.254",
  reserved: "198.18.0.1",
};
const hosted: PolicyConfig = { posture: "hosted", outboundAllowedRanges: undefined };
const selfHosted: PolicyConfig = { posture: "self-hosted", outboundAllowedRanges: undefined };
const open = (config: PolicyConfig): PolicyConfig => ({ ...config, outboundAllowedRanges: ["0.0.0.0/0", "::/0"] });
const allowed = (target: Target, config: PolicyConfig) =>
  Object.entries(EXAMPLES)
    .filter(([, address]) => isAllowed(target, address, config))
    .map(([kind]) => kind)
    .join(" ");

/** The table of conventions §17: what may be reached hosted, self-hosted, and when the instance opened every range. */
const TABLE: Record<Target, [hosted: string, selfHosted: string, opened: string]> = {
  automation: ["public", "public", "public private loopback link_local reserved"],
  webhook: ["public", "public", "public private loopback link_local reserved"],
  notification: ["public", "public", "public private loopback link_local reserved"],
  smtp: ["public", "public", "public private loopback link_local reserved"],
  website: ["public", "public", "public private loopback link_local reserved"],
  uptime: ["public", "public", "public private loopback link_local reserved"],
  push: ["public", "public", "public"],
  client_metadata: ["public", "public", "public"],
  sso: ["public", "public private loopback", "public private loopback reserved"],
  ai: [
    "public private loopback link_local reserved",
    "public private loopback link_local reserved",
    "public private loopback link_local reserved",
  ],
  provider: [
    "public private loopback link_local metadata reserved",
    "public private loopback link_local metadata reserved",
    "public private loopback link_local metadata reserved",
  ],
};

describe("what may be called (conventions §17)", () => {
  for (const [target, [whenHosted, whenSelfHosted, whenOpened]] of Object.entries(TABLE) as [Target, [string, string, string]][])
    it(`${target}: ${whenHosted}; self-hosted ${whenSelfHosted}; opened ${whenOpened}`, () => {
      expect(allowed(target, hosted)).to.equal(whenHosted);
      expect(allowed(target, selfHosted)).to.equal(whenSelfHosted);
      expect(allowed(target, open(hosted))).to.equal(whenOpened);
    });

  it("opens only the ranges the instance names", () => {
    const config: PolicyConfig = { posture: "hosted", outboundAllowedRanges: ["10.1.0.0/16"] };
    expect(isAllowed("automation", "10.1.0.9", config)).to.equal(true);
    expect(isAllowed("automation", "10.2.0.9", config)).to.equal(false);
    expect(isAllowed("automation", "::ffff:10.1.0.9", config)).to.equal(true);
  });
});
