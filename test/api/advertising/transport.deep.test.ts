import { expect } from "chai";
import sinon from "sinon";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { AdsRequest } from "../../simulators/google-ads/google-ads.ts";
import { failureDetail, frontError, refusing, type SimulatedError } from "../../simulators/google-ads/replies.ts";
import type { Fault, Reply } from "../../simulators/simulator.ts";
import { connected } from "../../support/workspace.ts";
import {
  type Advertiser,
  type AdvertisingWorld,
  advertiser,
  connectionIdOf,
  DEVELOPER_TOKEN,
  startAdvertising,
  VERSION,
  writtenAccount,
} from "./advertising-world.ts";
import { probe } from "./probe.ts";

const QUERY = "SELECT customer.id, customer.currency_code FROM customer";
const NAMES = "SELECT campaign.id, campaign.name FROM campaign ORDER BY campaign.id";

describe("Calling Google Ads (marketing-ads §3.3, §3.4)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  before(async () => {
    world = await startAdvertising({}, [probe]);
    world.ads.serve("mutate", (request) => mutation(request));
  });
  beforeEach(async () => {
    world.reset();
    mutation = done;
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
  });
  afterEach(() => {
    sinon.restore();
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const done = ({ customer, collection, json }: AdsRequest): Reply => ({
    status: 200,
    body: {
      results:
        json["validateOnly"] === true
          ? []
          : (json["operations"] as object[]).map((_, at) => ({
              resourceName: `${customer.resourceName}/${collection}/${at + 1}`,
            })),
    },
  });
  let mutation: (request: AdsRequest) => Reply = done;

  const search = (query = QUERY) => own.owner.post("/probe/search", { account, query });
  const mutate = (more: object = {}) =>
    own.owner.post("/probe/mutate", {
      account,
      collection: "campaigns",
      operations: [{ remove: `${own.customer.resourceName}/campaigns/1` }],
      ...more,
    });
  const headers = () => world.ads.received.map((one) => one.headers);
  /** No wait of our own choice. */
  const withoutJitter = () => sinon.stub(Math, "random").returns(0);
  const quota = (retryDelay?: string, value = "RESOURCE_TEMPORARILY_EXHAUSTED") =>
    refusing(429, { group: "quotaError", value, ...(retryDelay !== undefined && { retryDelay }) }, "r-quota");
  const broken: Fault = { kind: "reply", status: 503, body: "<html>503</html>" };

  describe("the requests sent", () => {
    it("is the query alone, under the version of the setting, with the grant and the developer token", async () => {
      expect((await search()).body.answer).to.deep.equal([
        { customer: { resourceName: own.customer.resourceName, id: own.customer.id, currencyCode: "EUR" } },
      ]);
      const [sent] = world.ads.received;
      expect(sent?.path).to.equal(`/${VERSION}/customers/${own.customer.id}/googleAds:search`);
      expect(JSON.parse(sent?.body ?? "")).to.deep.equal({ query: QUERY });
      expect(headers()[0]).to.include({ "developer-token": DEVELOPER_TOKEN });
      expect(headers()[0]).not.to.have.property("login-customer-id");
    });

    it("names the account's manager, else the organisation's default one (S22)", async () => {
      const manager = world.ads.state.customer({ manager: true });
      const child = world.ads.state.customer({}, manager);
      world.ads.state.let(own.person.subject, manager);
      const below = await writtenAccount(world.service, { ...own, customer: child });
      const ask = () => own.owner.post("/probe/search", { account: below, query: QUERY });
      expect((await ask()).body).to.include({ code: "ads_platform_permission" });
      await world.service.sql.query(
        "insert into ads_settings (id, organisation_id, default_login_customer_id) values (gen_random_uuid(), $1, $2)",
        [own.tenant.organisation.id, manager.id],
      );
      expect((await ask()).body.answer).to.have.length(1);
      await world.service.sql.query("update ads_accounts set login_customer_id = '999' where id = $1", [below]);
      expect((await ask()).body).to.include({ code: "ads_platform_permission" });
      expect(headers().map((one) => one["login-customer-id"])).to.deep.equal([undefined, manager.id, "999"]);
    });

    it("asks for the accounts that the grant reaches with a plain GET", async () => {
      const { body } = await own.owner.post("/probe/ask", { account, path: "/customers:listAccessibleCustomers" });
      expect(body.answer).to.deep.equal({ resourceNames: [own.customer.resourceName] });
      expect(world.ads.calls()).to.deep.equal(["GET /customers:listAccessibleCustomers"]);
    });

    it("fetches another access token where Google no longer knows the one in use, and asks again", async () => {
      world.google.expireAccessTokens();
      expect((await search()).body.answer).to.have.length(1);
      expect(world.google.tokenCalls()).to.deep.equal(["authorization_code", "refresh_token"]);
      expect(world.ads.calls()).to.have.length(2);
    });
  });

  describe("pages", () => {
    const campaigns = (count: number) => {
      for (let id = 1; id <= count; id++) own.customer.put("campaign", `campaigns/${id}`, { id: String(id), name: `C${id}` });
    };

    it("are read one after the other, 20 of them", async () => {
      campaigns(40);
      world.ads.pageRows = 2;
      const { body } = await search(NAMES);
      expect(body.answer.map(({ campaign }: { campaign: { id: string } }) => Number(campaign.id))).to.deep.equal(
        Array.from({ length: 40 }, (_, at) => at + 1),
      );
      expect(world.ads.calls()).to.have.length(20);
    });

    it("of more than 20 are an error, not a prefix", async () => {
      campaigns(41);
      world.ads.pageRows = 2;
      expect((await search(NAMES)).body).to.include({ code: "ads_platform_error" });
      expect(world.ads.calls()).to.have.length(20);
    });

    it("of 50,000 rows in all are read, and one row more is an error", async () => {
      campaigns(50_000);
      world.ads.pageRows = 25_000;
      expect((await search(NAMES)).body.answer).to.have.length(50_000);
      own.customer.put("campaign", "campaigns/50001", { id: "50001", name: "C" });
      expect((await search(NAMES)).body).to.include({ code: "ads_platform_error" });
    });

    it("without rows leave them out", async () => {
      expect((await search(NAMES)).body.answer).to.deep.equal([]);
    });
  });

  describe("reads and validations", () => {
    it("are tried three times on 5xx, a cut connection and quota", async () => {
      withoutJitter();
      for (const fault of [broken, { kind: "drop" } as const, quota()]) {
        world.ads.fail(fault, fault);
        expect((await search()).body.answer, JSON.stringify(fault)).to.have.length(1);
      }
      expect(world.ads.calls()).to.have.length(9);
      world.ads.fail(broken, broken, broken);
      expect((await mutate({ validateOnly: true })).body).to.include({ code: "ads_platform_unreachable", status: 503 });
      expect(world.ads.calls("mutate")).to.have.length(3);
    });

    it("wait as long as the provider asks, and give up a used-up daily quota at once", async () => {
      world.ads.fail(quota("0.05s"), quota("0.05s"));
      expect((await search()).body.answer).to.have.length(1);
      world.ads.fail(quota("30s", "RESOURCE_EXHAUSTED"));
      expect((await search()).body).to.deep.include({
        code: "ads_platform_quota",
        providerErrorCode: "quotaError.RESOURCE_EXHAUSTED",
        requestId: "r-quota",
        retryDelay: 30_000,
      });
      expect(world.ads.calls()).to.have.length(4);
    });

    it("are not repeated if the provider refuses the request", async () => {
      world.ads.fail(refusing(400, { group: "queryError", value: "UNRECOGNIZED_FIELD" }, "r-1"));
      expect((await search()).body).to.deep.include({
        code: "ads_platform_query",
        status: 400,
        message: "HTTP 400 queryError.UNRECOGNIZED_FIELD: The error is UNRECOGNIZED_FIELD.",
        details: { provider_error_code: "queryError.UNRECOGNIZED_FIELD", provider_request_id: "r-1" },
      });
      expect(world.ads.calls()).to.have.length(1);
    });

    it("are an error for an answer that is not JSON, not an object or not a page", async () => {
      const type = { "Content-Type": "application/json" };
      for (const body of ["<html>", "[]", '"text"', '{"results":{}}', '{"results":[],"nextPageToken":7}']) {
        world.ads.fail({ kind: "reply", status: 200, headers: type, body });
        expect((await search()).body, body).to.include({ code: "ads_platform_unreachable", status: 200 });
      }
    });
  });

  describe("a real mutate", () => {
    it("is sent once, for any response", async () => {
      const unknown: [string, Fault, boolean][] = [
        ["503", broken, true],
        ["a lost answer", { kind: "lose" }, true],
        ["a connection cut before the answer", { kind: "drop" }, true],
        ["a body cut in the middle", { kind: "truncate" }, true],
        ["no JSON", { kind: "reply", status: 200, body: "<html>" }, true],
        ["quota", quota("0.01s"), false],
        ["401", { kind: "reply", status: 401, body: "<html>" }, false],
        ["400", refusing(400, { group: "mutateError", value: "RESOURCE_NOT_FOUND" }), false],
      ];
      for (const [what, fault, isOutcomeUnknown] of unknown) {
        world.ads.fail(fault);
        expect((await mutate()).body, what).to.include({ isOutcomeUnknown });
      }
      expect(world.ads.calls("mutate")).to.have.length(unknown.length);
    });

    it("returns the names of the created objects, in order", async () => {
      const operations = [1, 2].map((id) => ({ remove: `${own.customer.resourceName}/campaigns/${id}` }));
      expect((await mutate({ operations })).body.answer).to.deep.include({
        resourceNames: [`${own.customer.resourceName}/campaigns/1`, `${own.customer.resourceName}/campaigns/2`],
        refused: [],
      });
    });

    it("sends validateOnly and partialFailure only on request", async () => {
      await mutate();
      await mutate({ validateOnly: true, partialFailure: true });
      expect(world.ads.received.map(({ body }) => Object.keys(JSON.parse(body)))).to.deep.equal([
        ["operations"],
        ["operations", "validateOnly", "partialFailure"],
      ]);
    });

    const partly =
      (errors: SimulatedError[], count: number, names: (string | null)[] = []) =>
      ({ customer }: AdsRequest): Reply => ({
        status: 200,
        body: {
          partialFailureError: { code: 3, message: "Multiple errors", details: [failureDetail(errors, "r-partial")] },
          results: Array.from({ length: count }, (_, at) =>
            names[at] ? { resourceName: `${customer.resourceName}/${names[at]}` } : {},
          ),
        },
      });
    const removals = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ remove: `${own.customer.resourceName}/campaigns/${at + 1}` }));

    it("attributes partial failures by the index of their operation, and to none without one (P25)", async () => {
      mutation = partly(
        [
          { group: "criterionError", value: "INVALID_KEYWORD_TEXT", operation: 1, message: "Bad text." },
          { group: "mutateError", value: "RESOURCE_NOT_FOUND" },
        ],
        3,
        ["campaigns/1", null, "campaigns/3"],
      );
      expect((await mutate({ operations: removals(3), partialFailure: true })).body.answer).to.deep.equal({
        resourceNames: [`${own.customer.resourceName}/campaigns/1`, null, `${own.customer.resourceName}/campaigns/3`],
        refused: [
          { index: 1, errorCode: "criterionError.INVALID_KEYWORD_TEXT", message: "Bad text." },
          { index: null, errorCode: "mutateError.RESOURCE_NOT_FOUND", message: "The error is RESOURCE_NOT_FOUND." },
        ],
        requestId: "r-partial",
      });
    });

    it("takes 'too many requests' of all 200 operations for one 429 (P24)", async () => {
      const each = (error: SimulatedError) => Array.from({ length: 200 }, (_, operation) => ({ ...error, operation }));
      mutation = partly(each({ group: "quotaError", value: "RESOURCE_TEMPORARILY_EXHAUSTED" }), 200);
      expect((await mutate({ operations: removals(200), partialFailure: true })).body).to.deep.include({
        code: "ads_platform_quota",
        providerErrorCode: "quotaError.RESOURCE_TEMPORARILY_EXHAUSTED",
        requestId: "r-partial",
        isOutcomeUnknown: false,
      });
      expect(world.ads.calls("mutate")).to.have.length(1);
      for (const [group, value, code] of [
        ["authenticationError", "OAUTH_TOKEN_REVOKED", "ads_platform_auth"],
        ["authorizationError", "USER_PERMISSION_DENIED", "ads_platform_permission"],
        ["internalError", "INTERNAL_ERROR", "ads_platform_unreachable"],
      ] as const) {
        mutation = partly(each({ group, value }), 200);
        const { body } = await mutate({ operations: removals(200), partialFailure: true });
        expect(body, value).to.include({ code, isOutcomeUnknown: false });
      }
    });

    it("leaves errors of operations to the operations, also where all have the same one, and quota of some", async () => {
      mutation = partly(
        [0, 1].map((operation) => ({ group: "mutateError", value: "RESOURCE_NOT_FOUND", operation })),
        2,
      );
      expect((await mutate({ operations: removals(2), partialFailure: true })).body.answer.refused).to.have.length(2);
      mutation = partly([{ group: "quotaError", value: "RESOURCE_EXHAUSTED", operation: 1 }], 2, ["campaigns/1"]);
      expect((await mutate({ operations: removals(2), partialFailure: true })).body.answer.refused).to.have.length(1);
    });
  });

  describe("refusals", () => {
    it("say code, provider's code and request id, and nothing of the provider's text (S24)", async () => {
      world.ads.fail(refusing(403, { group: "authorizationError", value: "CUSTOMER_NOT_ENABLED", message: "Prose." }, "r-9"));
      const { status, body, text } = await own.owner.post("/probe/refused", { account, query: QUERY });
      expect(status).to.equal(409);
      expect(body.error).to.deep.include({
        code: "ads_platform_permission",
        message: "errors.ads_platform_permission",
        details: { provider_error_code: "authorizationError.CUSTOMER_NOT_ENABLED", provider_request_id: "r-9" },
      });
      expect(text).not.to.include("Prose");
    });

    it("of a retired version name the version, not the access (P30)", async () => {
      world.ads.versions.delete(VERSION);
      const { status, body } = await own.owner.post("/probe/refused", { account, query: QUERY });
      expect([status, body.error.code, body.error.details]).to.deep.equal([502, "ads_platform_api_version", undefined]);
    });

    it("name the reason of a 403 that the API does not give (S21)", async () => {
      for (const reason of ["SERVICE_DISABLED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) {
        const { body } = frontError(403, "Request was refused.", reason);
        world.ads.fail({
          kind: "reply",
          status: 403,
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        });
        expect((await search()).body).to.deep.include({ code: "ads_platform_auth", reason, providerErrorCode: null });
      }
    });

    it("hold no token, no secret and no client id", async () => {
      const secrets = world.google.state.secrets.concat(DEVELOPER_TOKEN, "123-abc.apps.googleusercontent.com");
      world.ads.fail(refusing(400, { group: "requestError", value: "UNKNOWN", message: `Refused: ${secrets.join(" and ")}` }));
      const { body } = await search();
      for (const secret of secrets) expect(JSON.stringify(body), secret).not.to.include(secret);
      expect(body.message).to.match(/^HTTP 400 requestError.UNKNOWN: Refused: /);
    });
  });

  describe("not ready to be called", () => {
    const isNotConfigured = async (code = "ads_platform_not_configured") => {
      const { status, body } = await search();
      expect([status, body.error?.code]).to.deep.equal([409, code]);
      expect(world.ads.received).to.deep.equal([]);
    };
    const sql = (text: string) => world.service.sql.query(text, [account]);

    it("is an account without a connection", async () => {
      await sql("update ads_accounts set connection_id = null where id = $1");
      await isNotConfigured();
    });

    it("is one whose connection is in error", async () => {
      await sql(
        "update workspace_connections set status = 'error', error_since = now(), last_error = 'x' where id = (select connection_id from ads_accounts where id = $1)",
      );
      await isNotConfigured();
    });

    it("is one whose connection lacks the scope", async () => {
      const ann = await own.tenant.member("admin");
      await connected(world.google, ann);
      const connectionId = await connectionIdOf(world.service, ann);
      await world.service.sql.query("update ads_accounts set connection_id = $2 where id = $1", [account, connectionId]);
      await isNotConfigured();
      await connected(world.google, ann, { query: "include_ads=true", without: [SCOPE.ads], person: own.person });
    });

    it("is one whose person has left", async () => {
      const ann = await own.tenant.member("admin");
      await connected(world.google, ann, { query: "include_ads=true" });
      const connectionId = await connectionIdOf(world.service, ann);
      await world.service.sql.query("update ads_accounts set connection_id = $2 where id = $1", [account, connectionId]);
      await world.service.sql.query("update memberships set deactivated_at = now() where id = $1", [ann.membershipId]);
      await isNotConfigured();
    });

    it("is one with a developer token that cannot be decrypted, and says so", async () => {
      await world.service.sql.query(
        "insert into ads_settings (id, organisation_id, developer_token) values (gen_random_uuid(), $1, 'v1.00000000.AAAA')",
        [own.tenant.organisation.id],
      );
      await isNotConfigured("ads_platform_token_unreadable");
    });

    it("is one with a revoked grant, from the moment that shows", async () => {
      world.google.revoke(own.person);
      world.google.expireAccessTokens();
      expect((await search()).body).to.include({ code: "ads_platform_not_configured", isOutcomeUnknown: false });
      world.ads.received.length = 0;
      await isNotConfigured();
    });
  });
});
