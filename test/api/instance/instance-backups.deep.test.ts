import { expect } from "chai";
import { requestDeletion } from "../../../operator/lifecycle.ts";
import { LEFT_OUT, ONLY_ROWS } from "../../../operator/organisation-backup/catalogue.ts";
import { renamed } from "../../../operator/organisation-backup/ids.ts";
import { workOff } from "../../../operator/organisation-backup/work.ts";
import { asOwner, ownerUrl } from "../../../operator/owner.ts";
import { purge, removeBytes } from "../../../operator/purge.ts";
import { fillClient } from "../../support/fixture/crossed-records.ts";
import { allMakers } from "../../support/fixture/fixture-makers.ts";
import { sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { administrator, type SignedInAdministrator } from "../../support/instance/administrator.ts";
import { rowsOfOrganisation } from "../../support/instance/organisation-rows.ts";
import type { Tenant } from "../../support/service.ts";

describe("a backup of an organisation with rows of every kind", function () {
  this.timeout(600_000);
  let world: World;
  let admin: SignedInAdministrator;
  let [mine, other]: Tenant[] = [];
  let backup: string;
  let kept: Record<string, string>;
  let others: Record<string, string>;

  before(async () => {
    world = await sharedWorld();
    admin = await administrator(world.service, ["backups"]);
    [mine, other] = [await world.service.tenant(), await world.service.tenant()];
    for (const tenant of [mine, other] as Tenant[]) {
      const place = await world.place(tenant);
      await fillClient(place, 2);
      for (const { maker } of allMakers()) if (!maker.ofCompany) await maker.make(place);
    }
    const made = await admin.post("/instance/backups", { organisation_id: (mine as Tenant).organisation.id });
    expect(made.status, made.text).to.equal(202);
    backup = made.body.id;
    const { sql } = world.service;
    others = await rowsOfOrganisation(sql, (other as Tenant).organisation.id);
    kept = await rowsOfOrganisation(sql, (mine as Tenant).organisation.id, ONLY_ROWS);
    for (const name of Object.keys(LEFT_OUT)) delete kept[name];
    expect(await workOff(ownerUrl())).to.deep.include({ backups: 1 });
    const read = (await admin.get(`/instance/backups/${backup}`)).body;
    expect(read.state, read.error).to.equal("ready");
  });
  after(() => world.stop());

  async function restored(slug: string): Promise<{ id: string; organisation_id: string; accounts: number }> {
    const asked = await admin.post(`/instance/backups/${backup}/restore`, { slug });
    expect(asked.status, asked.text).to.equal(202);
    await workOff(ownerUrl());
    const { body } = await admin.get(`/instance/restores/${asked.body.id}`);
    expect(body.state, body.error).to.equal("done");
    return body;
  }

  it("restores a copy with ids of its own while the original and all others keep every row", async () => {
    const { sql } = world.service;
    const { organisation } = mine as Tenant;
    const original = await rowsOfOrganisation(sql, organisation.id);
    const { id, organisation_id: copy, accounts } = await restored("copied");
    expect(copy).to.equal(renamed(organisation.id, id)).and.not.equal(organisation.id);
    expect(accounts).to.equal(0);
    const counts = (rows: Record<string, string>) =>
      Object.fromEntries(Object.entries(rows).map(([name, text]) => [name, text.split("\n").length]));
    const made = await rowsOfOrganisation(sql, copy);
    expect(counts(made)).to.deep.equal(counts(kept));
    expect(JSON.stringify(made)).not.to.contain(organisation.id);
    expect(await rowsOfOrganisation(sql, organisation.id)).to.deep.equal(original);
    expect(await rowsOfOrganisation(sql, (other as Tenant).organisation.id)).to.deep.equal(others);
  });

  it("restores the purged original as it was, with its ids, secrets and accounts", async () => {
    const { sql } = world.service;
    const { id, slug } = (mine as Tenant).organisation;
    await requestDeletion(sql, id, 1, null);
    const { accounts } = await asOwner((client) => purge(client, id));
    await removeBytes(id);
    const made = await restored(slug);
    expect(made.organisation_id).to.equal(id);
    expect(made.accounts).to.be.at.least(accounts);
    expect(await rowsOfOrganisation(sql, id)).to.deep.equal(kept);
    expect(await rowsOfOrganisation(sql, (other as Tenant).organisation.id)).to.deep.equal(others);
  });
});
