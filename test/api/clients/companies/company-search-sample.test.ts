import { expect } from "chai";
import { sharedService, type TestService } from "../../../support/service.ts";

/** Rows that a search looks at first (core/database/lists/search.ts). */
const SAMPLE = 100;

describe("the search of companies with a sample of little more than ten thousand", function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  // The last three bytes of an id are its place in the sample; how far that reaches tells how many rows there are: 64 × 100 × 2^18 / place.
  for (const rows of [10_001, 10_046, 10_100, 10_101, 12_000])
    it(`ends, at ${rows}`, async () => {
      const tenant = await service.tenant();
      const furthest = Math.floor((64 * SAMPLE * 2 ** 18) / rows);
      await service.sql.query(
        `insert into companies (id, organisation_id, name)
         select ($3::text || lpad(to_hex(case n when $2 then $4::int else n end), 6, '0'))::uuid, $1, 'Company ' || n
           from generate_series(1, $2::int) n`,
        [tenant.organisation.id, SAMPLE, tenant.organisation.id.slice(0, 30), furthest],
      );
      const answer = await tenant.owner.get("/companies?q=nothing+of+the+kind");
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.include({ items: [], total: 0 });
      expect((await tenant.owner.get("/companies?q=%22company+7%22&count=false&sort=-created_at")).body.items).to.have.length(11);
    });
});
