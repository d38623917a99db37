import { expect } from "chai";
import { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { GoogleFailure, kindOf, saidIn } from "../../../mixins/google/failure.ts";

const body = (error: object) => JSON.stringify({ error });

describe("a failure of Google (workspace §2.7)", () => {
  const kinds: [status: number, reason: string | null, kind: string][] = [
    [403, "SERVICE_DISABLED", "api_disabled"],
    [403, "accessNotConfigured", "api_disabled"],
    [403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "scope"],
    [403, "insufficientPermissions", "scope"],
    [403, "insufficientScopes", "scope"],
    [401, "insufficientScopes", "scope"],
    [403, "insufficientFilePermissions", "forbidden"],
    [403, "storageQuotaExceeded", "full"],
    [403, "teamDriveFileLimitExceeded", "full"],
    [403, "numChildrenInNonRootLimitExceeded", "full"],
    [403, "activeItemCreationLimitExceeded", "full"],
    [429, "storageQuotaExceeded", "rate"],
    [403, null, "forbidden"],
    [401, "authError", "forbidden"],
    [403, "rateLimitExceeded", "rate"],
    [403, "userRateLimitExceeded", "rate"],
    [403, "dailyLimitExceeded", "rate"],
    [403, "quotaExceeded", "rate"],
    [429, "rateLimitExceeded", "rate"],
    [429, null, "rate"],
    [404, "notFound", "not_found"],
    [409, "duplicate", "conflict"],
    [412, "conditionNotMet", "conflict"],
    [410, "fullSyncRequired", "gone"],
    [400, "invalid", "unavailable"],
    [500, "backendError", "unavailable"],
    [503, null, "unavailable"],
  ];
  for (const [status, reason, kind] of kinds)
    it(`is '${kind}' for ${status} ${reason}`, () => expect(kindOf(status, reason)).to.equal(kind));

  const reasons: [what: string, body: string, reason: string | null][] = [
    ["the first of details", body({ message: "m", errors: [{ reason: "a" }], details: [{ reason: "B" }, { reason: "C" }] }), "B"],
    [
      "the first detail that has one",
      body({ message: "m", errors: [{ reason: "a" }], details: [{ "@type": "Help" }, { reason: "C" }] }),
      "C",
    ],
    ["else the first of errors", body({ message: "m", errors: [{ reason: "a" }, { reason: "b" }], details: [] }), "a"],
    ["none", body({ message: "m" }), null],
    ["none in HTML", "<html>", null],
    ["none in a text", '"text"', null],
    ["none in null", "null", null],
    ["none where lists are none", body({ errors: "x", details: {} }), null],
  ];
  for (const [what, text, reason] of reasons) it(`has as its reason ${what}`, () => expect(saidIn(text).reason).to.equal(reason));

  it("holds no token, address or body, and at most 500 characters", () => {
    const token = "ya29.a-token-of-somebody";
    const text = body({
      message: `refused for ${token} at https://www.googleapis.com/x?access_token=${token} ${"x".repeat(900)}`,
    });
    const failure = GoogleFailure.answered(403, text, 9, [token]);
    const printed = `${failure.stack} ${JSON.stringify(failure)} ${Object.values(failure).join(" ")}`;
    expect(printed).not.to.include(token);
    expect(failure.message.length).to.be.at.most(500);
    expect({ ...failure }).to.have.all.keys("name", "kind", "status", "reason", "retryAfter", "isUnsent");
    expect(failure).to.deep.include({ kind: "forbidden", status: 403, reason: null, retryAfter: 9 });
    expect(failure.cause).to.equal(undefined);
  });

  it("says of our own limit 'rate', of a broken way 'unavailable', and of a 5xx with a body its reason", () => {
    const of = (failure: ProviderFailure) => GoogleFailure.of(failure, []);
    expect(of(new ProviderFailure("limited", "paused", { retryAfter: 30 }))).to.deep.include({
      kind: "rate",
      status: null,
      retryAfter: 30,
    });
    const unsent = (["open", "busy", "limited"] as const).map((kind) => of(new ProviderFailure(kind, "not asked")).isUnsent);
    expect([...unsent, of(new ProviderFailure("timeout", "too late")).isUnsent]).to.deep.equal([true, true, true, false]);
    expect(of(new ProviderFailure("timeout", "too late"))).to.deep.include({ kind: "unavailable", status: null });
    const answer = { status: 503, headers: {}, body: Buffer.from(body({ message: "m", errors: [{ reason: "backendError" }] })) };
    expect(of(new ProviderFailure("failed", "HTTP 503", { status: 503, answer }))).to.deep.include({
      kind: "unavailable",
      status: 503,
      reason: "backendError",
    });
  });
});
