import { expect } from "chai";
import pg from "pg";
import { newId } from "../../../../core/database/model.ts";
import presentRecords from "../../../../migrations/0167-match-keys-of-present-records.ts";
import { IN_ORDER, proposals } from "../../../../services/clients/duplicates/duplicate-pairs.ts";
import { COMPANIES, CONTACTS } from "../../../../services/clients/duplicates/duplicate-specs.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

const ROWS = 200_000;

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  Plans?: Plan[];
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

/** The keys of so many records, and the records that are in a pair: every thousandth has the name of the one before. */
const FILL = ["company", "contact"].flatMap((kind) => [
  kind === "company"
    ? `insert into companies (id, organisation_id, name) select md5('r' || n)::uuid, $1, 'N' from generate_series(1, $2::int) n where n % 1000 in (0, 999)`
    : `insert into contacts (id, organisation_id, first_name) select md5('r' || n)::uuid, $1, 'N' from generate_series(1, $2::int) n where n % 1000 in (0, 999)`,
  `insert into ${kind}_match_keys (organisation_id, kind, key, ${kind}_id)
    select $1, k.kind, k.kind || n - (n % 1000 = 0 and k.kind = 'name')::int, md5('r' || n)::uuid
      from generate_series(1, $2::int) n, unnest(array['name', 'email', 'phone', 'domain']) k(kind)`,
]);

describe(`proposed duplicates among ${ROWS} records`, function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let application: pg.Client;
  before(async () => {
    service = await startService();
    tenant = await service.tenant();
    const superuser = new pg.Client({ connectionString: service.database.superuser });
    await superuser.connect();
    await superuser.query("set session_replication_role = replica");
    for (const text of FILL) await superuser.query(text, [tenant.organisation.id, ROWS]);
    await superuser.query("vacuum analyze companies, contacts, company_match_keys, contact_match_keys");
    await superuser.end();
    application = new pg.Client({ connectionString: service.database.application });
    await application.connect();
    await application.query("select set_config('app.organisation_id', $1, false)", [tenant.organisation.id]);
  });
  after(async () => {
    await application.end();
    await service.stop();
  });

  it("have the same keys from the step for present records as from the triggers", async () => {
    const small = await service.tenant();
    await small.company({ name: "Café Zoë B.V.", website: "https://zoe.example", phone: "0302312345", coc_number: "12345678" });
    await small.owner.post("/contacts", { first_name: "Jan", last_name: "Bos", email: "Jan@Example.com" });
    const keysOf = async (kind: string) =>
      (
        await service.sql.query(
          `select kind, key, ${kind}_id as id from ${kind}_match_keys where organisation_id = $1 order by 1, 2`,
          [small.organisation.id],
        )
      ).rows;
    const before = [await keysOf("company"), await keysOf("contact")];
    expect(before.map(({ length }) => length)).to.deep.equal([4, 2]);
    for (const kind of ["company", "contact"])
      await service.sql.query(`delete from ${kind}_match_keys where organisation_id = $1`, [small.organisation.id]);
    await presentRecords.up({ sql: (text) => service.sql.query(text), application: "" });
    expect([await keysOf("company"), await keysOf("contact")]).to.deep.equal(before);
  });

  for (const [path, spec] of [
    ["companies", COMPANIES],
    ["contacts", CONTACTS],
  ] as const)
    it(`of ${path} read the keys in the order of their index`, async () => {
      for (const selection of [null, [newId()]]) {
        await application.query("begin read only");
        await application.query(IN_ORDER.text);
        const { rows } = await application.query(`explain (analyze, buffers, format json) ${proposals(spec).text}`, [
          tenant.organisation.id,
          selection,
          20,
        ]);
        await application.query("rollback");
        const [{ Plan: plan }] = rows[0]["QUERY PLAN"] as [{ Plan: Plan }];
        // The tables of records are small here: only those in a pair are there.
        const scanned = nodes(plan)
          .filter((node) => node["Node Type"] === "Seq Scan")
          .map((node) => node["Relation Name"]);
        expect(scanned).to.not.include(`${spec.kind}_match_keys`);
        const sorted = nodes(plan).filter((node) => node["Index Name"] === `${spec.kind}_match_keys_pkey`);
        expect(sorted.length).to.be.at.least(2);
      }
      const answer = await tenant.owner.get(`/${path}/duplicates`);
      expect(answer.status, answer.text).to.equal(200);
      expect([answer.body.items.length, answer.body.total]).to.deep.equal([20, ROWS / 1000]);
    });
});
