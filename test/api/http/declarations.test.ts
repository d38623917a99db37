import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { Routes } from "../../../services/api/routes.ts";
import { startService, type TestService } from "../../support/service.ts";

describe("what the actors declare", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.sql.query(`
      create table saves (at timestamptz default clock_timestamp());
      create function note_save() returns trigger language plpgsql security definer as $$
        begin insert into saves default values; return null; end $$;
      create trigger note_save after insert on declarations for each statement execute function note_save();`);
  });
  after(() => service.stop());
  const count = async (table: string) => Number((await service.sql.query(`select count(*) from ${table}`)).rows[0].count);

  it("is remembered by one statement, however many they are", async () => {
    const known = await count("declarations");
    expect(known).to.be.greaterThan(30);
    await service.sql.query("delete from declarations");
    const routes = new Routes();
    routes.rebuild(service.node.broker);
    await routes.save();
    await routes.save();
    expect([await count("declarations"), await count("saves")]).to.deep.equal([known, 1]);
  });

  it("is followed in two rounds at most, however many changes are told at once", async () => {
    await service.sql.query("delete from saves");
    const { gateway } = service.node.broker.getLocalService("api") as unknown as { gateway: { refresh(): Promise<void> } };
    const { broker } = service.node;
    const names = Array.from({ length: 20 }, (_, number) => `proof.late${number}`);
    for (const name of names) {
      const rest = `GET /${name.replace(".", "/")}`;
      const list = action({ rest, summary: "Nothing", permission: "companies.company.read", handler: () => undefined });
      broker.createService(actor(name, { actions: { list } }));
    }
    await Promise.all(names.map((name) => broker.waitForServices(name, 5000)));
    await gateway.refresh();
    const late = "declarations where service like 'proof.late%'";
    while ((await count(late)) < names.length) await delay(20);
    expect(await count("saves")).to.be.within(1, 2);
  });
});
