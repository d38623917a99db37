import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

const ENTRIES = 60;

describe("GET /time/entries?sort by values that many entries share", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    // Another organisation's values come first and last.
    const other = await service.tenant();
    for (const [{ organisation, owner }, rows, first] of [
      [tenant, ENTRIES, 15],
      [other, 20, 0],
    ] as const)
      await service.sql.query(
        `insert into time_entries (id, organisation_id, user_id, work_date, started_at, ended_at, minutes, billable)
         select gen_random_uuid(), $1, $2, '2026-01-05', e.at, e.at + interval '1 h', e.minutes, n % 3 > 0
           from generate_series(1, ${rows}) n,
                lateral (select timestamptz '2026-01-05' + n % 20 * interval '1 min' as at, ${first} + n % 4 * 15 as minutes) e`,
        [organisation.id, owner.accountId],
      );
  });
  after(() => service.stop());

  for (const key of ["minutes", "billable"])
    for (const sort of [key, `-${key}`])
      it(`orders by ${sort}, then by start, newest first, then by id`, async () => {
        const { rows } = await service.sql.query(
          `select id from time_entries where organisation_id = $1 order by ${key} ${sort === key ? "" : "desc"}, started_at desc, id`,
          [tenant.organisation.id],
        );
        const ids = rows.map(({ id }) => id);
        for (const [limit, offset] of [
          [7, 0],
          [7, 12],
          [20, 15],
          [20, ENTRIES - 5],
          [5, ENTRIES],
        ] as const) {
          const { status, body, text } = await tenant.owner.get(
            `/time/entries?all_users=true&sort=${sort}&limit=${limit}&offset=${offset}`,
          );
          expect(status, text).to.equal(200);
          expect(body.items.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(offset, offset + limit));
          expect(body.total).to.equal(ENTRIES);
        }
      });
});
