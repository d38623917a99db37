import { expect } from "chai";
import { until } from "../../support/jobs.ts";
import { AdvertisedAccount, ask, sentWrites, startWrites, WRITES, type WritesWorld } from "./writes-world.ts";

const IN_ANSWER = [
  "account",
  "applied",
  "fetched_at",
  "requested",
  "resource",
  "results",
  "skipped",
  "validate_only",
  "warnings",
];

describe("every write at the advertising provider (marketing-ads §3.10)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
  });
  beforeEach(async () => {
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  it("is one of 19 routes", () => expect(WRITES.length).to.equal(19));

  for (const one of WRITES)
    describe(one.name, () => {
      it("sends it once, and records its decisions, one line of activity and the intent", async () => {
        const { status, body } = await account.write(one);
        expect([status, Object.keys(body).toSorted()]).to.deep.equal([one.status, IN_ANSWER]);
        const count = one.decisions.length;
        expect([body.applied, body.requested, body.validate_only, body.skipped]).to.deep.equal([count, count, false, []]);
        expect(body.results.map(({ index, ok }: { index: number; ok: boolean }) => [index, ok])).to.deep.equal(
          one.decisions.map((_, index) => [index, true]),
        );
        expect(body.warnings).to.deep.equal(one.isPaused ? ["ads.warning.created_paused"] : []);
        expect(world.mutations.carried.map(({ collection }) => collection)).to.deep.equal(
          one.decisions.map(() => one.collection),
        );
        const ids = world.mutations.carried.map(({ resourceName }) => /[^/~]*$/.exec(resourceName)?.[0] ?? "");
        const recorded = (await account.decisions()).toReversed();
        expect(
          recorded.map(({ decision, subject_type, subject, scope }) => ({ decision, subject_type, subject, scope })),
        ).to.deep.equal(
          one.decisions.map((expected, at) => ({
            ...expected,
            subject: expected.subject.replace("{id}", ids[at] as string),
            scope: expected.scope.replace("{id}", ids[at] as string),
          })),
        );
        expect(recorded.map(({ payload }) => (payload as { id: string }).id)).to.deep.equal(ids);
        for (const row of recorded)
          expect(row).to.deep.include({ applied: true, source: "write", state: "applied", withdrawn_at: null });
        const payload = { resource: body.resource, applied: count, requested: count, skipped: 0 };
        expect(await account.activity()).to.deep.equal([[one.activity, payload]]);
        expect((await account.intents()).map(({ state }) => state)).to.deep.equal(["applied"]);
      });

      it("only has it checked with validate_only: nothing changes and nothing is recorded", async () => {
        const { status, body } = await account.write(one, { validate_only: true });
        expect([status, body.applied, body.validate_only]).to.deep.equal([one.status, 0, true]);
        expect(body.warnings).to.include("ads.warning.validated_not_applied");
        expect([world.mutations.validations, world.mutations.carried]).to.deep.equal([1, []]);
        expect([await account.intents(), await account.decisions(), await account.activity()]).to.deep.equal([[], [], []]);
      });

      it("is refused as a whole where the provider refuses it: a stable code, and no record", async () => {
        world.mutations.refuseWithoutIndex({ group: "quotaError", value: "RESOURCE_TEMPORARILY_EXHAUSTED" });
        const { status, body, headers } = await account.write(one);
        expect([status, body.error.code, headers["retry-after"]]).to.deep.equal([429, "ads_platform_quota", "60"]);
        expect(body.error.details.provider_error_code).to.equal("quotaError.RESOURCE_TEMPORARILY_EXHAUSTED");
        expect([await account.decisions(), await account.activity(), world.mutations.carried]).to.deep.equal([[], [], []]);
        expect((await account.intents()).map(({ state, error_code }) => [state, error_code])).to.deep.equal([
          ["refused", "quotaError.RESOURCE_TEMPORARILY_EXHAUSTED"],
        ]);
      });

      if (one.method !== "POST")
        it("compares If-Match with the account before the call", async () => {
          const path = `/ads-platform/accounts/${account.id}`;
          const { etag = "" } = (await account.own.owner.get(path)).headers;
          for (const login_customer_id of ["5550001111", null]) await account.own.owner.patch(path, { login_customer_id });
          const stale = await account.write(one, {}, { "If-Match": etag });
          expect([stale.status, stale.body.error.code]).to.deep.equal([412, "precondition_failed"]);
          expect([world.ads.received, await account.intents()]).to.deep.equal([[], []]);
          const { etag: now = "" } = (await account.own.owner.get(path)).headers;
          expect((await account.write(one, {}, { "If-Match": now })).status).to.equal(one.status);
        });

      it("is refused in the order of the gates", async () => {
        const bob = await account.own.tenant.member("member");
        const body = one.method === "DELETE" ? undefined : one.body;
        expect((await account.call(one.method, one.tail, body, {}, bob)).status, "permission").to.equal(403);
        const { owner, tenant } = account.own;
        const nowhere = `/ads-platform/accounts/00000000-0000-7000-8000-000000000000/${one.tail}`;
        expect((await ask(owner, one.method, nowhere, body)).status, "account").to.equal(404);
        await world.service.sql.query(
          "insert into ads_settings (id, organisation_id, writes_enabled) values (gen_random_uuid(), $1, false)",
          [tenant.organisation.id],
        );
        const off = await account.write(one);
        expect([off.status, off.body.error.code]).to.deep.equal([409, "ads_platform_writes_disabled"]);
        expect((await account.write(one, { validate_only: true })).status, "a validation too").to.equal(409);
        await world.service.sql.query("update ads_settings set writes_enabled = true");
        expect((await owner.delete(`/ads-platform/accounts/${account.id}`)).status).to.equal(204);
        for (const more of [{}, { validate_only: true }]) {
          const unlinked = await account.write(one, more);
          expect([unlinked.status, unlinked.body.error?.code], "unlinked").to.deep.equal([409, "ads_platform_writes_disabled"]);
        }
        await world.service.sql.query("update ads_accounts set active = true where id = $1", [account.id]);
        expect(world.ads.received, "nobody was called").to.deep.equal([]);
        await world.service.sql.query("update ads_accounts set connection_id = null where id = $1", [account.id]);
        const alone = await account.write(one);
        expect([alone.status, alone.body.error.code]).to.deep.equal([409, "ads_platform_not_configured"]);
        expect([world.ads.received, await account.intents()]).to.deep.equal([[], []]);
      });
    });

  it("is not sent once the account is unlinked while the call reads what it changes", async () => {
    let release = () => {};
    world.ads.fail({ kind: "wait", until: new Promise<void>((done) => (release = done)) });
    const reading = account.call("PATCH", "budgets/1", { amount: 15 });
    await until(() => world.ads.received.length > 0);
    expect((await account.own.owner.delete(`/ads-platform/accounts/${account.id}`)).status).to.equal(204);
    release();
    const { status, body } = await reading;
    expect([status, body.error?.code]).to.deep.equal([409, "ads_platform_writes_disabled"]);
    expect([sentWrites(world), await account.intents()]).to.deep.equal([[], []]);
  });
});
