import { expect } from "chai";
import { forgetBreakerStates } from "../../../core/outbound/provider/circuit.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { failureDetail, refusing, type SimulatedError } from "../../simulators/google-ads/replies.ts";
import type { Fault } from "../../simulators/simulator.ts";
import type { Answer } from "../../support/http.ts";
import { keepEvents, strike, until } from "../../support/jobs.ts";
import { pathsOf, tablesWith } from "../../support/traces.ts";
import { DEVELOPER_TOKEN } from "./advertising-world.ts";
import { AdvertisedAccount, ask, isWrite, startWrites, WRITES, type WriteCase, type WritesWorld } from "./writes-world.ts";

const MARK = "the provider's very own sentence";
const READS = [
  ...["campaigns", "ad-groups", "keywords", "negatives", "search-terms", "ads", "devices", "geo", "conversions"],
  ...[
    "changes",
    "recommendations",
    "snapshot",
    "trend",
    "decisions",
    "decisions?state=refused",
    "decisions?state=unknown",
    "policy",
  ],
];

describe("the provider's own words in answers of advertising (marketing-ads §3.4)", function () {
  this.timeout(180_000);
  let world: WritesWorld;
  let account: AdvertisedAccount;
  let secrets: string[];
  let said: string;
  before(async () => {
    world = await startWrites();
    await jobsOf(world.service.node.broker).ready();
    await keepEvents(world.service);
  });
  beforeEach(async () => {
    world.reset();
    forgetBreakerStates();
    await sql("delete from provider_troubles");
    await sql("update ads_accounts set active = false");
    account = await AdvertisedAccount.make(world, { backfilled_at: "2026-01-01T00:00:00Z" });
    expect((await account.call("GET", "campaigns")).status).to.equal(200);
    const { headers } = world.ads.received.at(-1) as (typeof world.ads.received)[number];
    secrets = [DEVELOPER_TOKEN, `${headers.authorization}`.replace("Bearer ", "")];
    expect(secrets.every((secret) => secret.length > 10)).to.equal(true);
    said = `${MARK} ${secrets.join(" ")} 123-x.apps.googleusercontent.com`;
  });
  after(() => world.stop());

  const sql = (text: string, values: unknown[] = []) => world.service.sql.query(text, values);
  /** Every answer of the account's routes, by route. */
  const answers = async (): Promise<[string, Answer][]> => {
    const found: [string, Answer][] = [];
    const { owner } = account.own;
    const base = `/ads-platform/accounts/${account.id}`;
    for (const one of WRITES) {
      found.push([`${one.name} validated`, await account.write(one, { validate_only: true })]);
      found.push([one.name, await account.write(one)]);
    }
    const query = { query: "SELECT campaign.id FROM campaign" };
    found.push(["query", await account.call("POST", "query", query)]);
    found.push(["keyword-ideas", await account.call("POST", "keyword-ideas", { keywords: ["bread"] })]);
    found.push(["verify", await account.call("POST", "verify")]);
    for (const read of READS) found.push([read, await account.call("GET", read)]);
    for (const path of [
      base,
      "/ads-platform/accounts",
      "/ads-platform/accounts/available",
      "/ads-platform/settings",
      "/activity",
    ])
      found.push([path, await ask(owner, "GET", path)]);
    return found;
  };
  const spread = (found: readonly [string, Answer][], word: string): string[] =>
    [...new Set(found.flatMap(([route, { body }]) => pathsOf(body, word).map((path) => `${route} ${path}`)))].toSorted();
  const expectNoSecret = async (found: readonly [string, Answer][]) => {
    for (const secret of secrets) {
      expect(found.filter(([, { text }]) => text.includes(secret)).map(([route]) => route)).to.deep.equal([]);
      expect(await tablesWith(world.service.sql, secret)).to.deep.equal([]);
    }
  };

  const REFUSALS: Record<string, [status: number, error: Omit<SimulatedError, "message">]> = {
    "a refused request": [400, { group: "requestError", value: "INVALID_CUSTOMER_ID" }],
    "a refused query": [400, { group: "queryError", value: "UNRECOGNIZED_FIELD" }],
    "a missing permission": [403, { group: "authorizationError", value: "USER_PERMISSION_DENIED" }],
    "an unknown token": [401, { group: "authenticationError", value: "OAUTH_TOKEN_INVALID" }],
    "a used-up quota": [429, { group: "quotaError", value: "RESOURCE_EXHAUSTED" }],
  };
  const OF_ACCOUNT = () => [
    `/ads-platform/accounts .last_error`,
    `/ads-platform/accounts/${account.id} .last_error`,
    "verify .last_error",
  ];
  const faults: [string, () => Fault][] = [
    ...Object.entries(REFUSALS).map(([name, [status, error]]): [string, () => Fault] => [
      name,
      () => refusing(status, { ...error, message: said }),
    ]),
    [
      "a refusal of the front end",
      () => ({
        kind: "reply",
        status: 403,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ error: { code: 403, message: said, status: "PERMISSION_DENIED" } }),
      }),
    ],
  ];
  for (const [name, fault] of faults)
    it(`are in \`last_error\` alone, after ${name}; a secret that they contain is nowhere`, async () => {
      world.ads.failWhen(() => true, fault());
      const found = await answers();
      expect(spread(found, MARK)).to.deep.equal(OF_ACCOUNT());
      expect(found.filter(([, { status }]) => status >= 400).length).to.be.greaterThan(30);
      await strike(world.service, "ads.accounts.nightly");
      await until(
        async () => (await sql("select 1 from ads_accounts where id = $1 and status = 'error'", [account.id])).rowCount,
      );
      expect(await tablesWith(world.service.sql, MARK), "no trail and no event").to.deep.equal(["public.ads_accounts"]);
      await expectNoSecret(found);
    });

  it("are in no answer at all, after a page of HTML", async () => {
    world.ads.failWhen(() => true, { kind: "reply", status: 404, body: `<html><title>${said}</title></html>` });
    const found = await answers();
    expect(spread(found, MARK)).to.deep.equal([]);
    await expectNoSecret(found);
  });

  it("are the message of one refused operation of a batch; a secret that they contain is nowhere", async () => {
    const one = WRITES.find(({ name }) => name === "POST keywords") as WriteCase;
    const error = { group: "criterionError", value: "INVALID_KEYWORD_TEXT", message: said, operation: 0 };
    const partialFailureError = { code: 3, message: said, details: [failureDetail([error])] };
    const body = JSON.stringify({
      partialFailureError,
      results: [{}, { resourceName: `customers/${account.customerId}/adGroupCriteria/3~99` }],
    });
    const headers = { "Content-Type": "application/json" };
    world.ads.failWhen(isWrite, { kind: "reply", status: 200, headers, body });
    const answer = await account.write(one);
    expect([answer.status, answer.body.applied]).to.deep.equal([201, 1]);
    const found: [string, Answer][] = [[one.name, answer]];
    for (const read of ["decisions", "decisions?state=refused"]) found.push([read, await account.call("GET", read)]);
    expect(spread(found, MARK)).to.deep.equal(["POST keywords .results.message"]);
    await expectNoSecret(found);
  });
});
