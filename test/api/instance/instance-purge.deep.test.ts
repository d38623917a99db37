import { expect } from "chai";
import { purgeDue } from "../../../operator/instance/purging.ts";
import { cancelDeletion, requestDeletion } from "../../../operator/lifecycle.ts";
import { asOwner } from "../../../operator/owner.ts";
import { type InTransaction, purge, purgeInBatches } from "../../../operator/purge.ts";
import { fillClient } from "../../support/fixture/crossed-records.ts";
import { allMakers } from "../../support/fixture/fixture-makers.ts";
import { sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { rowsOfOrganisation } from "../../support/instance/organisation-rows.ts";
import type { Tenant } from "../../support/service.ts";

describe("a purge", function () {
  this.timeout(600_000);
  let world: World;
  let [gone, stays, killed]: Tenant[] = [];
  before(async () => {
    world = await sharedWorld();
    [gone, stays, killed] = [await world.service.tenant(), await world.service.tenant(), await world.service.tenant()];
    for (const tenant of [gone, stays, killed] as Tenant[]) {
      const place = await world.place(tenant);
      await fillClient(place, 2);
      for (const { maker } of allMakers()) if (!maker.ofCompany) await maker.make(place);
    }
  });
  after(() => world.stop());

  it("leaves no row of an organisation that has rows of every kind, and every row of another", async () => {
    const { sql } = world.service;
    const [mine, theirs] = [(gone as Tenant).organisation, (stays as Tenant).organisation];
    const [before, kept] = [await rowsOfOrganisation(sql, mine.id), await rowsOfOrganisation(sql, theirs.id)];
    expect(Object.keys(before).length).to.be.greaterThan(90);
    await requestDeletion(sql, mine.id, 1, null);
    const { rows, accounts } = await asOwner((client) => purge(client, mine.id));
    expect(rows).to.be.greaterThan(200);
    expect(accounts).to.be.greaterThan(0);
    expect(await rowsOfOrganisation(sql, mine.id)).to.deep.equal({});
    expect((await sql.query("select from organisations where id = $1", [mine.id])).rowCount).to.equal(0);
    expect(await rowsOfOrganisation(sql, theirs.id)).to.deep.equal(kept);
  });

  it("deletes in batches, goes on after a kill between them, and cannot be cancelled from then on", async () => {
    const { sql } = world.service;
    const [mine, theirs] = [(killed as Tenant).organisation, (stays as Tenant).organisation];
    const kept = await rowsOfOrganisation(sql, theirs.id);
    const count = async () =>
      Object.values(await rowsOfOrganisation(sql, mine.id)).reduce((sum, text) => sum + text.split("\n").length, 0);
    const all = await count();
    await requestDeletion(sql, mine.id, 1, null);
    await sql.query("update organisation_suspensions set purge_at = now() where organisation = $1", [mine.id]);
    const deleted: number[] = [];
    const between = async (rows: number) => void deleted.push(rows);
    // The batch after the fortieth loses its connection before its commit.
    const killing: InTransaction = (work) =>
      asOwner(async (client) => {
        const result = await work(client);
        if (deleted.length === 40) await client.query("select pg_terminate_backend(pg_backend_pid())");
        return result;
      });
    const broken = await purgeInBatches(killing, mine.id, { batch: 3, between }).catch((error: Error) => error);
    expect(broken).to.be.instanceOf(Error);
    const left = await count();
    expect(deleted.every((rows, at) => rows - (deleted[at - 1] ?? 0) <= 3)).to.equal(true);
    expect(left).to.be.within(1, all - 40);
    expect((await sql.query("select status from organisations where id = $1", [mine.id])).rows).to.deep.equal([
      { status: "suspended" },
    ]);
    const refusals = [cancelDeletion(sql, mine.id), requestDeletion(sql, mine.id, 9, null)];
    for (const refusal of refusals) expect(((await refusal.catch((error) => error)) as Error).message).to.contain("has begun");
    await purgeDue();
    expect(await rowsOfOrganisation(sql, mine.id)).to.deep.equal({});
    expect((await sql.query("select from organisations where id = $1", [mine.id])).rowCount).to.equal(0);
    expect(await rowsOfOrganisation(sql, theirs.id)).to.deep.equal(kept);
  });
});
