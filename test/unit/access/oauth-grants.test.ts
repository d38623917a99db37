import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Principal } from "../../../core/declare/principal.ts";
import { bearerChallenge, isMeantFor, isResource } from "../../../core/security/oauth-resource.ts";
import { isChallenge, isVerifierOf } from "../../../core/security/pkce.ts";
import {
  type Code,
  codeOutcome,
  type Outcome,
  type RefreshToken,
  refreshOutcome,
} from "../../../services/access/oauth/grants.ts";
import { wellKnown } from "../../../services/api/http/well-known.ts";

const code: Code = {
  clientId: "c",
  redirectUri: "https://a.example/cb",
  resource: "https://o.example/mcp",
  isRedeemed: false,
  isUnexpired: true,
  isOwnerLive: true,
};
const sent = { clientId: "c", redirectUri: code.redirectUri, verifierFits: true, resource: null };

describe("a code that is presented (access §8.4)", () => {
  const cases: [what: string, outcome: Outcome, code: Partial<Code>, sent: object][] = [
    ["as it was issued", "good", {}, {}],
    ["with its resource", "good", {}, { resource: code.resource }],
    ["with another resource", "wrong_target", {}, { resource: "https://o.example/mcp/x" }],
    ["with a resource where none was recorded", "wrong_target", { resource: null }, { resource: "https://o.example/mcp" }],
    ["by another client", "refused", {}, { clientId: "d" }],
    ["by a client that is no row yet", "refused", {}, { clientId: null }],
    ["with another redirect URI", "refused", {}, { redirectUri: "https://a.example/c" }],
    ["with another verifier", "refused", {}, { verifierFits: false }],
    ["too late", "refused", { isUnexpired: false }, {}],
    ["when its owner is gone", "refused", { isOwnerLive: false }, {}],
    ["again", "replayed", { isRedeemed: true }, {}],
    ["again and too late", "replayed", { isRedeemed: true, isUnexpired: false }, {}],
    ["again with another verifier", "replayed", { isRedeemed: true }, { verifierFits: false }],
    ["again by another client", "refused", { isRedeemed: true }, { clientId: "d" }],
  ];
  for (const [what, outcome, state, request] of cases)
    it(`${what} is ${outcome}`, () => {
      expect(codeOutcome({ ...code, ...state }, { ...sent, ...request })).to.equal(outcome);
    });
});

const token: RefreshToken = {
  clientId: "c",
  resource: null,
  isRotated: false,
  inGrace: false,
  isSuccessorUnused: false,
  isUnexpired: true,
  isSessionLive: true,
  isOwnerLive: true,
};
const lost = { isRotated: true, inGrace: true, isSuccessorUnused: true };

describe("a refresh token that is presented (access §8.4)", () => {
  const cases: [what: string, outcome: Outcome, token: Partial<RefreshToken>, sent: object][] = [
    ["for the first time", "good", {}, {}],
    ["by another client", "refused", {}, { clientId: "d" }],
    ["too late", "refused", { isUnexpired: false }, {}],
    ["of a revoked session", "refused", { isSessionLive: false }, {}],
    ["of a person who is gone", "refused", { isOwnerLive: false }, {}],
    ["for another resource", "wrong_target", {}, { resource: "https://o.example/mcp" }],
    ["again at once", "again", lost, {}],
    ["again at once, of a revoked session", "refused", { ...lost, isSessionLive: false }, {}],
    ["again at once, of a person who is gone", "refused", { ...lost, isOwnerLive: false }, {}],
    ["again at once, for another resource", "wrong_target", lost, { resource: "https://o.example/mcp" }],
    ["again later", "replayed", { ...lost, inGrace: false }, {}],
    ["again when its successor was used", "replayed", { ...lost, isSuccessorUnused: false }, {}],
    ["again later, of a person who is gone", "replayed", { ...lost, inGrace: false, isOwnerLive: false }, {}],
    ["again later by another client", "refused", { ...lost, inGrace: false }, { clientId: "d" }],
  ];
  for (const [what, outcome, state, request] of cases)
    it(`${what} is ${outcome}`, () => {
      expect(refreshOutcome({ ...token, ...state }, { clientId: "c", resource: null, ...request })).to.equal(outcome);
    });
});

describe("a proof key (RFC 7636)", () => {
  // The example of appendix B.
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

  it("fits its challenge and no other", () => {
    expect(isVerifierOf(verifier, challenge)).to.equal(true);
    expect(isVerifierOf(`${verifier}x`, challenge)).to.equal(false);
    expect(isVerifierOf(challenge, challenge), "the challenge itself").to.equal(false);
    expect(isVerifierOf("short", createHash("sha256").update("short").digest("base64url")), "too short").to.equal(false);
    expect(isVerifierOf(verifier, `${challenge}x`), "another length").to.equal(false);
  });

  const challenges: [challenge: string, method: string, taken: boolean][] = [
    [challenge, "S256", true],
    ["x".repeat(128), "S256", true],
    [challenge, "plain", false],
    [challenge, "s256", false],
    [challenge, "", false],
    ["x".repeat(42), "S256", false],
    ["x".repeat(129), "S256", false],
    [`${"x".repeat(42)}!`, "S256", false],
  ];
  for (const [given, method, taken] of challenges)
    it(`is ${taken ? "taken" : "refused"} by ${method || "no method"} with ${given.length} characters`, () => {
      expect(isChallenge(given, method)).to.equal(taken);
    });
});

describe("a protected resource (access §8.1)", () => {
  const origin = "https://o.example";
  for (const resource of [`${origin}/mcp`, `${origin}/mcp/every-day_1`])
    it(`is ${resource}`, () => {
      expect(isResource(origin, resource)).to.equal(true);
    });
  for (const resource of [
    origin,
    `${origin}/`,
    `${origin}/mcp/`,
    `${origin}/mcp?x`,
    `${origin}/mcp/a/b`,
    `${origin}.evil/mcp`,
    "/mcp",
    "https://p.example/mcp",
  ])
    it(`is not ${resource}`, () => {
      expect(isResource(origin, resource)).to.equal(false);
    });

  it("refuses tokens of another", () => {
    const credential = (resource?: string) =>
      ({ credential: { kind: "key", id: "k", ...(resource && { resource }) } }) as Principal;
    expect(isMeantFor(credential(), origin, "/mcp"), "none recorded").to.equal(true);
    expect(isMeantFor(credential(`${origin}/mcp`), origin, "/mcp")).to.equal(true);
    expect(isMeantFor(credential(`${origin}/mcp/x`), origin, "/mcp")).to.equal(false);
    expect(isMeantFor(credential("https://p.example/mcp"), origin, "/mcp"), "of another address").to.equal(false);
  });

  it("names its metadata in a challenge", () => {
    expect(bearerChallenge(origin)).to.equal(
      'Bearer resource_metadata="https://o.example/.well-known/oauth-protected-resource/mcp"',
    );
    expect(bearerChallenge(origin, "/mcp/x", "invalid_token")).to.equal(
      'Bearer error="invalid_token", resource_metadata="https://o.example/.well-known/oauth-protected-resource/mcp/x"',
    );
  });

  const paths: [path: string, elsewhere: string | null][] = [
    ["/.well-known/oauth-authorization-server", "/api/v1/oauth/metadata/authorization-server"],
    ["/.well-known/oauth-authorization-server/mcp", null],
    ["/.well-known/oauth-protected-resource", "/api/v1/oauth/metadata/protected-resource resource_path=/mcp"],
    ["/.well-known/oauth-protected-resource/mcp", "/api/v1/oauth/metadata/protected-resource resource_path=/mcp"],
    ["/.well-known/oauth-protected-resource/mcp/x", "/api/v1/oauth/metadata/protected-resource resource_path=/mcp/x"],
    ["/.well-known/oauth-protected-resource/other", null],
    ["/.well-known/oauth-protected-resourceful", null],
    ["/.well-known/openid-configuration", null],
    ["/", null],
  ];
  for (const [path, elsewhere] of paths)
    it(`has ${elsewhere ? "" : "no "}metadata at ${path}`, () => {
      const found = wellKnown(path);
      expect(found && [found.path, found.query].filter(Boolean).join(" ")).to.equal(elsewhere);
    });
});
