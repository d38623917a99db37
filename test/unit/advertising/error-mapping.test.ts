import { expect } from "chai";
import { AdsFailure, codeOf } from "../../../mixins/google-ads/failure.ts";
import { waitBefore } from "../../../mixins/google-ads/retry.ts";
import { adsError, ERROR_VALUES } from "../../simulators/google-ads/replies.ts";

/** The first rows of the table of marketing-ads §3.4, which hold in every group. */
const TOKEN =
  /^(DEVELOPER_TOKEN_(INVALID|NOT_APPROVED|PROHIBITED|NOT_ON_ALLOWLIST|PARAMETER_MISSING)|ORGANIZATION_NOT_ASSOCIATED_WITH_DEVELOPER_TOKEN|CLOUD_PROJECT_(NOT_APPROVED_FOR_PRODUCTION|NOT_UNDER_ORGANIZATION|NOT_FOUND)|ORGANIZATION_NOT_(RECOGNIZED|APPROVED))$/;
const GROUPS: Record<string, string> = {
  authenticationError: "ads_platform_auth",
  headerError: "ads_platform_auth",
  authorizationError: "ads_platform_permission",
  quotaError: "ads_platform_quota",
  queryError: "ads_platform_query",
  internalError: "ads_platform_unreachable",
};

describe("errors of Google Ads (marketing-ads §3.4)", () => {
  it("are mapped for every group and value that the provider publishes", () => {
    const seen = new Set<string>();
    let tokens = 0;
    for (const [group, values] of Object.entries(ERROR_VALUES))
      for (const value of values) {
        const wanted = TOKEN.test(value) ? "ads_platform_developer_token" : (GROUPS[group] ?? "ads_platform_request");
        const { body } = adsError(400, { group, value }, "r-1");
        const failure = AdsFailure.answered(400, {}, JSON.stringify(body), []);
        expect(failure.code, `${group}.${value}`).to.equal(wanted);
        expect(failure.details).to.deep.equal({ provider_error_code: `${group}.${value}`, provider_request_id: "r-1" });
        expect(failure.message).to.equal(`HTTP 400 ${group}.${value}: The error is ${value}.`);
        seen.add(wanted);
        tokens += wanted === "ads_platform_developer_token" ? 1 : 0;
      }
    expect(seen.size).to.equal(7);
    expect(tokens).to.be.at.least(11);
    expect(Object.keys(ERROR_VALUES).length).to.equal(167);
  });

  const unreadable: [status: number, code: string][] = [
    [404, "ads_platform_api_version"],
    [401, "ads_platform_auth"],
    [403, "ads_platform_auth"],
    [429, "ads_platform_quota"],
    [400, "ads_platform_error"],
    [302, "ads_platform_error"],
    [418, "ads_platform_error"],
    [500, "ads_platform_unreachable"],
    [502, "ads_platform_unreachable"],
    [503, "ads_platform_unreachable"],
  ];
  for (const [status, code] of unreadable)
    it(`are '${code}' for ${status} without a readable failure`, () => {
      expect(codeOf(status, null)).to.equal(code);
      for (const body of ["<html>", "", "{}", "null", '"x"', '{"error":{"details":[{"@type":"x"}]}}', '{"error":"x"}'])
        expect(AdsFailure.answered(status, {}, body, []).code, body).to.equal(code);
    });

  it("of a status of 500 and above are 'unreachable', with any text, and may have happened", () => {
    const { body } = adsError(500, { group: "internalError", value: "INTERNAL_ERROR" });
    const failure = AdsFailure.answered(500, {}, JSON.stringify(body), []);
    expect([failure.code, failure.isOutcomeUnknown]).to.deep.equal(["ads_platform_unreachable", true]);
  });

  it("of a group without a value, or an invalid value, count as unreadable", () => {
    for (const errorCode of [{}, null, { quotaError: 7 }]) {
      const detail = { "@type": "x.GoogleAdsFailure", errors: [{ errorCode, message: "m" }] };
      const body = JSON.stringify({ error: { code: 403, message: "Said.", details: [detail] } });
      expect(AdsFailure.answered(403, {}, body, [])).to.include({ code: "ads_platform_auth", message: "HTTP 403: Said." });
    }
  });

  it("of an unknown group are a refused request", () => {
    const detail = { "@type": "x.v31.errors.GoogleAdsFailure", errors: [{ errorCode: { newError: "NEW" } }] };
    const body = JSON.stringify({ error: { code: 400, details: [detail] } });
    expect(AdsFailure.answered(400, { "request-id": "h" }, body, [])).to.include({
      code: "ads_platform_request",
      providerErrorCode: "newError.NEW",
      requestId: "h",
    });
  });

  it("are at most 500 characters long", () => {
    const { body } = adsError(400, { group: "requestError", value: "UNKNOWN", message: "x".repeat(900) });
    expect(AdsFailure.answered(400, {}, JSON.stringify(body), []).message.length).to.equal(500);
  });
});

describe("the wait before another attempt (marketing-ads §3.3)", () => {
  const rows: [isRepeatable: boolean, retryDelay: number | null, number: number, random: number, wait: number | null][] = [
    [true, null, 1, 0, 0],
    [true, null, 1, 1, 500],
    [true, null, 2, 1, 1000],
    [true, null, 2, 0.5, 500],
    [true, null, 3, 0, null],
    [true, 2000, 1, 1, 2000],
    [true, 8000, 2, 0, 8000],
    [true, 60_000, 1, 0, 8000],
    [true, 2000, 3, 0, null],
    [false, 2000, 1, 0, null],
    [false, null, 1, 0, null],
  ];
  for (const [isRepeatable, retryDelay, number, random, wait] of rows)
    it(`is ${wait} after attempt ${number}, ${isRepeatable ? `asked ${retryDelay}, random ${random}` : "not repeatable"}`, () =>
      expect(waitBefore({ isRepeatable, retryDelay }, number, random)).to.equal(wait));
});
