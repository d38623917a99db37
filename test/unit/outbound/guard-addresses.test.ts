import { lookup } from "node:dns/promises";
import { hostname } from "node:os";
import { expect } from "chai";
import { checkUrl } from "../../../core/outbound/call.ts";
import type { Target } from "../../../core/outbound/guard/policy.ts";
import type { NameAnswer } from "../../simulators/names.ts";
import { endsBefore } from "../../support/effort.ts";
import { names, open, outcome, saved, useHosts } from "./hosts.ts";

describe("the outbound guard, as an address is entered (conventions §17)", () => {
  useHosts();

  describe("an entered address", () => {
    const refused: [url: string, reason: string, target?: Target][] = [
      ["ftp://example.com/", "invalid"],
      ["file:///etc/passwd", "invalid"],
      ["gopher://example.com/", "invalid"],
      ["javascript:alert(1)", "invalid"],
      ["//example.com/", "invalid"],
      ["http:example.com", "invalid"],
      ["http:\\\\127.0.0.1\\", "invalid"],
      ["http://", "invalid"],
      ["http://1.2.3.4.5/", "invalid"],
      ["http://256.1.1.1/", "invalid"],
      ["http://exa mple.com/", "invalid"],
      ["http://example.com/\r\nX-Injected: 1", "invalid"],
      ["http://[fe80::1%25eth0]/", "invalid"],
      [`http://example.com/${"x".repeat(9000)}`, "invalid"],
      ["http://user@93.184.216.34/", "credentials"],
      ["http://user:pass@93.184.216.34/", "credentials"],
      ["http://93.184.216.34@127.0.0.1/", "credentials"],
      ["http://93.184.216.34:22/", "port"],
      ["http://93.184.216.34:25/", "port"],
      ["http://93.184.216.34:6379/", "port"],
      ["http://93.184.216.34:0/", "port"],
      ["http://93.184.216.34/", "https_required", "push"],
      ["http://93.184.216.34/", "https_required", "client_metadata"],
      ["http://127.0.0.1/", "private"],
      ["http://127.0.0.1./", "private"],
      ["http://127.1/", "private"],
      ["http://2130706433/", "private"],
      ["http://0x7f000001/", "private"],
      ["http://0x7f.1/", "private"],
      ["http://0177.0.0.1/", "private"],
      ["http://%31%32%37.0.0.1/", "private"],
      ["http://①②⑦.0.0.1/", "private"],
      ["http://127。0。0。1/", "private"],
      ["http://0/", "private"],
      ["http://0.0.0.0:8080/", "private"],
      ["http://10.0.0.1/", "private"],
      ["http://172.16.0.1/", "private"],
      ["http://192.168.1.1/", "private"],
      ["http://100.64.0.1/", "private"],
      ["http://169.254.169.254/latest/meta-data/", "private"],
      ["http://2852039166/", "private"],
      ["http://198.18.0.1/", "private"],
      ["http://224.0.0.1/", "private"],
      ["http://255.255.255.255/", "private"],
      ["http://[::1]/", "private"],
      ["http://[::]/", "private"],
      ["http://[::ffff:127.0.0.1]/", "private"],
      ["http://[::ffff:7f00:1]/", "private"],
      ["http://[::127.0.0.1]/", "private"],
      ["http://[64:ff9b::7f00:1]/", "private"],
      ["http://[2002:7f00:1::]/", "private"],
      ["http://[2001:0:a00:1::1]/", "private"],
      ["http://[fe80::1]/", "private"],
      ["http://[fd00::1]/", "private"],
      ["http://[fd00:ec2::254]/", "private"],
      ["http://[ff02::1]/", "private"],
      ["http://[2001:db8::1]/", "private"],
      ["http://localhost/", "private"],
      ["http://LOCALHOST./", "private"],
      ["http://a.localhost/", "private"],
      ["https://127.0.0.1/", "private", "push"],
      ["https://127.0.0.2/", "private", "push"],
      ["https://127.0.0.2/", "private", "client_metadata"],
      ["http://169.254.169.254/", "private", "sso"],
      ["http://169.254.169.254/", "private", "ai"],
      ["http://nowhere.example/", "unresolved"],
      ["http://foo..bar/", "unresolved"],
    ];
    for (const [url, reason, target] of refused)
      it(`is refused when it is ${url.slice(0, 60).replaceAll("\r\n", "␍␊")}${target ? ` for ${target}` : ""}: ${reason}`, async () => {
        expect(await saved(url, target)).to.equal(reason);
      });

    const fine: [url: string, target: Target][] = [
      ["http://93.184.216.34/hook", "automation"],
      ["https://93.184.216.34:8443/hook?a=b#c", "notification"],
      ["http://[2606:4700::1111]/", "website"],
      ["https://93.184.216.34/", "push"],
      ["http://127.0.0.2/", "website"],
      ["http://127.0.0.1:11434/v1", "ai"],
      ["http://192.168.1.9/v1", "ai"],
    ];
    for (const [url, target] of fine)
      it(`is accepted as ${url} for ${target}`, async () => {
        expect(await saved(url, target)).to.equal("allowed");
      });

    it("can be on the internal network for single sign-on of a self-hosted installation only, link-local and metadata never", async () => {
      const both = async () => [await saved("http://10.0.0.1/", "sso"), await saved("http://169.254.7.7/", "sso")];
      expect(await both()).to.deep.equal(["private", "private"]);
      open("169.254.0.0/16", { SERVICE_POSTURE: "self-hosted" });
      expect(await both()).to.deep.equal(["allowed", "private"]);
      open("10.0.0.0/8,169.254.0.0/16");
      expect(await both()).to.deep.equal(["allowed", "private"]);
    });
  });

  describe("a name", () => {
    const PUBLIC = "93.184.216.34";
    const cases: [what: string, answer: NameAnswer, verdict: string][] = [
      ["with one public address is taken", { a: [PUBLIC] }, "allowed"],
      ["with public addresses of both families is taken", { a: [PUBLIC], aaaa: ["2606:4700::1111"] }, "allowed"],
      ["with several addresses of which one is private is refused", { a: [PUBLIC, "1.1.1.1", "10.0.0.1"] }, "private"],
      ["whose IPv6 address alone is private is refused", { a: [PUBLIC], aaaa: ["fd00::1"] }, "private"],
      ["whose IPv6 address is a wrapped private IPv4 is refused", { a: [PUBLIC], aaaa: ["::ffff:10.0.0.1"] }, "private"],
      ["whose IPv6 address is 6to4 of a private IPv4 is refused", { aaaa: ["2002:a00:1::1"] }, "private"],
      ["that is an alias of a private host is refused", { cname: "inner.example", a: ["192.168.0.1"] }, "private"],
      ["that is an alias of a public host is taken", { cname: "outer.example", a: [PUBLIC] }, "allowed"],
      ["that points at the metadata address is refused", { a: ["169.254.169.254"] }, "private"],
      ["that exists without an address is refused", {}, "unresolved"],
      ["whose server fails is refused", { rcode: "SERVFAIL" }, "unresolved"],
      ["whose server refuses is refused", { rcode: "REFUSED" }, "unresolved"],
      ["whose server answers nonsense is refused", { garbage: true }, "unresolved"],
      [
        "with more addresses than anybody needs is refused",
        { a: Array.from({ length: 65 }, (_, n) => `1.1.1.${n}`) },
        "unresolved",
      ],
      ["that resolves slowly is waited for", { a: [PUBLIC], delay: 300 }, "allowed"],
    ];
    for (const [what, answer, verdict] of cases)
      it(what, async () => {
        names.hold("host.example", answer);
        expect(await saved("https://host.example/")).to.equal(verdict);
      });

    it("is sent as the URL standard spells it: international and with a trailing dot", async () => {
      names.hold("xn--mnchen-3ya.example", { a: [PUBLIC] });
      expect(await saved("https://MÜNCHEN.example./")).to.equal("allowed");
      expect(names.asked).to.include("A xn--mnchen-3ya.example");
    });

    it("is looked for in the machine's hosts file only where its own network may be reached, and DNS does not know it", async () => {
      const own = hostname().toLowerCase();
      const isThere = await lookup(own).then(
        () => "allowed",
        () => "unresolved",
      );
      expect(await saved(`http://${own}/`, "ai")).to.equal(isThere);
      expect(await saved(`https://${own}/`, "push")).to.equal("unresolved");
      open("127.0.0.2/32", { SERVICE_OUTBOUND_NAME_SERVERS: "127.0.0.1:9" });
      expect(await saved(`http://${own}/`, "ai")).to.equal(isThere);
      expect(await saved("https://outside.example/", "push")).to.equal("unresolved");
    });

    it("whose name server is silent is given up in time", async () => {
      names.hold("silent.example", { silent: true });
      const began = performance.now();
      const asked = outcome(checkUrl("automation", "https://silent.example/", 700));
      expect(await endsBefore(9000, asked)).to.equal("timeout");
      expect(performance.now() - began).to.be.at.least(600);
    });
  });
});
