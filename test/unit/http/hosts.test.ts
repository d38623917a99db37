import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { readConfig } from "../../../core/config/config.ts";
import { readCallers } from "../../../services/api/http/hosts.ts";

const callers = (environment: Record<string, string> = {}, port?: number, scheme: "http" | "https" = "http") =>
  readCallers(readConfig({ SERVICE_BASE_DOMAIN: "kantoor.test", ...environment }), scheme, port);
const request = (headers: Record<string, string>, remoteAddress = "203.0.113.9") =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe("the effective host", () => {
  const table: [string, string][] = [
    ["acme.kantoor.test", "acme.kantoor.test"],
    ["ACME.Kantoor.Test", "acme.kantoor.test"],
    ["acme.kantoor.test:3000", "acme.kantoor.test"],
    ["acme.kantoor.test.", "acme.kantoor.test"],
    ["acme.kantoor.test.:443", "acme.kantoor.test"],
    ["[::1]:3000", "[::1]"],
    ["[::1]", "[::1]"],
    ["127.0.0.1:80", "127.0.0.1"],
    ["", ""],
  ];
  for (const [host, wanted] of table)
    it(`of '${host}' is '${wanted}'`, () => {
      expect(callers().host(request({ host }))).to.equal(wanted);
    });

  it("of a request without Host is invalid", () => {
    expect(callers().host(request({}))).to.equal("");
  });

  const forwarded = { host: "inner.test", "x-forwarded-host": "Outer.test:443, next.test" };
  for (const [trust, peer, wanted] of [
    ["", "127.0.0.1", "inner.test"],
    ["127.0.0.1", "127.0.0.1", "outer.test"],
    ["127.0.0.1", "::ffff:127.0.0.1", "outer.test"],
    ["127.0.0.1", "127.0.0.2", "inner.test"],
    ["10.0.0.0/8,192.168.1.1", "10.200.3.4", "outer.test"],
    ["10.0.0.0/8,192.168.1.1", "192.168.1.1", "outer.test"],
    ["10.0.0.0/8,192.168.1.1", "192.168.1.2", "inner.test"],
    ["fd00::/8, ::1", "fd12::7", "outer.test"],
    ["fd00::/8, ::1", "::1", "outer.test"],
    ["fd00::/8, ::1", "fe80::1", "inner.test"],
    ["0.0.0.0/0", "203.0.113.1", "outer.test"],
  ] as const)
    it(`trusting '${trust}', from ${peer}, is ${wanted}`, () => {
      const environment: Record<string, string> = trust === "" ? {} : { SERVICE_TRUSTED_PROXIES: trust };
      expect(callers(environment).host(request(forwarded, peer))).to.equal(wanted);
    });
});

describe("the client address", () => {
  const trusting = callers({ SERVICE_TRUSTED_PROXIES: "10.0.0.0/8" });
  for (const [name, forwarded, peer, wanted] of [
    ["the socket's, untrusted", "198.51.100.1", "203.0.113.9", "203.0.113.9"],
    ["the forwarded one", "198.51.100.1", "10.0.0.1", "198.51.100.1"],
    ["the right-most untrusted one", "1.1.1.1, 198.51.100.1, 10.0.0.2", "10.0.0.1", "198.51.100.1"],
    ["never one a caller put in front", "6.6.6.6, 198.51.100.1", "10.0.0.1", "198.51.100.1"],
    ["the socket's when all are trusted", "10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.1"],
    ["the socket's when there is none", "", "10.0.0.1", "10.0.0.1"],
    ["the right-most one without its port", "6.6.6.6, 198.51.100.1:50432", "10.0.0.1", "198.51.100.1"],
    ["the right-most IPv6 one without brackets and port", "6.6.6.6, [2001:db8::7]:50432", "10.0.0.1", "2001:db8::7"],
    ["never one that a caller put in front of what is no address", "6.6.6.6, unknown", "10.0.0.1", "10.0.0.1"],
    ["the socket's when none is an address", "unknown, _hidden", "10.0.0.1", "10.0.0.1"],
    ["an IPv6 one", "2001:db8::7", "10.0.0.1", "2001:db8::7"],
    ["an IPv4 one in IPv6 clothes", "::ffff:198.51.100.1", "::ffff:10.0.0.1", "198.51.100.1"],
  ] as const)
    it(`is ${name}`, () => {
      expect(trusting.address(request({ "x-forwarded-for": forwarded }, peer))).to.equal(wanted);
    });
});

describe("the slug of a host", () => {
  for (const [host, wanted] of [
    ["acme.kantoor.test", "acme"],
    ["a.b.kantoor.test", null],
    ["kantoor.test", null],
    [".kantoor.test", null],
    ["acmekantoor.test", null],
    ["acme.kantoor.test.evil.test", null],
    ["", null],
  ] as const)
    it(`'${host}' is ${wanted}`, () => {
      expect(callers().slug(host)).to.equal(wanted);
    });
});

describe("the origin callers see", () => {
  for (const [scheme, port, wanted] of [
    ["http", undefined, "http://a.test"],
    ["http", 80, "http://a.test"],
    ["http", 3000, "http://a.test:3000"],
    ["https", undefined, "https://a.test"],
    ["https", 443, "https://a.test"],
    ["https", 80, "https://a.test:80"],
    ["https", 8443, "https://a.test:8443"],
  ] as const)
    it(`is ${wanted}`, () => {
      expect(callers({}, port, scheme).origin("a.test")).to.equal(wanted);
    });
});
