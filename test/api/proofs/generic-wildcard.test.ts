import { allMakers } from "../../support/fixture/fixture-makers.ts";
import { isOpen, isWrite, longestPage, needsSession, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { difference, keyOf, partedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Place } from "../../support/fixture/fixtures.ts";
import { nothingBut, watchWrites } from "../../support/fixture/write-log.ts";
import type { Caller, Tenant } from "../../support/service.ts";

/** Reads that say which members are in a group. */
const OF_GROUPS = "/companies/groups";

describe("every operation of the document: a wildcard holder in a company group, and actions about every client", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;
  let owner: Caller;
  let restricted: Caller;
  let group: string;
  let place: Place;

  before(async () => {
    world = await partedWorld();
    tenant = await world.service.tenant();
    place = await world.place(tenant, "Buiten");
    for (const { name, maker } of allMakers()) if (maker.ofCompany && name !== "company_id") await maker.make(place);
    owner = await tenant.member("owner");
    restricted = await tenant.member("admin");
    group = await tenant.group("Leeg", [], [restricted.membershipId]);
  });
  after(() => world.stop());

  const closed = () => world.operations.filter((operation) => !isOpen(operation) && !needsSession(operation));
  const enter = () =>
    world.service.sql.query(
      "insert into company_group_memberships (organisation_id, group_id, membership_id) values ($1, $2, $3) on conflict do nothing",
      [tenant.organisation.id, group, owner.membershipId],
    );
  const leave = () =>
    world.service.sql.query("delete from company_group_memberships where membership_id = $1", [owner.membershipId]);

  it("answers an owner the same with and without a group, in every read", async () => {
    const check = async (operation: Operation) => {
      if (operation.path.startsWith(OF_GROUPS)) return null;
      const rows = await world.rows(operation, place);
      const ask = () => world.call(operation, keyOf(owner, tenant), { rows, query: longestPage(operation) });
      await leave();
      const free = await ask();
      await enter();
      const grouped = await ask();
      await leave();
      const differing = difference(free, grouped);
      if (differing === null) return [];
      // Changes by the clock say nothing about groups.
      if (difference(free, await ask()) !== null)
        return free.status === grouped.status ? [] : [`${free.status}, ${grouped.status}`];
      return [`differs in a group: ${differing.slice(0, 300)}`];
    };
    await prove(
      "an owner in a group reads what one without a group does",
      closed().filter((one) => !isWrite(one)),
      check,
    );
  });

  it("refuses who has a selection with 403 where every client is meant, and writes nothing", async () => {
    const check = async (operation: Operation) => {
      if (!operation.declared.everyClient) return null;
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const written = await watchWrites(world.service, tenant.organisation.id);
      const answer = await world.call(operation, keyOf(restricted, tenant), { rows, body });
      const wrong = [...refusalOf(answer, 403, "forbidden"), ...nothingBut(await written())];
      await enter();
      const grouped = await world.call(operation, keyOf(owner, tenant), { rows, body });
      await leave();
      return grouped.status < 300 ? wrong : [...wrong, `an owner in a group got ${grouped.status} ${grouped.text.slice(0, 200)}`];
    };
    await prove("actions about every client", closed(), check);
  });
});
