import { expect } from "chai";
import { type DriveOffice, type DriveWorld, startDrive } from "./drive-world.ts";

describe("folders for new records (workspace §2.4)", () => {
  let world: DriveWorld;
  let office: DriveOffice;
  before(async () => {
    world = await startDrive();
    office = await world.office();
  });
  after(() => world.stop());

  const automatic = (drive_auto_provision: boolean) =>
    office.configure({ automation_connection_user_id: office.ann.accountId, drive_auto_provision });
  /** Creates clients until one costs as many statements as the one before, as it does once the node has cached the settings. */
  async function settledCost(): Promise<{ statements: number; id: string }> {
    for (let before = -1; ; ) {
      const { status, statements, body } = await office.tenant.owner.post("/companies", { name: "Bakker" });
      expect(status).to.equal(201);
      if (statements === before) return { statements, id: body.id };
      before = statements;
    }
  }
  const requested = async (id: string) =>
    (await world.service.sql.query("select 1 from drive_provisions where company_id = $1", [id])).rowCount;
  const linked = async (id: string) =>
    (await world.service.sql.query("select 1 from drive_links where entity_id = $1", [id])).rowCount;

  it("cost a new client a statement only where they are made", async () => {
    const without = await settledCost();
    await automatic(true);
    const withFolders = await settledCost();
    expect(withFolders.statements).to.equal(without.statements + 1);
    await automatic(false);
    expect((await settledCost()).statements).to.equal(without.statements);
  });

  it("are requested for the first client after they are switched on, and for none after they are switched off", async () => {
    await settledCost();
    await automatic(true);
    const first = await office.tenant.company({ name: "First" });
    expect((await requested(first.id)) || (await linked(first.id)), "requested, or created already").to.equal(1);
    await automatic(false);
    const next = await office.tenant.company({ name: "Next" });
    expect([await requested(next.id), await linked(next.id)]).to.deep.equal([0, 0]);
  });

  it("of clients from before are requested together", async () => {
    await automatic(false);
    const { id } = await settledCost();
    await automatic(true);
    expect((await office.tenant.owner.post("/workspace/drive/provision-all", {})).status).to.be.oneOf([200, 202]);
    expect((await requested(id)) || (await linked(id)), "requested, or created already").to.equal(1);
  });
});
