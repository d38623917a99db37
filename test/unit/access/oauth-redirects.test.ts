import { expect } from "chai";
import { withParameters } from "../../../core/http/redirect-address.ts";
import { isRedirectUri, isRegistered } from "../../../services/access/oauth/redirect-uris.ts";
import { returnPlace } from "../../../services/api/pages/consent/return-place.ts";

describe("a redirect URI that is registered (access §8.2)", () => {
  const taken = [
    "https://app.example.com/callback",
    "https://app.example.com",
    "https://app.example.com:8443/cb?tenant=1",
    "https://[2001:db8::1]/cb",
    "http://localhost/cb",
    "http://localhost:3000/cb",
    "http://127.0.0.1:8123/",
    "http://[::1]:8123/cb",
    "com.example.app:/oauth",
    "cursor://anysphere.cursor/oauth",
    "myapp:cb",
    `https://app.example.com/${"x".repeat(999)}`,
  ];
  for (const uri of taken)
    it(`may be ${uri.slice(0, 60)}`, () => {
      expect(isRedirectUri(uri)).to.equal(true);
    });

  const refused: [why: string, uri: string][] = [
    ["is empty", ""],
    ["is no address", "callback"],
    ["is relative", "/callback"],
    ["has a fragment", "https://app.example.com/cb#x"],
    ["has an empty fragment", "https://app.example.com/cb#"],
    ["is http elsewhere", "http://app.example.com/cb"],
    ["is http to a name that begins with localhost", "http://localhost.example.com/cb"],
    ["is http to an address that looks like loopback", "http://127.0.0.1.example.com/cb"],
    ["has a user", "https://app.example.com@evil.example/cb"],
    ["has a user and a password", "http://127.0.0.1:80@evil.example/cb"],
    ["runs script", "javascript:alert(1)"],
    ["runs script in capitals", "JavaScript:alert(1)"],
    ["is data", "data:text/html,x"],
    ["is vbscript", "vbscript:x"],
    ["is a file", "file:///etc/passwd"],
    ["is a blob", "blob:https://app.example.com/x"],
    ["has a backslash", "https://evil.example\\@app.example.com/cb"],
    ["has a space", "https://app.example.com/c b"],
    ["has a line break", "https://app.example.com/cb\r\nX: y"],
    ["has letters beyond ASCII", "https://аpp.example.com/cb"],
    ["lacks slashes", "https:app.example.com/cb"],
    ["has a host that means something in a header", "https://a;frame-ancestors/cb"],
    ["is longer than 1024 characters", `https://app.example.com/${"x".repeat(1001)}`],
  ];
  for (const [why, uri] of refused)
    it(`must not be one that ${why}`, () => {
      expect(isRedirectUri(uri)).to.equal(false);
    });
});

describe("a redirect URI of a request (access §8.3)", () => {
  const registered = [
    "https://app.example.com/callback",
    "http://127.0.0.1:1234/cb",
    "http://[::1]/cb?x=1",
    "http://localhost:1/cb",
  ];
  const fits = [...registered, "http://127.0.0.1/cb", "http://127.0.0.1:65535/cb", "http://[::1]:8123/cb?x=1"];
  for (const sent of fits)
    it(`may be ${sent}`, () => {
      expect(isRegistered(sent, registered)).to.equal(true);
    });

  const others: [why: string, sent: string][] = [
    ["a longer path", "https://app.example.com/callback/more"],
    ["a shorter one", "https://app.example.com/call"],
    ["a host that begins alike", "https://app.example.com.evil.example/callback"],
    ["a user before another host", "https://app.example.com@evil.example/callback"],
    ["a path that climbs", "https://app.example.com/callback/../other"],
    ["a path that climbs, encoded", "https://app.example.com/callback/%2e%2e/other"],
    ["a query", "https://app.example.com/callback?next=https://evil.example"],
    ["a fragment", "https://app.example.com/callback#x"],
    ["capitals", "https://APP.example.com/callback"],
    ["a port", "https://app.example.com:443/callback"],
    ["another scheme", "http://app.example.com/callback"],
    ["another path on this machine", "http://127.0.0.1:1234/other"],
    ["a user on this machine", "http://127.0.0.1:1234@evil.example/cb"],
    ["a host that begins with the address", "http://127.0.0.1.evil.example/cb"],
    ["a port that is none", "http://127.0.0.1:99999/cb"],
    ["another query on this machine", "http://[::1]:8123/cb?x=2"],
    ["the name of this machine at another port", "http://localhost:2/cb"],
    ["https on this machine", "https://127.0.0.1:1234/cb"],
    ["nothing", ""],
  ];
  for (const [why, sent] of others)
    it(`may not have ${why}`, () => {
      expect(isRegistered(sent, registered)).to.equal(false);
    });
});

describe("the address a browser goes back to", () => {
  const cases: [uri: string, made: string][] = [
    ["https://a.example/cb", "https://a.example/cb?code=c&iss=i"],
    ["https://a.example/cb?x=1", "https://a.example/cb?x=1&code=c&iss=i"],
    ["https://a.example/cb?", "https://a.example/cb?code=c&iss=i"],
    ["https://a.example/cb?x=%20+", "https://a.example/cb?x=%20+&code=c&iss=i"],
    ["app:/cb", "app:/cb?code=c&iss=i"],
  ];
  for (const [uri, made] of cases)
    it(`of ${uri} keeps the registered one`, () => {
      expect(withParameters(uri, { code: "c", iss: "i", state: undefined, error: null })).to.equal(made);
    });

  it("carries a state as it came", () => {
    expect(new URL(withParameters("https://a.example/", { state: "a b&c=d#é" })).searchParams.get("state")).to.equal("a b&c=d#é");
  });

  const places: [uri: string, place: object][] = [
    ["https://a.example:8443/cb", { kind: "site", host: "a.example:8443", source: "https://a.example:8443" }],
    ["http://127.0.0.1:1234/cb", { kind: "loopback", host: null, source: "http://127.0.0.1:1234" }],
    ["http://[::1]:1234/cb", { kind: "loopback", host: null, source: "http:" }],
    ["com.example.app:/cb", { kind: "app", host: null, source: "com.example.app:" }],
  ];
  for (const [uri, place] of places)
    it(`passes for ${uri}, with a warning`, () => {
      expect(returnPlace(uri)).to.deep.equal(place);
    });
});
