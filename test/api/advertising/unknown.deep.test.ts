import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { refusing } from "../../simulators/google-ads/replies.ts";
import type { Fault } from "../../simulators/simulator.ts";
import { withDeadline } from "../../support/deadline.ts";
import { strike, until } from "../../support/jobs.ts";
import { AdvertisedAccount, isWrite, startWrites, WRITES, type WriteCase, type WritesWorld } from "./writes-world.ts";

/** What may happen to the answer of a write that the provider carried out. */
const LOST: readonly Fault[] = [{ kind: "lose" }, { kind: "truncate" }];

describe("writes with an unknown outcome (marketing-ads §3.10)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const listed = (state: string) => account.decisions(`state=${state}`);
  const unanswered = async (one: WriteCase): Promise<string> => {
    const { status, body } = await account.write(one);
    expect([status, body.error.code, body.error.message]).to.deep.equal([
      502,
      "ads_platform_unreachable",
      "errors.ads_platform_unreachable",
    ]);
    return body.error.details.intent_id;
  };
  const writes = () => world.ads.received.filter(isWrite).length;
  const carried = () => world.mutations.carried.length;

  for (const one of WRITES)
    it(`${one.name}: shown, never repeated, and settled by reading back`, async () => {
      for (const [at, fault] of LOST.entries()) {
        if (at > 0) {
          world.reset();
          account = await AdvertisedAccount.make(world);
        }
        const mend = world.ads.failWhen(isWrite, fault);
        const intent = await unanswered(one);
        mend();
        expect(carried(), fault.kind).to.equal(one.decisions.length);
        const [shown, ...others] = await listed("unknown");
        expect(others).to.deep.equal([]);
        const { decision, subject_type } = one.decisions[0] as (typeof one.decisions)[number];
        expect(shown).to.deep.include({ id: intent, state: "unknown", decision, subject_type, applied: false, source: "write" });
        expect([await account.decisions(), await account.activity()], "nothing is recorded yet").to.deep.equal([[], []]);
        expect(await unanswered(one), "the same write again").to.equal(intent);
        expect(writes(), "is not sent").to.equal(1);
        await account.settleAfter(2);
        expect([await listed("unknown"), (await listed("applied")).map(({ id }) => id)]).to.deep.equal([[], [intent]]);
        const recorded = (await account.decisions()).toReversed();
        expect(recorded.map((row) => row["decision"])).to.deep.equal(one.decisions.map((row) => row.decision));
        const ids = world.mutations.carried.map(({ resourceName }) => resourceName);
        expect(recorded.map((row) => (row["payload"] as { resource_name: string }).resource_name)).to.have.members(ids);
        expect(recorded[0]?.["decided_by_name"], "by whom it was sent").to.equal(shown?.["decided_by_name"]);
        expect((await account.activity()).map(([action]) => action)).to.deep.equal([one.activity]);
        await account.settleAfter(20);
        expect([writes(), carried(), (await account.decisions()).length]).to.deep.equal([
          1,
          one.decisions.length,
          recorded.length,
        ]);
      }
    });

  for (const one of WRITES)
    it(`${one.name}: refused in the end, where the provider did not carry it out`, async () => {
      const mend = world.ads.failWhen(isWrite, { kind: "drop" });
      const intent = await unanswered(one);
      mend();
      await account.settleAfter(2);
      expect(
        (await listed("unknown")).map(({ id }) => id),
        "the provider may be slow",
      ).to.deep.equal([intent]);
      await account.settleAfter(11);
      expect([await listed("unknown"), (await listed("refused")).map(({ id }) => id)]).to.deep.equal([[], [intent]]);
      expect([await account.decisions(), await account.activity(), carried(), writes()]).to.deep.equal([[], [], 0, 1]);
      const again = await account.write(one);
      expect([again.status, carried()], "it may be sent anew").to.deep.equal([one.status, one.decisions.length]);
    });

  for (const one of WRITES)
    it(`${one.name}: takes longer than 55 seconds, and is not sent again, carried out or not`, async () => {
      for (const fault of [{ kind: "hang" }, { kind: "delay", ms: 1_500 }] as const) {
        const mend = world.ads.failWhen(isWrite, fault);
        const intent = await withDeadline(55_000, () => unanswered(one), 1_000);
        mend();
        expect((await listed("unknown")).map(({ id }) => id)).to.deep.equal([intent]);
        expect(await unanswered(one), "the same write again").to.equal(intent);
        expect(writes(), "is not sent").to.equal(1);
        const isCarriedOut = fault.kind === "delay";
        if (isCarriedOut) await until(() => carried() > 0);
        await account.settleAfter(20);
        expect(
          (await listed(isCarriedOut ? "applied" : "refused")).map(({ id }) => id),
          fault.kind,
        ).to.deep.equal([intent]);
        expect(writes()).to.equal(1);
        world.reset();
        account = await AdvertisedAccount.make(world);
      }
    });

  it("settles a write whose own job is gone, by the hourly sweep", async () => {
    const { sql } = world.service;
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    const intent = await unanswered(WRITES[0] as WriteCase);
    mend();
    await sql.query("delete from outbox where job = 'ads.settle' and relayed_at is null");
    await sql.query("delete from jobs.agenda_jobs where name = 'ads.settle'");
    await sql.query("update ads_intents set created_at = created_at - interval '2 minutes' where id = $1", [intent]);
    await strike(world.service, "ads.settle.sweep");
    await until(async () => (await listed("unknown")).length === 0);
    expect((await listed("applied")).map(({ id }) => id)).to.deep.equal([intent]);
    expect(writes()).to.equal(1);
  });

  it("settles writes that a dead node left pending: before the call as refused, after the provider's yes as applied", async () => {
    const died = () =>
      world.service.sql.query("update ads_intents set state = 'pending' where account_id = $1 and state = 'unknown'", [
        account.id,
      ]);
    const one = WRITES[0] as WriteCase;
    for (const [kind, state] of [
      ["drop", "refused"],
      ["lose", "applied"],
    ] as const) {
      const mend = world.ads.failWhen(isWrite, { kind });
      const intent = await unanswered(one);
      mend();
      await died();
      expect((await listed("pending")).map(({ id }) => id)).to.deep.equal([intent]);
      await account.settleAfter(11);
      expect(
        (await listed(state)).map(({ id }) => id),
        kind,
      ).to.deep.equal([intent]);
    }
    expect([carried(), writes(), (await account.decisions()).length]).to.deep.equal([1, 2, 1]);
  });

  describe("a change that was carried out, and changed again", () => {
    const [, change] = WRITES as readonly [WriteCase, WriteCase];
    const lost = async (one: WriteCase): Promise<string> => {
      const mend = world.ads.failWhen(isWrite, { kind: "lose" });
      const intent = await unanswered(one);
      mend();
      return intent;
    };
    const settledAs = async (state: string): Promise<unknown[]> => {
      await account.settleAfter(11);
      return (await listed(state)).map(({ id }) => id);
    };
    const elsewhere = (collection: string, id: string, values: Record<string, unknown>) =>
      world.mutations.changeElsewhere(account.own.customer, collection, id, values);

    it("is applied by the provider's change history, with its decision and its line of activity", async () => {
      const intent = await lost(change);
      elsewhere("campaignBudgets", "1", { amountMicros: "20000000" });
      await account.settleAfter(2);
      expect(
        (await listed("applied")).map(({ id }) => id),
        "needs no ten minutes",
      ).to.deep.equal([intent]);
      expect((await account.decisions()).map(({ decision, state }) => [decision, state])).to.deep.equal([
        ["budget_changed", "applied"],
      ]);
      expect((await account.activity()).map(([action]) => action)).to.deep.equal([change.activity]);
    });

    it("is applied by a later write of ours that read it", async () => {
      world.mutations.keepsHistory = false;
      const intent = await lost(change);
      expect((await account.call("PATCH", "budgets/1", { amount: 16 })).status).to.equal(200);
      expect(await settledAs("applied")).to.include(intent);
      expect((await account.decisions()).length).to.equal(2);
    });

    it("is superseded where the history is silent, without a decision, and never sent again", async () => {
      world.mutations.keepsHistory = false;
      const intent = await lost(change);
      elsewhere("campaignBudgets", "1", { amountMicros: "20000000" });
      await account.settleAfter(2);
      expect(
        (await listed("unknown")).map(({ id }) => id),
        "the history may be late",
      ).to.deep.equal([intent]);
      expect(await settledAs("superseded")).to.deep.equal([intent]);
      const [shown] = await listed("superseded");
      expect(shown).to.deep.include({ id: intent, state: "superseded", applied: false });
      expect([await account.decisions(), await account.activity(), writes()]).to.deep.equal([[], [], 1]);
    });

    it("is refused where it did not arrive and the history knows the other change", async () => {
      const mend = world.ads.failWhen(isWrite, { kind: "drop" });
      const intent = await unanswered(change);
      mend();
      elsewhere("campaignBudgets", "1", { amountMicros: "20000000" });
      expect(await settledAs("refused")).to.deep.equal([intent]);
    });

    it("is applied for a new object that was renamed or removed since", async () => {
      for (const [name, collection, values] of [
        ["POST budgets", "campaignBudgets", { name: "Other" }],
        ["POST campaigns", "campaigns", { status: "REMOVED" }],
        ["POST keywords", "adGroupCriteria", { status: "REMOVED" }],
      ] as const) {
        const one = WRITES.find((write) => write.name === name) as WriteCase;
        const intent = await lost(one);
        const id = world.mutations.carried.at(-1)?.resourceName.split("/").at(-1) as string;
        elsewhere(collection, id, values);
        await account.settleAfter(2);
        expect(
          (await listed("applied")).map((row) => row["id"]),
          name,
        ).to.include(intent);
      }
    });
  });

  it("lets another change of the same budget through", async () => {
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    expect((await account.call("PATCH", "budgets/1", { amount: 15 })).status).to.equal(502);
    mend();
    expect((await account.call("PATCH", "budgets/1", { amount: 16 })).status).to.equal(200);
  });

  it("distinguishes objects of other writes from its own", async () => {
    const keyword = WRITES.find(({ name }) => name === "POST ads") as WriteCase;
    expect((await account.write(keyword)).status).to.equal(201);
    const mend = world.ads.failWhen(isWrite, { kind: "drop" });
    await unanswered(keyword);
    mend();
    await account.settleAfter(11);
    expect([(await listed("refused")).length, (await account.decisions()).length], "one ad, one decision").to.deep.equal([1, 1]);
  });

  it("stays unknown while the provider cannot be read, and is found by the hourly look", async () => {
    const one = WRITES[0] as WriteCase;
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    const intent = await unanswered(one);
    mend();
    const down = world.ads.failWhen(({ path }) => path.endsWith(":search"), { kind: "reply", status: 503, body: "" });
    await account.settleAfter(30);
    expect((await listed("unknown")).map(({ id }) => id)).to.deep.equal([intent]);
    down();
    await account.settleAfter(30);
    expect((await listed("applied")).map(({ id }) => id)).to.deep.equal([intent]);
  });

  it("settles the others where the provider refuses to show one of them", async () => {
    const [budget, , , campaign] = WRITES as readonly [WriteCase, WriteCase, WriteCase, WriteCase];
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    const [first, second] = [await unanswered(budget), await unanswered(campaign)];
    mend();
    const refusal = refusing(400, { group: "queryError", value: "UNRECOGNIZED_FIELD" });
    const shown = world.ads.failWhen(({ body }) => body.includes("FROM campaign_budget "), refusal);
    await account.settleAfter(30);
    expect((await listed("unknown")).map(({ id }) => id)).to.deep.equal([first]);
    expect((await listed("applied")).map(({ id }) => id)).to.deep.equal([second]);
    shown();
  });

  it("is not repeated under one Idempotency-Key either, and an answered write is replayed under it", async () => {
    const body = { name: "Once", amount: 5 };
    const headers = { "Idempotency-Key": "one budget" };
    const first = await account.call("POST", "budgets", body, headers);
    const second = await account.call("POST", "budgets", body, headers);
    expect([first.status, second.status, second.body.results, writes()]).to.deep.equal([201, 201, first.body.results, 1]);
    expect(second.headers["idempotent-replayed"]).to.equal("true");
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    const lost = { name: "Lost", amount: 5 };
    expect((await account.call("POST", "budgets", lost, { "Idempotency-Key": "another" })).status).to.equal(502);
    mend();
    expect((await account.call("POST", "budgets", lost, { "Idempotency-Key": "another" })).status).to.equal(502);
    expect([writes(), carried()]).to.deep.equal([2, 2]);
  });

  it("does not fail the request for a list whose attachment got no answer: the list is there", async () => {
    const attach = ({ path }: { path: string }) => path.endsWith("/campaignSharedSets:mutate");
    const mend = world.ads.failWhen(attach, { kind: "lose" });
    const { status, body } = await account.call("POST", "negative-lists", { name: "Half", campaign_ids: ["2"] });
    mend();
    expect([status, body.applied, body.requested]).to.deep.equal([201, 1, 2]);
    expect(body.warnings).to.deep.equal(["ads.warning.list_not_fully_attached"]);
    expect(body.results[1]).to.deep.include({ index: 1, ok: false, error_code: "ads_platform_unreachable" });
    expect((await listed("unknown")).map(({ subject }) => subject)).to.deep.equal(["Bread"]);
    await account.settleAfter(2);
    expect((await account.decisions()).map(({ decision }) => decision)).to.deep.equal(["added", "created"]);
    expect((await account.activity()).map(([action]) => action)).to.deep.equal([
      "ads.negative_list_created",
      "ads.negative_list_attached",
    ]);
  });
});
